#include "tools/recordtool/empty_files.h"

#include "tools/programs/output.h"
#include "tools/programs/program.h"

namespace penstock {

void EmptyFiles::Add(const std::string& path) {
  if (count++ == 0) first = path;
}

void EmptyFiles::Report() const {
  if (count == 0) return;
  Print("{} files are empty (first: {})\n", WithCommas(count), first);
}

}  // namespace penstock
