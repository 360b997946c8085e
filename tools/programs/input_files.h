// Which files a program was asked to read.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "formats/corpora/text_unit.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/open.h"
#include "formats/streams/file_kind.h"
#include "tools/programs/spooled_input.h"

namespace penstock {

// Which of the files in folders and archives, and which kind they are.
//
// A pattern (formats/datasets/glob.h) with a "/" is held against the path below
// the folder or archive that was named, or the whole path where a file was; one
// without against each part of it. What it excludes includes all below.
struct InputChoices {
  std::optional<FileKind> kind;      // of all files
  std::vector<std::string> include;  // empty takes all
  std::vector<std::string> exclude;
  // Files in folders that cannot be asked for go to InputFiles::bad.
  bool leave_out_bad = false;
  // Ends the reading of pipes with kCancelled.
  std::stop_token stop = {};

  // Of a file or a member of an archive.
  bool Takes(std::string_view path) const;
  bool Excludes(std::string_view path) const;
};

struct InputFiles {
  std::vector<std::string> paths;  // in the order their records are numbered
  std::vector<std::optional<FileKind>>
      kinds;  // [paths]: as was said, if at all
  // [paths]: whether an input names it itself, and no folder or glob found it.
  std::vector<bool> named;
  uint64_t size_bytes = 0;  // of all of them, as stored
  // What a text is where nothing is said: a file, but for one that was named
  // alone, which is cut into paragraphs.
  TextUnit text_unit = TextUnit::kFile;
  // Files of a folder whose name says no kind, so they are not read.
  std::vector<std::string> skipped;
  // Pipes and devices that a folder or glob found, which may have nobody who
  // writes to them.
  std::vector<std::string> pipes;
  // Those that were met before by another way, and the first of them.
  uint64_t repeated = 0;
  std::string first_repeated;
  std::vector<Status> bad;
  // Pipes and standard input, by the names in `paths`.
  std::map<std::string, std::shared_ptr<const SpooledInput>> streams;

  // Whether any is text or an archive, for which text_unit matters.
  bool HasTexts() const;
};

// Expands files, patterns (formats/datasets/shard_names.h) and folders, which
// are walked whole and in bytewise order of their paths. "-" is standard input;
// it and pipes are copied to a temporary file. A kind may stand before each, as
// in "csv:PATH". A file counts once by device and inode, under the first name.
// Errors:  kNotFound, kInvalidArgument where nothing is left to read or a file
//          named outright has a name that says no kind and none is given.
StatusOr<InputFiles> FindInputFiles(FileSystem& files,
                                    const std::vector<std::string>& inputs,
                                    const InputChoices& choices);

}  // namespace penstock
