// Any bytes, read as a tokenizer.json with a text behind a NUL: what loads must
// encode and decode without harm, and the same twice.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/tokenizer_json.h"

namespace penstock::testing {
namespace {

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "tokenizer_json_fuzz: %s\n", what);
  std::abort();
}

void TestOneInput(std::string_view bytes) {
  const size_t end = bytes.find('\0');
  const auto tokenizer = ParseTokenizerJson(bytes.substr(0, end), "fuzz");
  if (!tokenizer.ok()) {
    Require(!tokenizer.status().message().empty(), "an error without words");
    return;
  }
  const std::string_view text =
      end == std::string_view::npos ? bytes : bytes.substr(end + 1);
  std::vector<TokenId> ids, again;
  const absl::Status status = (*tokenizer)->Encode(text, {}, ids);
  Require((*tokenizer)->Encode(text, {}, again) == status && ids == again,
          "other ids the second time");
  if (!status.ok()) return;
  std::string decoded;
  (*tokenizer)->Decode(ids, {}, decoded).IgnoreError();
  std::vector<TokenId> with_origins;
  std::vector<TokenOrigin> origins;
  if ((*tokenizer)->EncodeWithOrigins(text, {}, with_origins, origins).ok()) {
    Require(with_origins == ids, "other ids with origins");
    Require(origins.size() == ids.size(), "an id without an origin");
    for (const TokenOrigin& origin : origins) {
      Require(origin.begin_byte <= text.size(), "an origin behind the text");
      Require(origin.end_byte <= text.size(), "an origin behind the text");
    }
  }
}

}  // namespace
}  // namespace penstock::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  penstock::testing::TestOneInput({reinterpret_cast<const char*>(data), size});
  return 0;
}
