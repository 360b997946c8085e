#include "tokenizer/interface/batch_parts.h"

#include <algorithm>
#include <functional>
#include <new>
#include <numeric>

#include "formats/memory/huge_pages.h"

namespace penstock {
namespace {

// SafeCut of `text`, the first `looked` bytes of which have no such place.
size_t SafeCutBehind(const Tokenizer& tokenizer, std::string_view text,
                     size_t looked) {
  // SafeCut may look at so many bytes on either side of a place, and at more
  // before it.
  constexpr size_t kBeside = 16;
  if (looked < kBeside) return tokenizer.SafeCut(text);
  const size_t from = looked - kBeside;
  const size_t cut = tokenizer.SafeCut(text.substr(from));
  if (cut == 0) return 0;
  return tokenizer.SafeCut(text.substr(0, from + cut + kBeside));
}

}  // namespace

BatchParts::BatchParts(const Tokenizer& tokenizer,
                       std::span<const std::string_view> texts,
                       EncodeOptions options)
    : tokenizer_(tokenizer),
      options_(options),
      affixes_(AffixesOf(tokenizer.frame())) {
  size_t waiting = 0;  // bytes that are in no job yet
  for (size_t t = 0; t < texts.size(); ++t) {
    const size_t first = parts_.size();
    Cut(texts[t], t);
    for (size_t i = first; i < parts_.size(); ++i) {
      waiting += parts_[i].bytes.size();
      if (waiting < kJobBytes / 2) continue;
      job_ends_.push_back(i + 1);
      waiting = 0;
    }
  }
  if (job_ends_.empty() || job_ends_.back() < parts_.size()) {
    job_ends_.push_back(parts_.size());
  }
}

void BatchParts::Cut(std::string_view text, size_t number) {
  bool begins = true;
  if (affixes_) {
    // Where none is found, as much again is looked at.
    size_t looked = 0;
    for (size_t size = kJobBytes; size < text.size();) {
      const size_t cut =
          SafeCutBehind(tokenizer_, text.substr(0, size), looked);
      if (cut == 0) {
        looked = size;
        size *= 2;
        continue;
      }
      parts_.push_back({text.substr(0, cut), number, begins, false});
      text.remove_prefix(cut);
      begins = false;
      size = kJobBytes;
      looked = 0;
    }
  }
  parts_.push_back({text, number, begins, true});
}

std::span<const TextPart> BatchParts::OfJob(size_t job) const {
  const size_t begin = job == 0 ? 0 : job_ends_[job - 1];
  return std::span(parts_).subspan(begin, job_ends_[job] - begin);
}

std::vector<size_t> BatchParts::LongestFirst() const {
  std::vector<size_t> jobs(this->jobs());
  std::iota(jobs.begin(), jobs.end(), size_t{0});
  std::ranges::stable_sort(jobs, std::greater(), [&](size_t job) {
    size_t bytes = 0;
    for (const TextPart& part : OfJob(job)) bytes += part.bytes.size();
    return bytes > 2 * kJobBytes ? bytes : 0;  // others are alike
  });
  return jobs;
}

Status BatchParts::Encode(const TextPart& part,
                          std::vector<TokenId>& ids) const {
  if (part.is_whole()) return tokenizer_.Encode(part.bytes, options_, ids);
  EncodeOptions bare = options_;
  bare.add_special_tokens = false;
  bare.begins_text &= part.begins;
  const auto put = [&](const std::vector<TokenId>& around) {
    if (!options_.add_special_tokens) return;
    ids.insert(ids.end(), around.begin(), around.end());
  };
  if (part.begins) put(affixes_->before);
  PENSTOCK_RETURN_IF_ERROR(tokenizer_.Encode(part.bytes, bare, ids));
  if (part.ends) put(affixes_->after);
  return OkStatus();
}

RoomForIds::RoomForIds(std::span<const std::string_view> texts,
                       std::vector<TokenId>& ids)
    : ids_(ids), first_(ids.size()) {
  for (const std::string_view text : texts) all_bytes_ += text.size();
}

void RoomForIds::Encoded(size_t bytes) {
  done_bytes_ += bytes;
  if (done_bytes_ < look_at_) return;
  look_at_ = done_bytes_ * 2;
  const double all =
      static_cast<double>(ids_.size() - first_) / done_bytes_ * all_bytes_;
  if (first_ + all <= ids_.capacity()) return;
  // Texts differ, and batches may follow; what is never written to takes no
  // memory.
  constexpr size_t kSpare = 2;
  try {
    ids_.reserve(std::max(first_ + kSpare * static_cast<size_t>(all),
                          kSpare * ids_.capacity()));
    PreferHugePages(ids_.data(), ids_.capacity() * sizeof(TokenId));
  } catch (const std::bad_alloc&) {
    // What they come to in the end may still be had.
  }
}

}  // namespace penstock
