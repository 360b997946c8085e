#include "tokenizer/files/vocabulary_files.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/files/json_object.h"
#include "tokenizer/files/json_pipeline.h"
#include "tokenizer/files/json_spelling.h"
#include "tokenizer/files/tokenizer_json.h"
#include "tokenizer/models/wordpiece.h"
#include "tokenizer/unicode/hf_unicode.h"
#include "tokenizer/unicode/valid_utf8.h"
#include "tokenizer/vocabulary/vocabulary.h"

namespace penstock {
namespace {

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string_view WithoutSpacesBehind(std::string_view line) {
  while (!line.empty()) {
    const size_t last = PreviousChar(line, line.size());
    size_t pos = last;
    if (!(hf_unicode::BitsOf(NextChar(line, pos)) & hf_unicode::kSpace)) break;
    line = line.substr(0, last);
  }
  return line;
}

// Of lines that are alike the last counts.
StatusOr<Vocabulary> VocabularyOf(std::string_view text,
                                  const std::string& name) {
  const std::vector<std::string_view> lines = LinesOf(text);
  if (lines.size() > size_t{kMaxTokenId} + 1) {
    return ResourceExhaustedError(fmt::format(
        "{}: {} lines; the limit is {}", name, lines.size(), kMaxTokenId + 1));
  }
  Vocabulary vocabulary;
  vocabulary.Reserve(lines.size());
  for (size_t i = lines.size(); i-- > 0;) {
    vocabulary.Add(static_cast<TokenId>(i), WithoutSpacesBehind(lines[i]));
  }
  return vocabulary;
}

// What stands around the vocabulary, which has [CLS] and [SEP], as the file of
// Hugging Face tokenizers says it.
std::string BertOutline(const Vocabulary& vocabulary, bool keep_case) {
  std::string added;
  for (const char* special : {"[UNK]", "[SEP]", "[CLS]", "[PAD]", "[MASK]"}) {
    const auto id = vocabulary.Find(special);
    if (!id) continue;
    added += fmt::format(
        R"({}{{"id":{},"content":"{}","single_word":false,"lstrip":false,)"
        R"("rstrip":false,"normalized":false,"special":true}})",
        added.empty() ? "" : ",", *id, special);
  }
  return fmt::format(
      R"({{"version":"1.0","added_tokens":[{}],"normalizer":{{)"
      R"("type":"BertNormalizer","clean_text":true,)"
      R"("handle_chinese_chars":true,"strip_accents":null,"lowercase":{}}})"
      R"(,"pre_tokenizer":{{"type":"BertPreTokenizer"}},)"
      R"("post_processor":{{"type":"BertProcessing","sep":["[SEP]",{}],)"
      R"("cls":["[CLS]",{}]}},"decoder":{{"type":"WordPiece",)"
      R"("prefix":"##","cleanup":true}},"model":{{"type":"WordPiece",)"
      R"("unk_token":"[UNK]","continuing_subword_prefix":"##",)"
      R"("max_input_chars_per_word":100,"vocab":[]}}}})",
      added, !keep_case, *vocabulary.Find("[SEP]"), *vocabulary.Find("[CLS]"));
}

}  // namespace

StatusOr<std::shared_ptr<const Tokenizer>> ParseVocabTxt(
    std::string_view bytes, bool keep_case, const std::string& name) {
  if (!IsValidUtf8(bytes)) {
    return DataLossError(fmt::format("{}: not UTF-8", name));
  }
  PENSTOCK_ASSIGN_OR_RETURN(Vocabulary vocabulary, VocabularyOf(bytes, name));
  for (const char* needed : {"[CLS]", "[SEP]"}) {
    if (!vocabulary.Find(needed)) {
      return DataLossError(fmt::format("{}: no line is \"{}\"", name, needed));
    }
  }
  const std::string outline = BertOutline(vocabulary, keep_case);
  auto model = WordPiece::Make(std::move(vocabulary), {});
  if (!model.ok()) return Annotate(model.status(), name);
  simdjson::dom::parser parser;
  PENSTOCK_ASSIGN_OR_RETURN(const auto document,
                            ParseJson(outline, name, parser));
  PENSTOCK_ASSIGN_OR_RETURN(const JsonObject root,
                            JsonObject::Of(document, ""));
  std::vector<std::string> warnings;  // of ids that are not the model's
  return ReadComponents(root, name, {}, warnings, {.model = *std::move(model)});
}

StatusOr<std::shared_ptr<const Tokenizer>> ParseVocabJson(
    std::string_view vocab, std::string_view merges, const std::string& name) {
  if (!IsValidUtf8(merges)) {
    return DataLossError(fmt::format("{}: its merges are not UTF-8", name));
  }
  std::string listed;
  for (std::string_view line : LinesOf(merges)) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with("#version")) continue;
    if (!listed.empty()) listed += ',';
    AppendJsonString(line, listed);
  }
  return ParseTokenizerJson(
      fmt::format(R"({{"version":"1.0","added_tokens":[],"pre_tokenizer":{{)"
                  R"("type":"ByteLevel","add_prefix_space":false,)"
                  R"("trim_offsets":true}},"decoder":{{"type":"ByteLevel",)"
                  R"("add_prefix_space":true,"trim_offsets":true}},"model":{{)"
                  R"("type":"BPE","vocab":{},"merges":[{}]}}}})",
                  vocab, listed),
      name);
}

}  // namespace penstock
