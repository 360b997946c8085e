#include "tools/tokenize/document_ids.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/interface/encoding.h"
#include "tokenizer/interface/sampling.h"
#include "tools/programs/text_input.h"
#include "tools/programs/token_output.h"

namespace penstock {
namespace {

bool OnlyIds(const TokenizeSettings& settings) {
  return settings.counts != nullptr || (!settings.offsets && !settings.json &&
                                        !settings.pairs && settings.batch == 1);
}

Status WriteOut(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size()) {
    return OkStatus();
  }
  return UnavailableError(
      fmt::format("cannot write the output: {}", std::strerror(errno)));
}

StatusOr<std::vector<TokenId>> ParseIds(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<TokenId> ids;
  for (size_t pos = line.find_first_not_of(kBlanks);
       pos != std::string_view::npos;
       pos = line.find_first_not_of(kBlanks, pos)) {
    const std::string_view word =
        line.substr(pos, line.find_first_of(kBlanks, pos) - pos);
    TokenId id = 0;
    const auto [end, error] =
        std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc() || end != word.data() + word.size()) {
      return InvalidArgumentError(
          fmt::format("expected token ids, found \"{}\"", word.substr(0, 40)));
    }
    ids.push_back(id);
    pos += word.size();
  }
  return ids;
}

SpecialText PolicyOf(std::string_view word) {
  if (word == "refuse") return SpecialText::kRefuse;
  return word == "text" ? SpecialText::kAsText : SpecialText::kAllow;
}

EncodeOptions OptionsOf(const TokenizeSettings& settings) {
  return {.special_text = PolicyOf(settings.special),
          .invalid_utf8 = settings.refuse_invalid_utf8
                              ? InvalidUtf8::kRefuse
                              : InvalidUtf8::kAsReference,
          .add_special_tokens = !settings.no_special_tokens};
}

StatusOr<TextPair> PairOf(const TokenizeSettings& settings,
                          std::string_view text) {
  if (!settings.pairs) return TextPair{text};
  const size_t tab = text.find('\t');
  if (tab == std::string_view::npos) {
    return InvalidArgumentError(
        "no tab between the two texts that --pairs asks for");
  }
  return TextPair{text.substr(0, tab), text.substr(tab + 1)};
}

Status WriteIds(const Tokenizer& tokenizer, const TokenizeSettings& settings,
                std::string_view text) {
  std::vector<TokenId> ids;
  std::string line;
  const EncodeOptions options = OptionsOf(settings);
  if (settings.sample) {
    PENSTOCK_RETURN_IF_ERROR(tokenizer.EncodeSampled(text, options,
                                                     {.seed = *settings.sample,
                                                      .alpha = settings.alpha,
                                                      .best = settings.best},
                                                     ids));
    AppendIds(ids, line);
  } else if (settings.best > 0) {
    std::vector<ScoredIds> best;
    PENSTOCK_RETURN_IF_ERROR(
        tokenizer.EncodeBest(text, options, settings.best, best));
    for (const ScoredIds& way : best) {
      fmt::format_to(std::back_inserter(line), "{}\t", way.score);
      AppendIds(way.ids, line);
    }
  } else {
    PENSTOCK_RETURN_IF_ERROR(tokenizer.Encode(text, options, ids));
    if (settings.counts != nullptr) {
      settings.counts->Add(ids);
    } else {
      AppendIds(ids, line);
    }
  }
  return WriteOut(line);
}

// Texts that are padded together.
class Batch {
 public:
  Batch(const Tokenizer& tokenizer, const TokenizeSettings& settings)
      : tokenizer_(tokenizer), settings_(settings) {}

  Status Add(std::string_view text) {
    texts_.emplace_back(text);
    return texts_.size() < settings_.batch ? OkStatus() : Write();
  }

  Status Write() {
    std::vector<TextPair> pairs;
    for (const std::string& text : texts_) {
      PENSTOCK_ASSIGN_OR_RETURN(const TextPair pair, PairOf(settings_, text));
      pairs.push_back(pair);
    }
    PENSTOCK_ASSIGN_OR_RETURN(const std::vector<Encoding> encodings,
                              EncodeFully(tokenizer_, pairs,
                                          {.encode = OptionsOf(settings_),
                                           .keep_overflow = settings_.json}));
    std::string lines;
    for (const Encoding& encoding : encodings) {
      if (settings_.json) {
        AppendJson(tokenizer_, encoding, lines);
      } else if (settings_.offsets) {
        AppendOrigins(encoding.ids, encoding.origins, lines);
      } else {
        AppendIds(encoding.ids, lines);
      }
    }
    texts_.clear();
    return WriteOut(lines);
  }

 private:
  const Tokenizer& tokenizer_;
  const TokenizeSettings& settings_;
  std::vector<std::string> texts_;
};

Status DecodeLine(const Tokenizer& tokenizer, const TokenizeSettings& settings,
                  std::string_view line) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<TokenId> ids, ParseIds(line));
  std::string text;
  PENSTOCK_RETURN_IF_ERROR(tokenizer.Decode(
      ids, {.skip_special_tokens = settings.no_special_tokens}, text));
  if (settings.null_separated) text.push_back('\0');
  return WriteOut(text);
}

}  // namespace

Status TokenizeFile(const Tokenizer& tokenizer,
                    const TokenizeSettings& settings, const std::string& path) {
  size_t number = 0;
  Batch batch(tokenizer, settings);
  const auto named = [&](Status status) {
    if (status.ok()) return status;
    return Annotate(
        status, fmt::format("{}: {} {}", path == "-" ? "standard input" : path,
                            settings.decode ? "line" : "document", number));
  };
  const auto each = [&](std::string_view document) {
    ++number;
    if (settings.decode)
      return named(DecodeLine(tokenizer, settings, document));
    if (OnlyIds(settings))
      return named(WriteIds(tokenizer, settings, document));
    return named(batch.Add(document));
  };
  if (settings.decode) return ReadSeparated(path, '\n', each);
  PENSTOCK_RETURN_IF_ERROR(settings.null_separated
                               ? ReadSeparated(path, '\0', each)
                               : ReadWhole(path, each));
  return named(batch.Write());
}

}  // namespace penstock
