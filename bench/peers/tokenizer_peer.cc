// Loads a tokenizer and encodes documents in this new process.
//
//   tokenizer_peer FILE [DOCUMENTS]
//
// DOCUMENTS are texts with a NUL byte after each. Prints one line of JSON: the
// seconds to load, to encode all for the first time (cold) and again (warm, the
// best of some), how many ids they have and the crc32 of the ids.

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

constexpr int kWarmPasses = 3;

template <typename Work>
double Seconds(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> passed =
      std::chrono::steady_clock::now() - begin;
  return passed.count();
}

int Run(int argc, char** argv) {
  StatusOr<std::shared_ptr<const Tokenizer>> tokenizer = InternalError("");
  const double load =
      Seconds([&] { tokenizer = LoadTokenizer(LocalFiles(), argv[1]); });
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
  std::vector<TokenId> ids;
  bool ok = true;
  const auto encode = [&] {
    ids.clear();
    for (const std::string_view document : documents) {
      ok &= (*tokenizer)->Encode(document, {}, ids).ok();
    }
  };
  const double cold = Seconds(encode);
  double warm = Seconds(encode);
  for (int i = 1; i < kWarmPasses; ++i) warm = std::min(warm, Seconds(encode));
  if (!ok) {
    fmt::print(stderr, "tokenizer_peer: a document has no encoding\n");
    return 1;
  }
  const uLong digest = crc32_z(0, reinterpret_cast<const Bytef*>(ids.data()),
                               ids.size() * sizeof(TokenId));
  fmt::print(
      "{{\"load\": {}, \"cold\": {}, \"warm\": {}, \"ids\": {}, "
      "\"digest\": {}}}\n",
      load, cold, warm, ids.size(), digest);
  return 0;
}

}  // namespace
}  // namespace penstock

int main(int argc, char** argv) {
  if (argc == 2 || argc == 3) return penstock::Run(argc, argv);
  fmt::print(stderr, "usage: tokenizer_peer FILE [DOCUMENTS]\n");
  return 2;
}
