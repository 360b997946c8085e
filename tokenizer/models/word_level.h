// WordLevel: a piece is a token, or the unknown one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tokenizer/models/token_model.h"

namespace penstock {

class WordLevel final : public TokenModel {
 public:
  WordLevel(Vocabulary vocabulary, std::string unknown_token)
      : vocabulary_(std::move(vocabulary)),
        unknown_token_(std::move(unknown_token)),
        unknown_(vocabulary_.Find(unknown_token_)) {}
  static std::unique_ptr<const WordLevel> Load(TableReader& from,
                                               std::string unknown_token) {
    return std::make_unique<WordLevel>(Vocabulary::Load(from),
                                       std::move(unknown_token));
  }

  Status Encode(std::string_view piece, std::vector<TokenId>& ids,
                std::vector<TokenSpan>* spans) const override;

  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::string_view name() const override { return "WordLevel"; }
  uint64_t Fingerprint() const override;
  void Save(TableWriter& to) const override { vocabulary_.Save(to); }

 private:
  const Vocabulary vocabulary_;
  const std::string unknown_token_;
  const std::optional<TokenId> unknown_;
};

}  // namespace penstock
