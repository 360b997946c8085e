// Tokenizers that came before tokenizer.json, in files of their own.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "formats/files/status_or.h"
#include "tokenizer/interface/tokenizer.h"

namespace penstock {

// BERT's vocab.txt: a token a line, numbered from 0; of lines that are alike
// the last counts. The rest is what Hugging Face's BertWordPieceTokenizer
// has: BertNormalizer that lowercases unless `keep_case`, BertPreTokenizer,
// "[CLS] text [SEP]".
//
// Errors:  kDataLoss for lines that are not UTF-8 or without [CLS] or [SEP];
//          kResourceExhausted for more than kMaxTokenId + 1 of them.
StatusOr<std::shared_ptr<const Tokenizer>> ParseVocabTxt(
    std::string_view bytes, bool keep_case, const std::string& name);

// GPT-2's vocab.json and merges.txt, with byte-level pieces and without
// special tokens, as Hugging Face's ByteLevelBPETokenizer.
//
// Errors:  those of ParseTokenizerJson.
StatusOr<std::shared_ptr<const Tokenizer>> ParseVocabJson(
    std::string_view vocab, std::string_view merges, const std::string& name);

}  // namespace penstock
