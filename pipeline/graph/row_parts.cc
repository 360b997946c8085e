#include "pipeline/graph/row_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "pipeline/graph/check_stages.h"
#include "pipeline/graph/derived_parts.h"
#include "pipeline/graph/segment.h"
#include "tokenizer/interface/fingerprint.h"

namespace penstock {
namespace {

StatePart ParsePart(const SourceStages& source, const std::string& of) {
  Fingerprinter parse;
  for (const Feature& feature : source.features) {
    parse.Add(feature.name)
        .Add(static_cast<uint64_t>(feature.type))
        .Add(static_cast<uint64_t>(feature.length))
        .Add(static_cast<uint64_t>(feature.as.value_or(ElementType::kInt32)))
        .Add(feature.optional)
        .Add(static_cast<uint64_t>(feature.encoding));
    AddForm(feature, parse);
  }
  return {"Parse" + of, parse.Finish()};
}

StatePart TokenizePart(const TokenizeStage& tokenize, const std::string& of) {
  const EncodeOptions& encode = tokenize.options.encode;
  Fingerprinter text;
  text.Add(tokenize.tokenizer->Fingerprint())
      .Add(tokenize.options.from)
      .Add(tokenize.options.to)
      .Add(static_cast<uint64_t>(encode.special_text))
      .Add(encode.add_special_tokens);
  if (tokenize.options.as != ElementType::kInt32) {
    text.Add(static_cast<uint64_t>(tokenize.options.as));
  }
  AddForm(TokenizedFeature(tokenize.options), text);
  return {"Tokenize" + of, text.Finish()};
}

uint64_t FingerprintOf(const Stage& view) {
  Fingerprinter hash;
  if (const auto* mix = std::get_if<MixStage>(&view)) {
    hash.Add(static_cast<uint64_t>(mix->options.stop)).Add(mix->options.by);
    for (const double weight : mix->weights) {
      hash.Add(std::bit_cast<uint64_t>(weight));
    }
  } else if (const auto* slice = std::get_if<SliceOptions>(&view)) {
    hash.Add(slice->begin).Add(slice->end);
  }
  return hash.Finish();
}

// The stages of the order, those below first.
class OrderParts {
 public:
  explicit OrderParts(const Stages& stages) : stages_(stages) {
    Walk(*stages.root, /*top=*/true, /*joined=*/false);
  }

  std::vector<StatePart> Take() { return std::move(parts_); }

 private:
  // `joined` is what stands below a Mix or Concat.
  void Walk(const Node& node, bool top, bool joined) {
    const Segment segment = SegmentOf(node);
    const Stage& base = segment.base->stage;
    const bool joins =
        BeginsEpochs(base) && !std::holds_alternative<SliceOptions>(base);
    const size_t first = sources_;
    for (const Node* part : segment.parts) Walk(*part, false, joined || joins);
    joined_ = joined;
    if (BeginsEpochs(segment.base->stage)) {
      Add(ViewName(segment.base->stage), first,
          FingerprintOf(segment.base->stage));
    } else {
      ++sources_;
    }
    if (!segment.excluded.empty()) {
      Fingerprinter hash;
      for (const ExcludeStage* exclude : segment.excluded) {
        for (const uint64_t id : exclude->record_ids) hash.Add(id);
      }
      Add("Exclude", first, hash.Finish());
    }
    if (!segment.splits.empty()) {
      Fingerprinter hash;
      for (const SplitOptions* split : segment.splits) {
        hash.Add(split->seed)
            .Add(std::bit_cast<uint64_t>(split->begin))
            .Add(std::bit_cast<uint64_t>(split->end));
      }
      Add("Split", first, hash.Finish());
    }
    if (segment.shuffle) {
      Fingerprinter hash;
      hash.Add(segment.shuffle->seed).Add(segment.shuffle->window_records);
      // States of before have none.
      const uint64_t blocks = segment.shuffle->block_records;
      if (blocks > 0) hash.Add(blocks);
      Add("Shuffle", first, hash.Finish());
    }
    if (segment.epochs && !top) {
      Add("Repeat", first, Fingerprinter().Add(*segment.epochs).Finish());
    }
  }

  // Over the sources from `first` on.
  void Add(std::string name, size_t first, uint64_t fingerprint) {
    if (sources_ == first + 1) {
      name += OfSource(first, stages_.sources.size());
    } else if (joined_) {  // it may as well be over others beside these
      fingerprint =
          Fingerprinter().Add(fingerprint).Add(first).Add(sources_).Finish();
    }
    AddPart({std::move(name), fingerprint}, parts_);
  }

  const Stages& stages_;
  size_t sources_ = 0;  // that were passed
  bool joined_ = false;
  std::vector<StatePart> parts_;
};

}  // namespace

void AddPart(StatePart part, std::vector<StatePart>& parts) {
  const std::string plain = part.name;
  for (int number = 2;
       std::ranges::find(parts, part.name, &StatePart::name) != parts.end();
       ++number) {
    part.name = fmt::format("{}, number {}", plain, number);
  }
  parts.push_back(std::move(part));
}

std::string OfSource(size_t source, size_t sources) {
  return sources == 1 ? "" : fmt::format(" of source {}", source);
}

std::string OfSide(size_t side) {
  return fmt::format(" of dataset {} of Zip", side);
}

std::vector<StatePart> RowParts(const Stages& stages) {
  const size_t sources = stages.sources.size();
  std::vector<StatePart> parts;
  for (size_t i = 0; i < sources; ++i) {
    const SourceStages& source = stages.sources[i];
    const std::string of = OfSource(i, sources);
    for (size_t side = 0; side < source.sides.size(); ++side) {
      parts.push_back(ParsePart(source.sides[side], OfSide(side) + of));
    }
    if (source.sides.empty()) parts.push_back(ParsePart(source, of));
  }
  for (StatePart& part : OrderParts(stages).Take()) {
    parts.push_back(std::move(part));
  }
  for (size_t i = 0; i < sources; ++i) {
    const SourceStages& source = stages.sources[i];
    const std::string of = OfSource(i, sources);
    for (size_t side = 0; side < source.sides.size(); ++side) {
      const auto& tokenize = source.sides[side].tokenize;
      if (!tokenize) continue;
      parts.push_back(TokenizePart(*tokenize, OfSide(side) + of));
    }
    if (source.tokenize) parts.push_back(TokenizePart(*source.tokenize, of));
  }
  return parts;
}

}  // namespace penstock
