// Any bytes, read as a tokenizer.json with a text behind a NUL: what loads must
// encode and decode without harm, and the same twice and from its compiled
// form; any ids decode to the same text at once and one by one.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/crc32c.h"
#include "tokenizer/files/compiled_tokenizer.h"
#include "tokenizer/files/tokenizer_json.h"
#include "tokenizer/interface/stream_decoder.h"

namespace penstock::testing {
namespace {

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "tokenizer_json_fuzz: %s\n", what);
  std::abort();
}

// One at a time, `ids` are the text they are all at once.
void DecodeBothWays(const Tokenizer& tokenizer,
                    const std::vector<TokenId>& ids) {
  std::string whole, streamed;
  const bool known = tokenizer.Decode(ids, {}, whole).ok();
  Require(known || whole.empty(), "text of ids that are refused");
  const auto stream = tokenizer.NewStreamDecoder({});
  bool all_known = true;
  for (const TokenId id : ids) all_known &= stream->Add(id, streamed).ok();
  all_known &= stream->Finish(streamed).ok();
  Require(all_known == known, "an id that only one decoder knows");
  Require(!known || streamed == whole, "another text one by one");
}

// What is made again of its tables gives `text` the same ids.
void CompileAndLoad(const Tokenizer& tokenizer, std::string_view text,
                    const Status& status, const std::vector<TokenId>& ids) {
  TableWriter soon, later;
  if (!CompileTokenizer(tokenizer, {}, soon, later)) return;
  CompiledFile file;
  file.soon = soon.bytes();
  file.later = later.bytes();
  file.later_checksum = Crc32c(file.later);
  std::vector<std::string> warnings;
  const auto again = TokenizerOfCompiled(file, "fuzz", "", warnings);
  Require(again != nullptr, "no tokenizer of its own tables");
  std::vector<TokenId> others;
  Require(again->Encode(text, {}, others) == status && others == ids,
          "other ids of tables");
  Require(again->Fingerprint() == tokenizer.Fingerprint(),
          "another fingerprint of tables");
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
  const Status status = (*tokenizer)->Encode(text, {}, ids);
  Require((*tokenizer)->Encode(text, {}, again) == status && ids == again,
          "other ids the second time");
  CompileAndLoad(**tokenizer, text, status, ids);
  // Bytes of the text as ids: most of them are in a vocabulary.
  std::vector<TokenId> any(text.begin(), text.end());
  for (TokenId& id : any) id %= (*tokenizer)->vocabulary_size() + 1;
  DecodeBothWays(**tokenizer, any);
  if (!status.ok()) return;
  DecodeBothWays(**tokenizer, ids);
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
