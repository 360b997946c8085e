#include "tokenizer/files/vocabulary_files.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/files/tokenizer_json.h"
#include "tokenizer/unicode/hf_unicode.h"
#include "tokenizer/unicode/valid_utf8.h"

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

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20) {
      quoted += fmt::format("\\u{:04x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace

StatusOr<std::shared_ptr<const Tokenizer>> ParseVocabTxt(
    std::string_view bytes, bool keep_case, const std::string& name) {
  if (!IsValidUtf8(bytes)) {
    return DataLossError(fmt::format("{}: not UTF-8", name));
  }
  std::map<std::string_view, size_t> ids;
  size_t count = 0;
  for (const std::string_view line : LinesOf(bytes)) {
    ids[WithoutSpacesBehind(line)] = count++;
  }
  for (const char* needed : {"[CLS]", "[SEP]"}) {
    if (!ids.contains(needed)) {
      return DataLossError(fmt::format("{}: no line is \"{}\"", name, needed));
    }
  }
  std::string vocab, added;
  for (const auto& [token, id] : ids) {
    vocab +=
        fmt::format("{}{}:{}", vocab.empty() ? "" : ",", Quoted(token), id);
  }
  for (const char* special : {"[UNK]", "[SEP]", "[CLS]", "[PAD]", "[MASK]"}) {
    if (!ids.contains(special)) continue;
    added += fmt::format(
        R"({}{{"id":{},"content":"{}","single_word":false,"lstrip":false,)"
        R"("rstrip":false,"normalized":false,"special":true}})",
        added.empty() ? "" : ",", ids[special], special);
  }
  return ParseTokenizerJson(
      fmt::format(
          R"({{"version":"1.0","added_tokens":[{}],"normalizer":{{)"
          R"("type":"BertNormalizer","clean_text":true,)"
          R"("handle_chinese_chars":true,"strip_accents":null,"lowercase":{}}})"
          R"(,"pre_tokenizer":{{"type":"BertPreTokenizer"}},)"
          R"("post_processor":{{"type":"BertProcessing","sep":["[SEP]",{}],)"
          R"("cls":["[CLS]",{}]}},"decoder":{{"type":"WordPiece",)"
          R"("prefix":"##","cleanup":true}},"model":{{"type":"WordPiece",)"
          R"("unk_token":"[UNK]","continuing_subword_prefix":"##",)"
          R"("max_input_chars_per_word":100,"vocab":{{{}}}}}}})",
          added, !keep_case, ids["[SEP]"], ids["[CLS]"], vocab),
      name);
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
    listed += fmt::format("{}{}", listed.empty() ? "" : ",", Quoted(line));
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
