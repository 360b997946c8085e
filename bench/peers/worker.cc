// Does jobs for a driver of this folder, one line each on standard input:
//
//   <job> <seconds> <path>
//
// and answers with a line of JSON. A job is done once unseen the first time it
// is asked for, then again and again until the seconds are over.
#include "bench/peers/worker.h"

#include <errno.h>
#include <fmt/format.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <set>
#include <sstream>
#include <string>

namespace penstock::peers {
namespace {

double Now(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * now.tv_nsec;
}

std::string Measure(const Job& job, const std::string& path, double seconds) {
  Work all;
  const double wall = Now(CLOCK_MONOTONIC);
  const double cpu = Now(CLOCK_PROCESS_CPUTIME_ID);
  double passed = 0;
  do {
    const Work work = job(path);
    all.records += work.records;
    all.bytes += work.bytes;
    all.values += work.values;
    all.sum += work.sum;
    passed = Now(CLOCK_MONOTONIC) - wall;
  } while (passed < seconds);
  return fmt::format(
      "{{\"records\":{},\"bytes\":{},\"values\":{},\"sum\":{},"
      "\"wall\":{:.9f},\"cpu\":{:.9f}}}",
      all.records, all.bytes, all.values, all.sum, passed,
      Now(CLOCK_PROCESS_CPUTIME_ID) - cpu);
}

int Serve() {
  Jobs jobs = AllJobs();
  std::set<std::string> warm;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string name, path;
    double seconds = 0;
    words >> name >> seconds >> std::ws;
    std::getline(words, path);
    if (!jobs.contains(name)) Fail("no job " + name);
    if (warm.insert(name + " " + path).second) jobs[name](path);
    std::cout << Measure(jobs[name], path, seconds) << std::endl;
  }
  return 0;
}

}  // namespace

void Fail(const std::string& why) {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, why.c_str());
  std::exit(1);
}

}  // namespace penstock::peers

int main(int argc, char** argv) {
  if (argc == 1) return penstock::peers::Serve();
  if (argc == 3 && std::string(argv[1]) == "--make") {
    penstock::peers::MakeFiles(argv[2]);
    return 0;
  }
  std::fprintf(stderr, "usage: %s [--make FOLDER]\n",
               program_invocation_short_name);
  return 2;
}
