// Any bytes, read as a pair of Megatron-LM's token files: a pair is opened
// where it is as docs/formats/megatron_tokens.md says, and only there, and
// its sequences are then the bytes of the .bin.
//
// Input: two bytes, how long the .bin at the end is; then the .idx.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "formats/tokens/megatron_tokens.h"
#include "tests/support/memory_files.h"

namespace penstock::testing {
namespace {

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "megatron_tokens_fuzz: %s\n", what);
  std::abort();
}

// Takes numbers from the front of an .idx.
class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  T Next() {
    T number = 0;
    good_ = good_ && bytes_.size() >= sizeof number;
    if (!good_) return number;
    std::memcpy(&number, bytes_.data(), sizeof number);
    bytes_.remove_prefix(sizeof number);
    return number;
  }
  bool good() const { return good_; }
  bool at_end() const { return good_ && bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool good_ = true;
};

// Number by number, as the page has the layout.
bool IsPair(std::string_view idx, std::string_view bin) {
  constexpr std::string_view kMagic("MMIDIDX\0\0", 9);
  constexpr uint64_t kSizes[] = {0, 1, 1, 2, 4, 8, 0, 0, 2};
  if (!idx.starts_with(kMagic)) return false;
  Numbers numbers(idx.substr(kMagic.size()));
  if (numbers.Next<uint64_t>() != 1) return false;
  const auto type = numbers.Next<uint8_t>();
  if (type >= std::size(kSizes) || kSizes[type] == 0) return false;
  const auto sequences = numbers.Next<uint64_t>();
  const auto bounds = numbers.Next<uint64_t>();
  std::vector<int32_t> lengths;
  for (uint64_t i = 0; i < sequences && numbers.good(); ++i) {
    lengths.push_back(numbers.Next<int32_t>());
  }
  uint64_t offset = 0;
  for (uint64_t i = 0; i < sequences && numbers.good(); ++i) {
    if (lengths[i] < 0 || numbers.Next<uint64_t>() != offset) return false;
    offset += static_cast<uint64_t>(lengths[i]) * kSizes[type];
  }
  uint64_t last = 0;
  for (uint64_t d = 0; d < bounds && numbers.good(); ++d) {
    const auto bound = numbers.Next<uint64_t>();
    if (d == 0 ? bound != 0 : bound < last) return false;
    last = bound;
  }
  return numbers.at_end() && bounds > 0 && last == sequences &&
         offset == bin.size();
}

void ReadAll(const MegatronTokens& tokens, std::string_view bin) {
  std::string all;
  std::vector<int64_t> values;
  uint64_t count = 0;
  for (uint64_t i = 0; i < tokens.sequences(); ++i) {
    const size_t begin = all.size();
    Require(tokens.Append(i, all).ok(), "a sequence that is there is not read");
    Require(all.size() - begin == tokens.SizeOf(i), "a sequence of other size");
    Require(tokens.Locate(i).ends_with("at offset " + std::to_string(begin)),
            "a sequence elsewhere");
    count += tokens.lengths()[i];
    values.clear();
    AppendTokens(std::string_view(all).substr(begin), tokens.type(), values);
    Require(values.size() == tokens.lengths()[i], "other tokens than lengths");
  }
  Require(all == bin, "other bytes than those of the .bin");
  Require(count * SizeBytes(tokens.type()) == tokens.size_bytes(),
          "other bytes than tokens");
}

}  // namespace
}  // namespace penstock::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace penstock;           // NOLINT(google-build-using-namespace)
  using namespace penstock::testing;  // NOLINT(google-build-using-namespace)
  uint16_t bin_bytes = 0;
  if (size < sizeof bin_bytes) return 0;
  std::memcpy(&bin_bytes, data, sizeof bin_bytes);
  std::string_view idx(reinterpret_cast<const char*>(data), size);
  idx.remove_prefix(sizeof bin_bytes);
  const std::string_view bin =
      idx.substr(idx.size() - std::min<size_t>(idx.size(), bin_bytes));
  idx.remove_suffix(bin.size());
  MemoryFiles files(bin, ".idx", idx);
  const auto tokens = MegatronTokens::Open(files, "a");
  Require(tokens.ok() == IsPair(idx, bin),
          tokens.ok() ? "a pair that is none" : "a pair that is refused");
  if (tokens.ok()) {
    ReadAll(**tokens, bin);
    return 0;
  }
  const std::string message(tokens.status().message());
  Require(message.starts_with("a.idx: ") || message.starts_with("a.bin: "),
          "no file is named");
  return 0;
}
