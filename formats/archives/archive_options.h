// What is asked of every archive, whatever its members are read as.
#pragma once

#include <cstdint>
#include <string_view>

#include "formats/files/callback.h"
#include "formats/records/bad_part.h"
#include "formats/records/record_reader.h"
#include "formats/streams/unpack_limits.h"

namespace penstock {

enum class ArchiveFormat { kTar, kZip, k7z };

// "tar", "zip", "7z".
std::string_view ArchiveFormatName(ArchiveFormat format);

// What to make of a tar without the two blocks of zeros that end it.
enum class TarEnd {
  kRequired,      // kDataLoss: cut between two members it looks the same
  kMayBeMissing,  // some old writers leave them out
};

struct ArchiveLimits {
  // A member is held in memory until it is whole and verified.
  uint64_t max_member_bytes = 1ull << 30;
  uint64_t max_name_bytes = 4096;
  uint64_t max_members = 100'000'000;
};

struct ArchiveOptions {
  ArchiveFormat format = ArchiveFormat::kTar;
  // Around a tar. Zip and 7z compress their members themselves.
  Compression compression = Compression::kNone;
  TarEnd tar_end = TarEnd::kRequired;
  ArchiveLimits limits;
  UnpackLimits unpack;
  // Told of each entry with content that gives no record, and why: links,
  // devices, sparse files. Folders have no content.
  Callback<void(std::string_view member, std::string_view reason)> on_skipped;
  // Asked about each member that cannot be read, and each sample without its
  // component, where what follows can be.
  OnBadPart on_bad_part;
};

}  // namespace penstock
