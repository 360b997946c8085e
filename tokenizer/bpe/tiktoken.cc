#include "tokenizer/bpe/tiktoken.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/bpe/bpe_tokenizer.h"
#include "tokenizer/patterns/patterns.h"
#include "tokenizer/unicode/base64.h"

namespace penstock {
namespace {

// The longest token of a published file has 128 bytes. Every way to cut a
// token is looked up, so a file of long ones would take for ever.
constexpr size_t kMaxTokenBytes = 1024;

// The start of a line that may be anything, for a message.
std::string Excerpt(std::string_view line) {
  constexpr size_t kShown = 60;
  std::string shown(line.substr(0, kShown));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  return line.size() > kShown ? shown + "..." : shown;
}

struct Line {
  std::string token;
  uint64_t rank = 0;
};

struct NumberedLine {
  Line line;
  size_t number = 0;
};

std::optional<Line> ParseLine(std::string_view line) {
  const size_t space = line.find(' ');
  if (space == 0 || space == std::string_view::npos) return std::nullopt;
  std::optional<std::string> token;
  if (line.substr(0, space) == "=") {
    token.emplace();  // as Python's base64 reads it
  } else {
    token = DecodeBase64(line.substr(0, space));
    if (!token || token->empty()) return std::nullopt;
  }
  const std::string_view number = line.substr(space + 1);
  uint64_t rank = 0;
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), rank);
  if (error != std::errc() || end != number.data() + number.size()) {
    return std::nullopt;
  }
  return Line{*std::move(token), rank};
}

// Made for messages only: a file has many lines.
struct Where {
  const std::string& name;
  size_t line;
};

std::string Spelled(Where where) {
  return fmt::format("{}:{}", where.name, where.line);
}

Status AddLine(const Line& line, Where where, Vocabulary& vocabulary) {
  if (line.token.size() > kMaxTokenBytes) {
    return ResourceExhaustedError(
        fmt::format("{}: a token of {} bytes; the limit is {}", Spelled(where),
                    line.token.size(), kMaxTokenBytes));
  }
  if (line.rank > kMaxTokenId) {
    return ResourceExhaustedError(fmt::format("{}: rank {}; the limit is {}",
                                              Spelled(where), line.rank,
                                              kMaxTokenId));
  }
  const auto rank = static_cast<TokenId>(line.rank);
  // Whisper's multilingual.tiktoken has an empty token, which no text leads to.
  switch (line.token.empty() ? vocabulary.AddForDecoding(rank, {})
                             : vocabulary.Add(rank, line.token)) {
    case Vocabulary::Added::kYes:
      return OkStatus();
    case Vocabulary::Added::kIdTaken:
      return DataLossError(
          fmt::format("{}: rank {} is given twice", Spelled(where), rank));
    case Vocabulary::Added::kBytesTaken:
      break;
  }
  return DataLossError(
      fmt::format("{}: the token of rank {} is also that of rank {}",
                  Spelled(where), rank, *vocabulary.Find(line.token)));
}

Status ParseLines(std::string_view bytes, const std::string& name,
                  Vocabulary& vocabulary) {
  // The published files have 17 bytes to a line.
  vocabulary.Reserve(bytes.size() / 16);
  // Lines wait until the places that they go to are in the cache.
  constexpr size_t kWaiting = 16;
  std::array<NumberedLine, kWaiting> waiting;
  size_t waits = 0;
  const auto add_waiting = [&]() -> Status {
    for (const NumberedLine& line : std::span(waiting).first(waits)) {
      PENSTOCK_RETURN_IF_ERROR(
          AddLine(line.line, {name, line.number}, vocabulary));
    }
    waits = 0;
    return OkStatus();
  };
  for (size_t number = 1; !bytes.empty(); ++number) {
    const size_t newline = bytes.find('\n');
    std::string_view text = bytes.substr(0, newline);
    bytes.remove_prefix(newline == std::string_view::npos ? bytes.size()
                                                          : newline + 1);
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.empty()) continue;
    std::optional<Line> line = ParseLine(text);
    if (!line) {
      PENSTOCK_RETURN_IF_ERROR(add_waiting());
      return DataLossError(fmt::format(
          "{}: expected a token in base64, a space and its rank, found \"{}\"",
          Spelled({name, number}), Excerpt(text)));
    }
    vocabulary.Prefetch(line->token);
    waiting[waits++] = {*std::move(line), number};
    if (waits == kWaiting) PENSTOCK_RETURN_IF_ERROR(add_waiting());
  }
  return add_waiting();
}

Status CheckComplete(const Vocabulary& vocabulary,
                     const std::vector<SpecialToken>& specials,
                     const std::string& name) {
  for (int byte = 0; byte < 256; ++byte) {
    const char spelled = static_cast<char>(byte);
    if (vocabulary.Find({&spelled, 1})) continue;
    return DataLossError(
        fmt::format("{}: no token for the byte 0x{:02X}; is the file complete?",
                    name, byte));
  }
  // p50k_base leaves out the rank that its special token has.
  const auto is_special = [&](TokenId id) {
    return std::any_of(specials.begin(), specials.end(),
                       [&](const auto& token) { return token.id == id; });
  };
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.Has(id) || is_special(id)) continue;
    return DataLossError(fmt::format(
        "{}: no token of rank {}, but one of rank {}; is the file complete?",
        name, id, vocabulary.size() - 1));
  }
  return OkStatus();
}

StatusOr<KnownEncoding> EncodingOf(TiktokenRules& rules,
                                   const std::string& name) {
  KnownEncoding encoding;
  if (!rules.regex.empty()) {
    if (!rules.pattern.empty()) {
      return InvalidArgumentError(
          fmt::format("{}: both a pattern's name and an expression", name));
    }
    auto made = MakeTiktokenPreTokenizer(rules.regex);
    if (!made.ok()) return Annotate(made.status(), name);
    encoding.pretokenizer = *std::move(made);
  } else {
    encoding = EncodingByName(rules.pattern);
    if (encoding.pretokenizer == nullptr) {
      return InvalidArgumentError(
          fmt::format("{}: unknown pattern \"{}\"; give one of {}", name,
                      rules.pattern, fmt::join(PatternNames(), ", ")));
    }
  }
  if (!rules.specials.empty()) encoding.specials = std::move(rules.specials);
  return encoding;
}

Status CheckSpecials(const std::vector<SpecialToken>& specials,
                     const Vocabulary& vocabulary, const std::string& name) {
  std::set<std::string_view> texts;
  std::set<TokenId> ids;
  for (const SpecialToken& token : specials) {
    if (token.text.empty() || token.id > kMaxTokenId ||
        !texts.insert(token.text).second || !ids.insert(token.id).second) {
      return InvalidArgumentError(fmt::format(
          "{}: the special token \"{}\" of id {} is empty, given twice or has "
          "an id above {}",
          name, token.text, token.id, kMaxTokenId));
    }
    if (!vocabulary.Has(token.id)) continue;
    return InvalidArgumentError(fmt::format(
        "{}: rank {} is the special token \"{}\"; give the pattern that the "
        "file was made for",
        name, token.id, token.text));
  }
  return OkStatus();
}

}  // namespace

StatusOr<std::shared_ptr<const Tokenizer>> ParseTiktoken(
    std::string_view bytes, const std::string& name, TiktokenRules rules) {
  PENSTOCK_ASSIGN_OR_RETURN(KnownEncoding encoding, EncodingOf(rules, name));
  BpeParts parts;
  parts.name = name;
  parts.whole_pieces_first = true;
  PENSTOCK_RETURN_IF_ERROR(ParseLines(bytes, name, parts.vocabulary));
  PENSTOCK_RETURN_IF_ERROR(
      CheckSpecials(encoding.specials, parts.vocabulary, name));
  PENSTOCK_RETURN_IF_ERROR(
      CheckComplete(parts.vocabulary, encoding.specials, name));
  parts.pretokenizers.push_back(std::move(encoding.pretokenizer));
  parts.specials = std::move(encoding.specials);
  Bpe bpe = Bpe::FromRanks(parts.vocabulary);
  return std::make_shared<BpeTokenizer>(std::move(parts), std::move(bpe),
                                        EncodingFrame());
}

}  // namespace penstock
