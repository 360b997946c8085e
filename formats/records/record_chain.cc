#include "formats/records/record_chain.h"

#include <bit>
#include <cstring>

#include "formats/files/crc32c.h"

namespace penstock {

static_assert(std::endian::native == std::endian::little);

void RecordChain::Add(std::string_view record) {
  AddStored(MaskCrc32c(Crc32c(record)));
}

void RecordChain::AddStored(uint32_t masked_crc32c) {
  char bytes[sizeof(masked_crc32c)];
  std::memcpy(bytes, &masked_crc32c, sizeof(bytes));
  value_ = ExtendCrc32c(value_, {bytes, sizeof(bytes)});
  ++records_;
}

void RecordChain::Append(const RecordChain& behind) {
  value_ =
      JoinCrc32c(value_, behind.value_, behind.records_ * sizeof(uint32_t));
  records_ += behind.records_;
}

}  // namespace penstock
