#include "tests/tokenizer/tiny_vocabulary.h"

#include "tests/support/status_matchers.h"
#include "tokenizer/unicode/byte_alphabet.h"

namespace penstock::testing {

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) {
      bits =
          bits << 8 |
          (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
    }
    for (size_t k = 0; k < 4; ++k) {
      text.push_back(i + k <= bytes.size() ? kDigits[bits >> (18 - 6 * k) & 63]
                                           : '=');
    }
  }
  return text;
}

std::string TinyTiktoken(const std::vector<std::string>& tokens) {
  std::string file;
  size_t rank = 0;
  const auto add = [&](std::string_view token) {
    file += Base64(token) + " " + std::to_string(rank++) + "\n";
  };
  for (int byte = 0; byte < 256; ++byte) {
    add(std::string(1, static_cast<char>(byte)));
  }
  for (const std::string& token : tokens) add(token);
  return file;
}

nlohmann::json TinyJson(const std::vector<std::string>& tokens,
                        const std::vector<std::string>& merges) {
  nlohmann::json vocab = nlohmann::json::object();
  for (int byte = 0; byte < 256; ++byte) {
    vocab[SpellBytes(std::string(1, static_cast<char>(byte)))] = byte;
  }
  for (const std::string& token : tokens) vocab[token] = vocab.size();
  const nlohmann::json byte_level = {{"type", "ByteLevel"},
                                     {"add_prefix_space", false},
                                     {"trim_offsets", true},
                                     {"use_regex", true}};
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", nlohmann::json::array()},
          {"normalizer", nullptr},
          {"pre_tokenizer", byte_level},
          {"post_processor", nullptr},
          {"decoder", byte_level},
          {"model",
           {{"type", "BPE"},
            {"dropout", nullptr},
            {"unk_token", nullptr},
            {"continuing_subword_prefix", nullptr},
            {"end_of_word_suffix", nullptr},
            {"fuse_unk", false},
            {"byte_fallback", false},
            {"ignore_merges", false},
            {"vocab", vocab},
            {"merges", merges}}}};
}

nlohmann::json AddedTokenJson(std::string_view content, TokenId id) {
  return {{"id", id},        {"content", content}, {"single_word", false},
          {"lstrip", false}, {"rstrip", false},    {"normalized", false},
          {"special", true}};
}

std::vector<TokenId> Ids(const Tokenizer& tokenizer, std::string_view text,
                         EncodeOptions options) {
  std::vector<TokenId> ids;
  EXPECT_OK(tokenizer.Encode(text, options, ids));
  return ids;
}

}  // namespace penstock::testing
