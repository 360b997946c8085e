// What can still be had of a damaged compressed file.
#pragma once

#include <memory>
#include <string>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/records/record_reader.h"
#include "formats/streams/byte_stream.h"

namespace penstock {

// Ends where the compressed bytes are cut off or cannot be decoded further. A
// device that fails, or a file that changes, stays an error.
class SalvageStream : public ByteStream {
 public:
  // Why it ended: OK at a proven end, and before any.
  virtual const Status& damage() const = 0;

  // Where damage() is not OK: goes on with the next part that can be decoded,
  // which the bytes that follow begin, or ends for good where there is none.
  // Returns what is to be said of it: damage(), and where it goes on.
  // Errors:  those of reading the file.
  virtual StatusOr<std::string> Resume() = 0;
};

// A gzip file goes on with its next member (gzip_member_search.h), others end.
// Errors:  as OpenStream().
StatusOr<std::unique_ptr<SalvageStream>> OpenSalvageStream(
    FileSystem& files, const std::string& path, Compression compression);

}  // namespace penstock
