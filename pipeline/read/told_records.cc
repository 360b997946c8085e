#include "pipeline/read/told_records.h"

#include <fmt/format.h>

namespace penstock {
namespace {

constexpr uint64_t kEndsUnit = 1;
constexpr uint64_t kFailed = 2;

void PutNumber(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) {
    out.push_back(static_cast<char>(value | 0x80));
  }
  out.push_back(static_cast<char>(value));
}

bool TakeNumber(std::string_view& bytes, uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool TakeRuns(uint32_t hosts, std::string_view& bytes, ToldRecords& told) {
  uint64_t runs = 0;
  if (!TakeNumber(bytes, runs) || runs > bytes.size()) return false;
  uint64_t records = 0;
  for (; runs > 0; --runs) {
    uint64_t host = 0;
    uint64_t of_run = 0;
    if (!TakeNumber(bytes, host) || !TakeNumber(bytes, of_run)) return false;
    if (host >= hosts || of_run > bytes.size()) return false;
    records += of_run;
    told.runs.push_back(
        {static_cast<uint32_t>(host), static_cast<uint32_t>(of_run)});
  }
  if (records > bytes.size()) return false;
  told.sizes.resize(records);
  for (uint64_t& size : told.sizes) {
    if (!TakeNumber(bytes, size)) return false;
  }
  return true;
}

}  // namespace

void WriteTold(const ToldRecords& told, std::string& out) {
  PutNumber(told.epoch, out);
  PutNumber(told.unit, out);
  PutNumber((told.ends_unit ? kEndsUnit : 0) | (told.failed ? kFailed : 0),
            out);
  PutNumber(told.runs.size(), out);
  for (const ToldRun& run : told.runs) {
    PutNumber(run.host, out);
    PutNumber(run.records, out);
  }
  for (const uint64_t size : told.sizes) PutNumber(size, out);
}

Status ReadTold(uint32_t from, uint32_t hosts, std::string_view& bytes,
                ToldRecords& told) {
  uint64_t flags = 0;
  const bool read = TakeNumber(bytes, told.epoch) &&
                    TakeNumber(bytes, told.unit) && TakeNumber(bytes, flags) &&
                    TakeRuns(hosts, bytes, told);
  if (!read) {
    return InternalError(
        fmt::format("what host {} tells of its files is cut off", from));
  }
  told.ends_unit = (flags & kEndsUnit) != 0;
  told.failed = (flags & kFailed) != 0;
  return OkStatus();
}

}  // namespace penstock
