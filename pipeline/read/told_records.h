// What the host that reads a file tells the others of its records.
//
// On the wire, for each ToldRecords: varints epoch, unit, flags, number of
// runs, of each run host and records, and of each record its size.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status.h"

namespace penstock {

// Records that follow each other, all decoded by one host.
struct ToldRun {
  uint32_t host = 0;
  uint32_t records = 0;
};

// Records of a unit that follow each other.
struct ToldRecords {
  uint64_t epoch = 0;
  uint64_t unit = 0;
  bool ends_unit = false;  // none of its records that is needed comes behind
  bool failed = false;     // its host could not read on behind these
  std::vector<ToldRun> runs;
  std::vector<uint64_t> sizes;  // [records]
  // [records], of those that this host decodes; empty where it decodes none.
  std::vector<std::string_view> bytes;
  std::shared_ptr<const void> memory;  // what `bytes` point into
};

// Without bytes.
void WriteTold(const ToldRecords& told, std::string& out);

// Takes one from the front of `bytes`, which host `from` of `hosts` wrote.
// Errors:  kInternal for bytes that WriteTold() did not write.
Status ReadTold(uint32_t from, uint32_t hosts, std::string_view& bytes,
                ToldRecords& told);

}  // namespace penstock
