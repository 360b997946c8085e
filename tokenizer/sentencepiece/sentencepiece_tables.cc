// A SentencePieceTokenizer as tables, and back.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tokenizer/sentencepiece/merge_segmenter.h"
#include "tokenizer/sentencepiece/plain_segmenters.h"
#include "tokenizer/sentencepiece/sentencepiece_tokenizer.h"
#include "tokenizer/sentencepiece/unigram_segmenter.h"

namespace penstock {
namespace {

void SaveRule(const UnknownRule& rule, TableWriter& to) {
  to.PutNumber(rule.as_bytes);
  to.PutNumber(rule.id);
  for (const TokenId id : rule.byte_ids) to.PutNumber(id);
}

UnknownRule LoadRule(TableReader& from) {
  UnknownRule rule;
  rule.as_bytes = from.Number() != 0;
  rule.id = static_cast<TokenId>(from.Number());
  for (TokenId& id : rule.byte_ids) id = static_cast<TokenId>(from.Number());
  return rule;
}

void SaveControls(const SpecialTokens& controls, TableWriter& to) {
  to.PutNumber(controls.tokens().size());
  for (const SpecialToken& token : controls.tokens()) {
    to.PutText(token.text);
    to.PutNumber(token.id);
  }
}

SpecialTokens LoadControls(TableReader& from) {
  std::vector<SpecialToken> tokens;
  for (uint64_t left = from.Number(); left > 0 && from.ok(); --left) {
    SpecialToken token{.text = std::string(from.Text())};
    from.Expect(!token.text.empty());
    token.id = static_cast<TokenId>(from.Number());
    if (from.ok()) tokens.push_back(std::move(token));
  }
  return SpecialTokens(std::move(tokens));
}

// Null of a kind that there is not.
std::unique_ptr<const Segmenter> LoadSegmenter(
    TableReader& from, const Vocabulary& tokens,
    const UserDefinedSymbols& symbols) {
  switch (static_cast<Segmenter::Kind>(from.Number())) {
    case Segmenter::Kind::kFloatUnigram:
      return std::make_unique<UnigramSegmenter<float>>(from);
    case Segmenter::Kind::kDoubleUnigram:
      return std::make_unique<UnigramSegmenter<double>>(from);
    case Segmenter::Kind::kBpe:
      return std::make_unique<MergeSegmenter>(from, tokens, symbols);
    case Segmenter::Kind::kWord:
      return std::make_unique<WordSegmenter>(from);
    case Segmenter::Kind::kChar:
      return std::make_unique<CharSegmenter>(from, symbols);
  }
  return nullptr;
}

}  // namespace

void SentencePieceTokenizer::Save(TableWriter& to) const {
  to.PutText(kind_);
  to.PutNumber(fingerprint_);
  to.PutText(unknown_surface_);
  to.PutNumber(drops_first_space_);
  to.PutNumber(drops_all_first_spaces_);
  SaveRule(unknown_rule_, to);
  SaveControls(controls_, to);
  symbols_.Save(to);
  normalizer_->Save(to);
  to.PutNumber(denormalizer_ != nullptr);
  if (denormalizer_ != nullptr) denormalizer_->Save(to);
  tokens_.Save(to);
  to.PutTable(writings_);
  segmenter_->Save(to);
}

std::shared_ptr<const Tokenizer> SentencePieceTokenizer::Load(
    TableReader& from, const std::string& name,
    std::shared_ptr<const FileBytes> tables) {
  // Not make_shared: the constructor is private.
  std::shared_ptr<SentencePieceTokenizer> made(new SentencePieceTokenizer());
  made->name_ = name;
  made->tables_ = std::move(tables);
  made->kind_ = from.Text();
  made->fingerprint_ = from.Number();
  made->unknown_surface_ = from.Text();
  made->drops_first_space_ = from.Number() != 0;
  made->drops_all_first_spaces_ = from.Number() != 0;
  made->unknown_rule_ = LoadRule(from);
  made->controls_ = LoadControls(from);
  made->symbols_ = UserDefinedSymbols::Load(from);
  made->normalizer_ =
      std::make_unique<SentencePieceNormalizer>(from, made->symbols_);
  if (from.Number() != 0) {
    made->denormalizer_ =
        std::make_unique<SentencePieceNormalizer>(from, NoSymbols());
  }
  made->tokens_ = Vocabulary::Load(from);
  made->writings_ = from.TakeTable<Writing>();
  made->segmenter_ = LoadSegmenter(from, made->tokens_, made->symbols_);
  from.Expect(made->segmenter_ != nullptr);
  return from.ok() ? made : nullptr;
}

}  // namespace penstock
