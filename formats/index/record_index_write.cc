// Writing the sidecar: the checksums of its pages stand before them, so it goes
// through what it writes twice.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/files/atomic_file.h"
#include "formats/files/crc32c.h"
#include "formats/files/status_or.h"
#include "formats/index/record_index_file.h"
#include "formats/streams/gzip_member.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {
namespace {

template <typename T>
std::string_view BytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}
template <typename T>
std::string_view BytesOf(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

// A TFRecord file is records from its first byte to its last.
bool AreOffsets(std::span<const uint64_t> offsets, uint64_t file_size_bytes) {
  if (offsets.front() != 0 || offsets.back() != file_size_bytes) return false;
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    if (offsets[i + 1] < offsets[i] ||
        offsets[i + 1] - offsets[i] < kTfRecordFramingBytes) {
      return false;
    }
  }
  return true;
}

bool AreMembers(const RecordIndexContents& contents) {
  const auto& members = contents.members;
  const GzipMemberPlace& first = members.front();
  if (members.size() < 2 || first.offset != 0 || first.framed_offset != 0 ||
      first.first_record != 0 ||
      members.back().offset != contents.file.size_bytes) {
    return false;
  }
  for (size_t i = 0; i + 1 < members.size(); ++i) {
    const GzipMemberPlace& a = members[i];
    const GzipMemberPlace& b = members[i + 1];
    if (b.offset < a.offset || b.offset - a.offset < kGzipMemberHeaderBytes ||
        b.first_record < a.first_record || b.framed_offset < a.framed_offset ||
        (b.framed_offset - a.framed_offset) / kTfRecordFramingBytes <
            b.first_record - a.first_record) {
      return false;
    }
  }
  return true;
}

Status CheckColumns(const std::string& index_path,
                    const RecordIndexContents& contents) {
  for (size_t c = 0; c < contents.names.size(); ++c) {
    const std::string& name = contents.names[c];
    const char* why = nullptr;
    if (name.empty() || name.size() > kMostColumnNameBytes) {
      why = "has no name, or one above 4096 bytes";
    } else if (contents.lengths[c].size() != contents.records) {
      why = "has not one length for each record";
    } else if (std::count(contents.names.begin(), contents.names.end(), name) >
               1) {
      why = "is there twice";
    }
    if (why != nullptr) {
      return InvalidArgumentError(
          fmt::format("{}: length column \"{}\" {}", index_path, name, why));
    }
  }
  if (contents.names.size() <= kMostLengthColumns) return OkStatus();
  return InvalidArgumentError(
      fmt::format("{}: {} length columns, at most {} fit", index_path,
                  contents.names.size(), kMostLengthColumns));
}

// Checksums of pages that are filled one after the other.
class PageChecksums {
 public:
  void Add(std::string_view bytes) {
    while (!bytes.empty()) {
      if (left_ == 0) {
        checksums_.push_back(0);
        left_ = kIndexPageBytes;
      }
      const size_t size = std::min<uint64_t>(bytes.size(), left_);
      checksums_.back() =
          ExtendCrc32c(checksums_.back(), bytes.substr(0, size));
      left_ -= size;
      bytes.remove_prefix(size);
    }
  }
  std::span<const uint32_t> checksums() const { return checksums_; }

 private:
  std::vector<uint32_t> checksums_;
  uint64_t left_ = 0;  // of the last page
};

std::string MakeDirectory(std::span<const std::string> names,
                          std::span<const std::string_view> data) {
  std::string directory;
  for (const std::string& name : names) {
    directory.append(BytesOf(static_cast<uint32_t>(name.size()))).append(name);
  }
  directory.resize((directory.size() + 3) / 4 * 4);
  PageChecksums pages;
  for (const std::string_view part : data) pages.Add(part);
  directory.append(BytesOf(pages.checksums()));
  directory.resize((directory.size() + 7) / 8 * 8);
  return directory;
}

}  // namespace

Status WriteRecordIndexFile(FileSystem& files, const std::string& index_path,
                            const RecordIndexContents& contents) {
  PENSTOCK_RETURN_IF_ERROR(CheckColumns(index_path, contents));
  const bool plain = contents.members.empty();
  if (plain ? !AreOffsets(contents.offsets, contents.file.size_bytes)
            : !AreMembers(contents)) {
    return InvalidArgumentError(
        fmt::format("{}: the offsets are not those of a TFRecord file of {} "
                    "bytes",
                    index_path, contents.file.size_bytes));
  }
  std::vector<std::string_view> data;
  data.push_back(plain ? BytesOf(contents.offsets) : BytesOf(contents.members));
  for (const auto& lengths : contents.lengths) data.push_back(BytesOf(lengths));
  const std::string directory = MakeDirectory(contents.names, data);

  RecordIndexHeader header = {
      .magic = {},
      .version = kRecordIndexVersion,
      .layout = plain ? 0u : 1u,
      .records = contents.records,
      .entries = plain ? contents.records : contents.members.size() - 1,
      .framed_bytes = contents.framed_bytes,
      .file_size_bytes = contents.file.size_bytes,
      .file_mtime_ns = contents.file.mtime_ns,
      .file_sample = contents.file_sample,
      .columns = static_cast<uint32_t>(contents.names.size()),
      .directory_bytes = directory.size(),
      .directory_checksum = Crc32c(directory),
      .checksum = 0};
  std::memcpy(header.magic, kRecordIndexMagic, sizeof(header.magic));
  header.checksum =
      Crc32c(BytesOf(header).substr(0, offsetof(RecordIndexHeader, checksum)));

  PENSTOCK_ASSIGN_OR_RETURN(const auto out,
                            AtomicFile::Create(files, index_path));
  PENSTOCK_RETURN_IF_ERROR(out->Append(BytesOf(header)));
  PENSTOCK_RETURN_IF_ERROR(out->Append(directory));
  for (const std::string_view part : data) {
    PENSTOCK_RETURN_IF_ERROR(out->Append(part));
  }
  return out->Commit();
}

}  // namespace penstock
