// What ComponentTokenizer makes of ids: tokens and text.
#include <utility>

#include "formats/files/status.h"
#include "tokenizer/components/component_tokenizer.h"
#include "tokenizer/interface/stream_decoder.h"

namespace penstock {
namespace {

// The end of the chain: puts the parts together.
class TextSink final : public PartSink {
 public:
  TextSink(std::string_view between, DecodeWork& work)
      : PartSink(work), between_(between) {}

  void EndPart() override {
    if (ended_) text_ += between_;  // an empty part
    ended_ = true;
  }
  void End() override {}

  void MoveTo(std::string& text) {
    text += text_;
    text_.clear();
  }

 private:
  void OnText(std::string_view text) override {
    if (ended_) text_ += between_;
    ended_ = false;
    text_ += text;
  }

  const std::string_view between_;
  std::string text_;
  bool ended_ = false;  // a part, and none has begun since
};

}  // namespace

std::optional<TokenId> ComponentTokenizer::IdOf(std::string_view token) const {
  for (const auto& [id, added] : parts_.added_tokens.tokens()) {
    if (added.content == token) return id;
  }
  return parts_.model->vocabulary().Find(token);
}

std::optional<std::string> ComponentTokenizer::TokenOf(TokenId id) const {
  if (const auto added = parts_.added_tokens.SpellingOf(id)) {
    return std::string(*added);
  }
  const Vocabulary& vocabulary = parts_.model->vocabulary();
  if (!vocabulary.Has(id)) return std::nullopt;
  return std::string(vocabulary.BytesOf(id));
}

class ComponentTokenizer::Stream final : public StreamDecoder {
 public:
  Stream(const ComponentTokenizer& tokenizer, DecodeOptions options)
      : tokenizer_(tokenizer),
        options_(options),
        sink_(tokenizer.parts_.decoder == nullptr ? " " : "", work_),
        chain_(tokenizer.parts_.decoder == nullptr
                   ? nullptr
                   : tokenizer.parts_.decoder->NewSink(sink_)) {}

  Status Add(TokenId id, std::string& text) override {
    PENSTOCK_RETURN_IF_ERROR(tokenizer_.CheckTables());
    const std::optional<std::string> spelling = tokenizer_.TokenOf(id);
    PENSTOCK_RETURN_IF_ERROR(tokenizer_.CheckTables());
    if (!spelling) {
      return UnknownIdError(id, tokenizer_.parts_.name, tokenizer_.size_);
    }
    if (options_.skip_special_tokens &&
        tokenizer_.parts_.added_tokens.IsSpecial(*spelling)) {
      return OkStatus();
    }
    work_.Allow(spelling->size());
    first().Text(*spelling);
    first().EndPart();
    sink_.MoveTo(text);
    return work_.status();
  }

  Status Finish(std::string& text) override {
    first().End();
    sink_.MoveTo(text);
    return work_.status();
  }

 private:
  PartSink& first() { return chain_ == nullptr ? sink_ : *chain_; }

  const ComponentTokenizer& tokenizer_;
  const DecodeOptions options_;
  DecodeWork work_;
  TextSink sink_;
  const std::unique_ptr<PartSink> chain_;  // null without a decoder
};

std::unique_ptr<StreamDecoder> ComponentTokenizer::NewStreamDecoder(
    DecodeOptions options) const {
  return std::make_unique<Stream>(*this, options);
}

Status ComponentTokenizer::Decode(std::span<const TokenId> ids,
                                  DecodeOptions options,
                                  std::string& text) const {
  std::string out;
  Stream stream(*this, options);
  for (const TokenId id : ids) {
    PENSTOCK_RETURN_IF_ERROR(stream.Add(id, out));
  }
  PENSTOCK_RETURN_IF_ERROR(stream.Finish(out));
  text += out;
  return OkStatus();
}

}  // namespace penstock
