// What SentencePieceTokenizer makes of ids.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "formats/files/status.h"
#include "tokenizer/interface/whole_characters.h"
#include "tokenizer/sentencepiece/sentencepiece_tokenizer.h"
#include "tokenizer/unicode/utf8.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

// Appends the characters in `bytes`, and U+FFFD for each byte of none.
void AppendCharacters(std::string_view bytes, std::string& text) {
  const char* const end = bytes.data() + bytes.size();
  for (const char* at = bytes.data(); at != end;) {
    const size_t size = Utf8SizeOfChar(at, end);
    if (size == 0) {
      text.append(kReplacementChar);
      ++at;
    } else {
      text.append(at, size);
      at += size;
    }
  }
}

}  // namespace

class SentencePieceTokenizer::Stream final : public StreamDecoder {
 public:
  explicit Stream(const SentencePieceTokenizer& tokenizer)
      : tokenizer_(tokenizer),
        at_start_(tokenizer.drops_first_space_ ||
                  tokenizer.drops_all_first_spaces_) {}

  Status Add(TokenId id, std::string& text) override {
    PENSTOCK_RETURN_IF_ERROR(tokenizer_.CheckTables());
    PENSTOCK_RETURN_IF_ERROR(Write(id));
    PENSTOCK_RETURN_IF_ERROR(tokenizer_.CheckTables());
    if (tokenizer_.denormalizer_ == nullptr) Give(text);
    return OkStatus();
  }

  Status Finish(std::string& text) override {
    Flush();
    if (tokenizer_.denormalizer_ == nullptr) {
      Give(text);
    } else {
      TextBuffer denormalized;
      tokenizer_.denormalizer_->Normalize(out_, denormalized);
      text.append(denormalized.text());
    }
    characters_.Finish(text);
    return OkStatus();
  }

 private:
  Status Write(TokenId id) {
    if (id >= tokenizer_.writings_.size()) {
      return InvalidArgumentError(
          fmt::format("id {} is not in the vocabulary, which has {} ids", id,
                      tokenizer_.writings_.size()));
    }
    const Writing& writing = tokenizer_.writings_[id];
    if (writing.kind == Writing::Kind::kByte) {
      bytes_.push_back(static_cast<char>(writing.byte));
      const size_t whole = bytes_.size() - UnfinishedUtf8Size(bytes_);
      AppendCharacters(std::string_view(bytes_).substr(0, whole), out_);
      bytes_.erase(0, whole);
      return OkStatus();
    }
    Flush();
    at_start_ = at_start_ && !wrote_ && out_.empty();
    switch (writing.kind) {
      case Writing::Kind::kText:
        WriteText(id, writing);
        break;
      case Writing::Kind::kUnknown:
        out_.append(tokenizer_.unknown_surface_);
        break;
      case Writing::Kind::kNothing:
      case Writing::Kind::kByte:
        break;
    }
    return OkStatus();
  }

  void WriteText(TokenId id, const Writing& writing) {
    // It is there and as long, unless tables were cut off under us.
    std::string_view text;
    if (tokenizer_.tokens_.Has(id)) text = tokenizer_.tokens_.BytesOf(id);
    size_t spaces = writing.spaces;
    text.remove_prefix(std::min(text.size(), spaces * kSpaceSymbol.size()));
    if (at_start_ && spaces > 0) {
      --spaces;
      at_start_ = tokenizer_.drops_all_first_spaces_;
    }
    out_.append(spaces, ' ');
    if (writing.has_more) {
      for (size_t at; (at = text.find(kSpaceSymbol)) != text.npos;) {
        out_.append(text.substr(0, at)).push_back(' ');
        text.remove_prefix(at + kSpaceSymbol.size());
      }
    }
    out_.append(text);
  }

  void Flush() {
    AppendCharacters(bytes_, out_);
    bytes_.clear();
  }

  void Give(std::string& text) {
    wrote_ = wrote_ || !out_.empty();
    characters_.Add(out_, text);
    out_.clear();
  }

  const SentencePieceTokenizer& tokenizer_;
  bool at_start_;
  bool wrote_ = false;
  std::string bytes_;           // of byte pieces, of a character to be
  std::string out_;             // not given yet
  WholeCharacters characters_;  // other pieces may be of half a character too
};

std::unique_ptr<StreamDecoder> SentencePieceTokenizer::NewStreamDecoder(
    DecodeOptions) const {
  return std::make_unique<Stream>(*this);
}

Status SentencePieceTokenizer::Decode(std::span<const TokenId> ids,
                                      DecodeOptions, std::string& text) const {
  std::string out;
  Stream stream(*this);
  for (const TokenId id : ids) {
    PENSTOCK_RETURN_IF_ERROR(stream.Add(id, out));
  }
  PENSTOCK_RETURN_IF_ERROR(stream.Finish(out));
  text.append(out);
  return OkStatus();
}

}  // namespace penstock
