// Loads a tokenizer and encodes documents in this new process.
//
//   tokenizer_peer [--compiled FOLDER] FILE [DOCUMENTS]
//
// With a folder the tokenizer's compiled form is kept and used there.
// DOCUMENTS are texts with a NUL byte after each. Prints one line of JSON: the
// seconds to load, to encode all for the first time (cold), the second half of
// that alone (onward) and all again (warm, the best of some), how many ids they
// have and the crc32 of the ids. Seconds are the processor's, of all threads:
// what others do on the machine counts little.

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <ctime>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

constexpr int kWarmPasses = 3;

double Now() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * now.tv_nsec;
}

template <typename Work>
double Seconds(Work&& work) {
  const double begin = Now();
  work();
  return Now() - begin;
}

int Run(int argc, char** argv, const CompiledOptions& compiled) {
  StatusOr<std::shared_ptr<const Tokenizer>> tokenizer = InternalError("");
  const double load = Seconds([&] {
    tokenizer = LoadTokenizer(LocalFiles(), argv[1], {.compiled = compiled});
  });
  if (!tokenizer.ok()) {
    fmt::print(stderr, "tokenizer_peer: {}\n", tokenizer.status().ToString());
    return 1;
  }
  if (argc == 2) {
    fmt::print("{{\"load\": {}}}\n", load);
    return 0;
  }
  const auto text = ReadWholeFile(LocalFiles(), argv[2]);
  if (!text.ok()) {
    fmt::print(stderr, "tokenizer_peer: {}\n", text.status().ToString());
    return 1;
  }
  std::vector<std::string_view> documents;
  for (std::string_view rest = *text; !rest.empty();) {
    documents.push_back(rest.substr(0, rest.find('\0')));
    rest.remove_prefix(documents.back().size() + 1);
  }
  bool ok = true;
  const auto encode = [&](std::span<const std::string_view> texts,
                          Encodings& rows) {
    ok &= (*tokenizer)->EncodeBatch(texts, {}, rows).ok();
  };
  const std::span texts(documents);
  const size_t half = texts.size() / 2;
  Encodings one, two;
  const double first = Seconds([&] { encode(texts.first(half), one); });
  const double onward = Seconds([&] { encode(texts.subspan(half), two); });
  double warm = first + onward;
  Encodings rows;
  for (int i = 0; i < kWarmPasses; ++i) {
    rows.Clear();
    warm = std::min(warm, Seconds([&] { encode(texts, rows); }));
  }
  if (!ok) {
    fmt::print(stderr, "tokenizer_peer: a document has no encoding\n");
    return 1;
  }
  uLong digest = 0;
  for (const Encodings* rows : {&one, &two}) {
    digest = crc32_z(digest, reinterpret_cast<const Bytef*>(rows->ids.data()),
                     rows->ids.size() * sizeof(TokenId));
  }
  fmt::print(
      "{{\"load\": {}, \"cold\": {}, \"onward\": {}, \"warm\": {}, "
      "\"ids\": {}, \"digest\": {}}}\n",
      load, first + onward, onward, warm, one.ids.size() + two.ids.size(),
      digest);
  return 0;
}

}  // namespace
}  // namespace penstock

int main(int argc, char** argv) {
  penstock::CompiledOptions compiled;
  if (argc > 3 && std::string_view(argv[1]) == "--compiled") {
    compiled = {.use = true, .folder = argv[2]};
    argc -= 2;
    argv += 2;
  }
  if (argc == 2 || argc == 3) return penstock::Run(argc, argv, compiled);
  fmt::print(stderr,
             "usage: tokenizer_peer [--compiled FOLDER] FILE [DOCUMENTS]\n");
  return 2;
}
