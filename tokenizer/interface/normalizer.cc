#include "tokenizer/interface/normalizer.h"

#include <fmt/format.h>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

Status InNormalizer(const Status& status, size_t i) {
  return status.ok() ? status
                     : Annotate(status, fmt::format("normalizers[{}]", i));
}

}  // namespace

Status Normalizer::Normalize(AlignedText& text) const {
  PENSTOCK_RETURN_IF_ERROR(Edit(text));
  return CheckEdits(text);
}

Status Normalizer::NormalizeLater(AlignedText& text) const {
  PENSTOCK_RETURN_IF_ERROR(EditLater(text));
  return CheckEdits(text);
}

Status NormalizerSequence::Edit(AlignedText& text) const {
  for (size_t i = 0; i < steps_.size(); ++i) {
    PENSTOCK_RETURN_IF_ERROR(InNormalizer(steps_[i]->Normalize(text), i));
  }
  return OkStatus();
}

Status NormalizerSequence::EditLater(AlignedText& text) const {
  for (size_t i = 0; i < steps_.size(); ++i) {
    PENSTOCK_RETURN_IF_ERROR(InNormalizer(steps_[i]->NormalizeLater(text), i));
  }
  return OkStatus();
}

}  // namespace penstock
