#include "tokenizer/files/compiled_cache.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "formats/files/crc32c.h"
#include "formats/files/status_or.h"
#include "tokenizer/files/compiled_file.h"
#include "tokenizer/files/compiled_tokenizer.h"

namespace penstock {
namespace {

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Empty where there is none.
std::string UsersFolder() {
  if (const std::string folder = Environment("XDG_CACHE_HOME");
      folder.starts_with('/')) {
    return folder + "/penstock";
  }
  const std::string home = Environment("HOME");
  return home.empty() ? "" : home + "/.cache/penstock";
}

// "tokenizer.json" -> "tokenizer.json-0123abcd.compiled": a file for each of
// the settings.
std::string NameFor(const std::string& source, std::string_view settings) {
  const uint32_t version = kCompiledVersion;
  const uint32_t tag = ExtendCrc32c(version, settings);
  return fmt::format("{}-{:08x}.compiled", source.substr(source.rfind('/') + 1),
                     tag);
}

std::string InFolder(const std::string& folder, const std::string& source,
                     std::string settings) {
  std::error_code error;
  settings += std::filesystem::absolute(source, error).string();
  return folder + "/" + NameFor(source, settings);
}

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

bool IsSame(const FileInfo& a, const FileInfo& b) {
  return a.size_bytes == b.size_bytes && a.mtime_ns == b.mtime_ns &&
         a.inode == b.inode;
}

}  // namespace

CompiledCache::CompiledCache(FileSystem& files, std::string source,
                             std::string settings, const std::string& folder,
                             uint64_t least_bytes)
    : files_(files),
      source_(std::move(source)),
      settings_(std::move(settings)) {
  std::string only = folder;
  if (only.empty()) only = Environment("PENSTOCK_CACHE");
  if (only == "off") return;
  const auto info = files_.Stat(source_);
  if (!info.ok() || info->is_folder || info->is_stream ||
      info->size_bytes < least_bytes) {
    return;
  }
  info_ = *info;
  if (!only.empty()) {
    places_.push_back(InFolder(only, source_, settings_));
    return;
  }
  const std::string own = source_.substr(0, source_.rfind('/') + 1);
  places_.push_back(own + "." + NameFor(source_, settings_));
  if (const std::string users = UsersFolder(); !users.empty()) {
    places_.push_back(InFolder(users, source_, settings_));
  }
}

std::shared_ptr<const Tokenizer> CompiledCache::Find(
    std::vector<std::string>& warnings) const {
  for (const std::string& place : places_) {
    const auto file = OpenCompiled(files_, place);
    if (!file || !IsMadeFrom(files_, source_, *info_, *file)) continue;
    std::vector<std::string> found;
    auto tokenizer = TokenizerOfCompiled(*file, source_, settings_, found);
    if (tokenizer == nullptr) continue;
    for (const std::string& warning : found) {
      warnings.push_back(fmt::format("{}: {}", source_, warning));
    }
    return tokenizer;
  }
  return nullptr;
}

void CompiledCache::Keep(const Tokenizer& tokenizer, std::string_view bytes,
                         const std::vector<std::string>& warnings) const {
  if (places_.empty()) return;
  const auto info = files_.Stat(source_);
  if (!info.ok() || !IsSame(*info, *info_) ||
      info->size_bytes != bytes.size()) {
    return;
  }
  CompiledNotes notes = {.settings = settings_, .warnings = warnings};
  // Under another name of the source Find puts that in front of them.
  const std::string name = source_ + ": ";
  for (std::string& warning : notes.warnings) {
    if (warning.starts_with(name)) warning.erase(0, name.size());
  }
  TableWriter soon, later;
  if (!CompileTokenizer(tokenizer, notes, soon, later)) return;
  const CompiledSource made_from = {bytes.size(), info->mtime_ns, info->inode,
                                    Crc32c(bytes)};
  for (const std::string& place : places_) {
    const std::string folder = place.substr(0, place.rfind('/') + 1);
    if (!folder.empty() && !files_.CreateFolders(folder).ok()) continue;
    const Status written = WriteCompiled(files_, place, soon.bytes(),
                                         later.bytes(), made_from, NowNs());
    if (written.ok()) return;
  }
}

}  // namespace penstock
