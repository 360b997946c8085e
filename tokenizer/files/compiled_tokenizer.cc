#include "tokenizer/files/compiled_tokenizer.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "tokenizer/components/component_tokenizer.h"
#include "tokenizer/files/json_object.h"
#include "tokenizer/files/json_pipeline.h"
#include "tokenizer/interface/fingerprint.h"
#include "tokenizer/normalizers/text_normalizers.h"
#include "tokenizer/patterns/character_pretokenizer.h"
#include "tokenizer/patterns/patterns.h"
#include "tokenizer/patterns/regex_pretokenizer.h"
#include "tokenizer/sentencepiece/sentencepiece_tokenizer.h"
#include "tokenizer/unicode/unicode_data.h"

namespace penstock {
namespace {

// What a pre-tokenizer is made of again: a name, an expression, or a kind of
// characters.
struct Cutter {
  enum class Kind : uint64_t { kScanner, kRegex, kCharacters };
  Kind kind = Kind::kScanner;
  uint64_t rules = 0;  // of an expression, or how characters are cut out
  std::string_view text = "";

  // Null where it cannot be made.
  std::unique_ptr<const PreTokenizer> Make() const {
    switch (kind) {
      case Kind::kScanner:
        return ScannerByName(text);
      case Kind::kRegex: {
        auto made =
            RegexPreTokenizer::Make(text, static_cast<RegexRules>(rules));
        return made.ok() ? *std::move(made) : nullptr;
      }
      case Kind::kCharacters:
        return std::make_unique<CharacterPreTokenizer>(
            static_cast<CharacterPreTokenizer::Kind>(rules / kRuns),
            static_cast<CharacterPreTokenizer::Runs>(rules % kRuns));
    }
    return nullptr;
  }
  static constexpr uint64_t kRuns = 2;  // of CharacterPreTokenizer::Runs
};

Cutter CutterOf(const PreTokenizer& pretokenizer) {
  if (const auto* const regex =
          dynamic_cast<const RegexPreTokenizer*>(&pretokenizer)) {
    return {Cutter::Kind::kRegex, static_cast<uint64_t>(regex->rules()),
            regex->regex()};
  }
  if (const auto* const characters =
          dynamic_cast<const CharacterPreTokenizer*>(&pretokenizer)) {
    return {Cutter::Kind::kCharacters,
            static_cast<uint64_t>(characters->kind()) * Cutter::kRuns +
                static_cast<uint64_t>(characters->runs())};
  }
  return {.kind = Cutter::Kind::kScanner, .text = pretokenizer.name()};
}

void SaveCutters(const PreTokenizers& pretokenizers, TableWriter& to) {
  to.PutNumber(pretokenizers.size());
  for (const auto& pretokenizer : pretokenizers) {
    const Cutter cutter = CutterOf(*pretokenizer);
    to.PutNumber(static_cast<uint64_t>(cutter.kind));
    to.PutNumber(cutter.rules);
    to.PutText(cutter.text);
  }
}

PreTokenizers LoadCutters(TableReader& from) {
  PreTokenizers pretokenizers;
  for (uint64_t left = from.Number(); left > 0 && from.ok(); --left) {
    Cutter cutter{static_cast<Cutter::Kind>(from.Number())};
    cutter.rules = from.Number();
    cutter.text = from.Text();
    if (!from.ok()) break;
    pretokenizers.push_back(cutter.Make());
    from.Expect(pretokenizers.back() != nullptr);
  }
  return pretokenizers;
}

// Of the one normalizer that byte-level BPE has.
uint64_t NfcPrint() { return Fingerprinter().Add("NFC").Finish(); }

bool HasForm(const BpeTokenizer& tokenizer) {
  const BpeParts& parts = tokenizer.parts();
  const PreTokenizers& cutters = parts.pretokenizers;
  return tokenizer.bpe().CanSave() &&
         (parts.normalizer == nullptr ||
          parts.normalizer_print == NfcPrint()) &&
         std::all_of(cutters.begin(), cutters.end(), [](const auto& cutter) {
           return CutterOf(*cutter).Make() != nullptr;
         });
}

void SaveParts(const BpeParts& parts, TableWriter& to) {
  to.PutNumber(static_cast<uint64_t>(parts.spelling));
  to.PutNumber(parts.merges_fingerprint);
  to.PutNumber(parts.whole_pieces_first);
  to.PutNumber(parts.dropout.has_value());
  to.PutNumber(std::bit_cast<uint64_t>(parts.dropout.value_or(0)));
  to.PutNumber(parts.normalizer != nullptr);
  SaveCutters(parts.pretokenizers, to);
  to.PutNumber(parts.add_prefix_space);
  to.PutNumber(parts.specials.size());
  for (const SpecialToken& token : parts.specials) {
    to.PutText(token.text);
    to.PutNumber(token.id);
    to.PutNumber(token.special);
    to.PutNumber(token.normalized);
    to.PutNumber(token.in_text);
    to.PutNumber(token.single_word);
    to.PutNumber(token.strip_left);
    to.PutNumber(token.strip_right);
  }
  to.PutNumber(parts.plain_ids.size());
  for (const auto& [text, id] : parts.plain_ids) {
    to.PutText(text);
    to.PutNumber(id);
  }
  parts.vocabulary.Save(to);
}

BpeParts LoadParts(TableReader& from) {
  BpeParts parts;
  parts.spelling = static_cast<Spelling>(from.Number());
  parts.merges_fingerprint = from.Number();
  parts.whole_pieces_first = from.Number() != 0;
  const bool has_dropout = from.Number() != 0;
  const auto dropout = std::bit_cast<double>(from.Number());
  if (has_dropout) parts.dropout = dropout;
  if (from.Number() != 0) {
    parts.normalizer =
        std::make_unique<UnicodeNormalizer>(NormalizationForm::kNfc);
    parts.normalizer_print = NfcPrint();
  }
  parts.pretokenizers = LoadCutters(from);
  parts.add_prefix_space = from.Number() != 0;
  for (uint64_t left = from.Number(); left > 0 && from.ok(); --left) {
    SpecialToken token{.text = std::string(from.Text())};
    token.id = static_cast<TokenId>(from.Number());
    token.special = from.Number() != 0;
    token.normalized = from.Number() != 0;
    token.in_text = from.Number() != 0;
    token.single_word = from.Number() != 0;
    token.strip_left = from.Number() != 0;
    token.strip_right = from.Number() != 0;
    parts.specials.push_back(std::move(token));
  }
  for (uint64_t left = from.Number(); left > 0 && from.ok(); --left) {
    const std::string_view text = from.Text();
    parts.plain_ids.emplace(text, static_cast<TokenId>(from.Number()));
  }
  parts.vocabulary = Vocabulary::Load(from);
  return parts;
}

void SaveBpe(const BpeTokenizer& bpe, TableWriter& soon, TableWriter& later) {
  soon.PutNumber(bpe.Fingerprint());
  SaveFrame(bpe.frame(), soon);
  SaveParts(bpe.parts(), soon);
  bpe.bpe().Save(soon, later);
}

std::shared_ptr<const Tokenizer> LoadBpe(TableReader& from,
                                         const std::string& name,
                                         const CompiledFile& file) {
  const uint64_t fingerprint = from.Number();
  EncodingFrame frame = LoadFrame(from);
  BpeParts parts = LoadParts(from);
  if (!from.ok()) return nullptr;
  parts.name = name;
  Bpe bpe = Bpe::Load(parts.vocabulary, from, file.later, file.later_checksum);
  if (!from.ok()) return nullptr;
  return std::make_shared<BpeTokenizer>(std::move(parts), std::move(bpe),
                                        std::move(frame), fingerprint,
                                        file.bytes);
}

void SaveComponents(const ComponentTokenizer& tokenizer, TableWriter& to) {
  to.PutText(tokenizer.parts().outline);
  to.PutNumber(tokenizer.Fingerprint());
  tokenizer.parts().model->Save(to);
}

std::shared_ptr<const Tokenizer> LoadComponents(TableReader& from,
                                                const std::string& name,
                                                const CompiledFile& file) {
  simdjson::dom::parser parser;
  const auto document = ParseJson(from.Text(), name, parser);
  if (!document.ok()) return nullptr;
  const auto outline = JsonObject::Of(*document, "");
  if (!outline.ok()) return nullptr;
  MadeModel made = {.model = nullptr, .tables = file.bytes};
  made.fingerprint = from.Number();
  const auto options = outline->Object("model");
  if (!options.ok()) return nullptr;
  auto model = ReadTokenModel(*options, &from);
  if (!model.ok() || !from.ok()) return nullptr;
  made.model = *std::move(model);
  std::vector<std::string> told_before;
  // What the source has and was not asked for is not in its outline.
  auto tokenizer =
      ReadComponents(*outline, name, {}, told_before, std::move(made));
  return tokenizer.ok() ? *std::move(tokenizer) : nullptr;
}

// What a compiled file is of.
enum class Compiled : uint64_t { kNone, kBpe, kSentencePiece, kComponents };

Compiled KindOf(const Tokenizer& tokenizer) {
  if (const auto* const bpe = dynamic_cast<const BpeTokenizer*>(&tokenizer)) {
    return HasForm(*bpe) ? Compiled::kBpe : Compiled::kNone;
  }
  if (dynamic_cast<const SentencePieceTokenizer*>(&tokenizer) != nullptr) {
    return Compiled::kSentencePiece;
  }
  const auto* const components =
      dynamic_cast<const ComponentTokenizer*>(&tokenizer);
  return components != nullptr ? Compiled::kComponents : Compiled::kNone;
}

}  // namespace

bool CompileTokenizer(const Tokenizer& tokenizer, const CompiledNotes& notes,
                      TableWriter& soon, TableWriter& later) {
  const Compiled kind = KindOf(tokenizer);
  if (kind == Compiled::kNone) return false;
  soon.PutText(kUnicodeVersion);
  soon.PutText(notes.settings);
  soon.PutNumber(notes.warnings.size());
  for (const std::string& warning : notes.warnings) soon.PutText(warning);
  soon.PutNumber(static_cast<uint64_t>(kind));
  if (kind == Compiled::kBpe) {
    SaveBpe(static_cast<const BpeTokenizer&>(tokenizer), soon, later);
  } else if (kind == Compiled::kSentencePiece) {
    static_cast<const SentencePieceTokenizer&>(tokenizer).Save(soon);
  } else {
    SaveComponents(static_cast<const ComponentTokenizer&>(tokenizer), soon);
  }
  return true;
}

std::shared_ptr<const Tokenizer> TokenizerOfCompiled(
    const CompiledFile& file, const std::string& name,
    std::string_view settings, std::vector<std::string>& warnings) {
  TableReader from(file.soon);
  if (from.Text() != kUnicodeVersion || from.Text() != settings) return nullptr;
  warnings.clear();
  for (uint64_t left = from.Number(); left > 0 && from.ok(); --left) {
    warnings.emplace_back(from.Text());
  }
  switch (static_cast<Compiled>(from.Number())) {
    case Compiled::kBpe:
      return LoadBpe(from, name, file);
    case Compiled::kSentencePiece:
      return SentencePieceTokenizer::Load(from, name, file.bytes);
    case Compiled::kComponents:
      return LoadComponents(from, name, file);
    case Compiled::kNone:
      break;
  }
  return nullptr;
}

}  // namespace penstock
