#include "tokenizer/components/component_cutters.h"

#include <cstdint>

#include "tokenizer/splitters/space_cutter.h"
#include "tokenizer/splitters/word_cutter.h"

namespace penstock {

std::unique_ptr<const RawCutter> CutterFor(const TokenizerComponents& parts) {
  const Splitter* const splitter = parts.splitter.get();
  if (splitter == nullptr) return nullptr;
  // These are looked for in what becomes of a part.
  const bool has_normalized =
      parts.added_tokens.Has(AddedTokens::Pass::kNormalized);
  if (has_normalized && !parts.added_tokens.StopAtSpaces()) return nullptr;
  const auto breaks = parts.normalizer == nullptr
                          ? Normalizer::Breaks::kPunctuation
                          : parts.normalizer->breaks();
  if (breaks != Normalizer::Breaks::kNone && splitter->CutsAtPunctuation() &&
      !has_normalized) {
    return std::make_unique<WordCutter>(breaks);
  }
  if (!splitter->CutsAtSpaces()) return nullptr;
  auto cutter = std::make_unique<SpaceCutter>(
      parts.normalizer.get(), [=](uint32_t, uint32_t space) {
        return space == ' ' ||
               (space == splitter->OtherSpace() && !has_normalized);
      });
  if (!cutter->CutsWords()) return nullptr;
  return cutter;
}

std::unique_ptr<const RawCutter> CutterInside(
    const TokenizerComponents& parts) {
  if (parts.added_tokens.Has(AddedTokens::Pass::kNormalized)) return nullptr;
  const Splitter* const splitter = parts.splitter.get();
  const TokenModel& model = *parts.model;
  const auto stays_apart = [splitter, &model](uint32_t c, uint32_t space) {
    if (splitter != nullptr) space = splitter->SpaceInside(space);
    return space != 0 && model.StayApart(c, space);
  };
  auto cutter = std::make_unique<SpaceCutter>(
      parts.normalizer.get(), [stays_apart](uint32_t c, uint32_t space) {
        return stays_apart(c, space) && stays_apart(c, ' ');
      });
  if (!cutter->CutsWords()) return nullptr;
  return cutter;
}

std::optional<ByteReplacement> ReplacementIn(const TokenizerComponents& parts) {
  if (!parts.model->EncodesBetween() ||
      parts.added_tokens.Has(AddedTokens::Pass::kNormalized)) {
    return std::nullopt;
  }
  const std::optional<ByteReplacement> replacement =
      parts.normalizer == nullptr ? ByteReplacement(' ', " ")
                                  : parts.normalizer->OneByte();
  if (!replacement || parts.splitter == nullptr) return replacement;
  const bool has_spaces = replacement->byte() != ' ' ||
                          replacement->by().find(' ') != std::string_view::npos;
  if (has_spaces || !parts.splitter->CutsAtSpacesAlone()) return std::nullopt;
  return replacement;
}

}  // namespace penstock
