#include "tests/tokenizer/sentencepiece/tiny_sentencepiece.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>

#include "tests/formats/wire/wire_builder.h"
#include "tests/support/status_matchers.h"
#include "tokenizer/sentencepiece/sentencepiece_tokenizer.h"

namespace penstock::testing {
namespace {

using PieceType = SentencePiece::Type;

std::string PieceField(std::string_view text, float score, PieceType type) {
  return Chunk(1, Chunk(1, text) + Fixed32Field(2, FloatBytes(score)) +
                      VarintField(3, static_cast<uint64_t>(type)));
}

std::string Uint32Bytes(uint32_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) {
    bytes.push_back(static_cast<char>(value >> 8 * i));
  }
  return bytes;
}

}  // namespace

std::vector<TinyPiece> TinyPieces() {
  return {{"<unk>", 0, PieceType::kUnknown},
          {"<s>", 0, PieceType::kControl},
          {"</s>", 0, PieceType::kControl},
          {"▁", -2},
          {"a", -3},
          {"b", -3.125},
          {"ab", -4},
          {"▁a", -3.5},
          {"▁ab", -6},
          {"abab", -8.5},
          {"c", -3},
          {"ca", -2.5},
          {"bca", -2.25},
          {"日", -5},
          {"日本", -5.5},
          {"foo", 0, PieceType::kUserDefined},
          {"fo", 0, PieceType::kUserDefined},
          {"d", -1, PieceType::kUnused},
          {"abc", -1, PieceType::kUnused},
          {"▁日", -4},
          {"é", -6},
          {"-", -7}};
}

std::string TinySentencePiece::Bytes() const {
  std::string bytes;
  for (const TinyPiece& piece : pieces) {
    bytes += PieceField(piece.text, piece.score, piece.type);
  }
  for (int byte = 0; byte_fallback && byte < 256; ++byte) {
    bytes += PieceField(fmt::format("<0x{:02X}>", byte), 0, PieceType::kByte);
  }
  std::string trainer = VarintField(3, static_cast<uint64_t>(type)) +
                        VarintField(24, whitespace_is_suffix) +
                        VarintField(35, byte_fallback);
  if (unknown_surface) trainer += Chunk(44, *unknown_surface);
  bytes += Chunk(2, trainer);
  std::string normalizer = VarintField(3, add_dummy_prefix) +
                           VarintField(4, remove_extra_whitespaces) +
                           VarintField(5, escape_whitespaces);
  if (!rules.empty()) normalizer += Chunk(2, TinyCharsmap(rules));
  bytes += Chunk(3, normalizer);
  if (!decoding_rules.empty()) {
    bytes +=
        Chunk(5, Chunk(2, TinyCharsmap(decoding_rules)) + VarintField(3, 0) +
                     VarintField(4, 0) + VarintField(5, 0));
  }
  return bytes;
}

std::string TinyCharsmap(const Rules& rules) {
  struct Node {
    std::map<unsigned char, size_t> children;
    std::optional<uint32_t> value;
  };
  std::vector<Node> nodes(1);
  std::string texts;
  for (const auto& [from, to] : rules) {
    size_t node = 0;
    for (const char c : from) {
      const auto byte = static_cast<unsigned char>(c);
      if (!nodes[node].children.contains(byte)) {
        nodes[node].children[byte] = nodes.size();
        nodes.emplace_back();
      }
      node = nodes[node].children[byte];
    }
    nodes[node].value = static_cast<uint32_t>(texts.size());
    texts.append(to).push_back('\0');
  }
  std::vector<uint32_t> units(256 * (nodes.size() + 1));
  std::vector<uint32_t> places(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto base = static_cast<uint32_t>(256 * (i + 1));
    units[places[i]] |= (places[i] ^ base) << 10;
    if (nodes[i].value) {
      units[places[i]] |= 0x100;
      units[base] = 0x80000000 | *nodes[i].value;
    }
    for (const auto& [byte, child] : nodes[i].children) {
      places[child] = base ^ byte;
      units[places[child]] = byte;
    }
  }
  std::string blob = Uint32Bytes(static_cast<uint32_t>(4 * units.size()));
  for (const uint32_t unit : units) blob += Uint32Bytes(unit);
  return blob + texts;
}

std::shared_ptr<const Tokenizer> ParseTiny(const TinySentencePiece& model,
                                           UnigramRules rules) {
  auto tokenizer =
      SentencePieceTokenizer::Parse(model.Bytes(), "tiny.model", rules);
  EXPECT_OK(tokenizer);
  return tokenizer.ok() ? *tokenizer : nullptr;
}

}  // namespace penstock::testing
