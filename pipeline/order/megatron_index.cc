#include "pipeline/order/megatron_index.h"

#include <fmt/format.h>

#include <bit>
#include <cassert>
#include <numeric>
#include <random>
#include <utility>

namespace penstock {
namespace {

// From here on NumPy draws 64 bits, and Megatron's indexes are wider.
constexpr uint64_t kMostPlaces = UINT32_MAX - 1;

// As RandomState.shuffle(): numbers are drawn by their low bits until one is in
// range.
void ShuffleAsNumPy(std::mt19937& random, std::span<uint32_t> items) {
  for (size_t i = items.size(); i-- > 1;) {
    const auto mask =
        static_cast<uint32_t>((uint64_t{1} << std::bit_width(i)) - 1);
    uint32_t other = 0;
    do {
      other = static_cast<uint32_t>(random()) & mask;
    } while (other > i);
    std::swap(items[i], items[other]);
  }
}

// [0, count), of which the first `apart` and those behind are shuffled apart.
std::vector<uint32_t> ShuffledNumbers(std::mt19937& random, uint64_t count,
                                      uint64_t apart) {
  std::vector<uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  ShuffleAsNumPy(random, std::span(numbers).first(apart));
  ShuffleAsNumPy(random, std::span(numbers).subspan(apart));
  return numbers;
}

// Behind `count` samples of `length` values, and where each begins. It begins
// in the document that has the last value of the sample before.
std::vector<MegatronIndex::Begin> WalkSamples(
    std::span<const uint32_t> lengths, std::span<const uint32_t> documents,
    uint64_t length, uint64_t count) {
  std::vector<MegatronIndex::Begin> begins;
  begins.reserve(count + 1);
  begins.push_back({});
  uint64_t place = 0;
  uint64_t offset = 0;
  while (begins.size() <= count) {
    uint64_t need = length + 1;
    while (lengths[documents[place]] - offset < need) {
      need -= lengths[documents[place]] - offset;
      ++place;
      offset = 0;
    }
    offset += need - 1;
    begins.push_back(
        {static_cast<uint32_t>(place), static_cast<uint32_t>(offset)});
  }
  return begins;
}

}  // namespace

StatusOr<MegatronIndex> MakeMegatronIndex(std::span<const uint32_t> lengths,
                                          const MegatronOptions& options) {
  assert(options.length > 0);
  const uint64_t values =
      std::accumulate(lengths.begin(), lengths.end(), uint64_t{0});
  const uint64_t length = options.length;
  // Samples that are asked for may go through all documents several times.
  if (values == 0 || (options.samples == 0 && values <= length)) {
    return InvalidArgumentError(fmt::format(
        "the documents have {} values, but one sample takes {}: use a shorter "
        "length, ask for samples, or use more data",
        values, length + 1));
  }
  if (options.samples > kMostPlaces) {
    return InvalidArgumentError(
        fmt::format("{} samples in Megatron's order: the most are {}",
                    options.samples, kMostPlaces));
  }
  MegatronIndex index = {.passes = 1};
  if (options.samples > 0) {
    index.passes = (options.samples * length + values) / values;
  }
  const uint64_t passes = index.passes;
  if (passes > kMostPlaces / lengths.size() ||
      (values - 1) / length > kMostPlaces / passes) {
    return InvalidArgumentError(fmt::format(
        "{} passes over {} documents of {} values in Megatron's order: more "
        "than {} documents or samples in all are not supported",
        passes, lengths.size(), values, kMostPlaces));
  }
  const uint64_t count = (passes * values - 1) / length;
  uint64_t before_last = count;
  if (passes > 1) {
    const uint64_t before = ((passes - 1) * values - 1) / length;
    const auto threshold =
        static_cast<uint64_t>(0.8 * static_cast<double>((values - 1) / length));
    index.last_apart = options.samples < before + threshold;
    if (index.last_apart) before_last = before;
  }
  // One sequence of draws for both indexes, the documents' first.
  std::mt19937 random(options.seed);
  const uint64_t documents = lengths.size();
  index.documents.resize(passes * documents);
  for (uint64_t i = 0; i < index.documents.size(); ++i) {
    index.documents[i] = static_cast<uint32_t>(i % documents);
  }
  const auto first =
      std::span(index.documents)
          .first((passes - (index.last_apart ? 1 : 0)) * documents);
  ShuffleAsNumPy(random, first);
  ShuffleAsNumPy(random, std::span(index.documents).subspan(first.size()));
  index.samples = WalkSamples(lengths, index.documents, length, count);
  index.shuffled = ShuffledNumbers(random, count, before_last);
  return index;
}

}  // namespace penstock
