// Prints how many seconds a tokenizer file takes to load in this new process.
//
//   tokenizer_load_time FILE

#include <chrono>
#include <cstdio>

#include "formats/file.h"
#include "tokenizer/load.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: tokenizer_load_time FILE\n");
    return 2;
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto tokenizer =
      penstock::LoadTokenizer(penstock::LocalFiles(), argv[1]);
  const std::chrono::duration<double> passed =
      std::chrono::steady_clock::now() - begin;
  if (!tokenizer.ok()) {
    std::fprintf(stderr, "tokenizer_load_time: %s\n",
                 tokenizer.status().ToString().c_str());
    return 1;
  }
  std::printf("%.9f\n", passed.count());
}
