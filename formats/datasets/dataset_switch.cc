#include "formats/datasets/dataset_switch.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "formats/corpora/json_keys.h"
#include "formats/files/atomic_file.h"
#include "formats/files/crc32c.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

constexpr char kJournalKey[] = "penstock_switch";
constexpr uint64_t kJournalVersion = 1;
constexpr uint64_t kJournalLimitBytes = 256 << 20;
constexpr std::string_view kShardWord = ".tfrecord-";

bool TakeDigits(std::string_view& text) {
  const size_t digits =
      std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(digits);
  return digits >= 5;
}

// The text without its last line, which is the checksum of all before it.
StatusOr<std::string> CheckedText(const std::string& text) {
  const size_t end =
      text.size() < 2 ? 0 : text.rfind('\n', text.size() - 2) + 1;
  const std::string body = text.substr(0, end);
  if (text.substr(end) != fmt::format("crc32c {:08x}\n", Crc32c(body))) {
    return DataLossError("the checksum is wrong");
  }
  return body;
}

StatusOr<DatasetSwitch> ParseSwitch(const std::string& text) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::string body, CheckedText(text));
  PENSTOCK_ASSIGN_OR_RETURN(const nlohmann::json json, ParseJson(body));
  Status defect;
  JsonKeys keys(json, "", defect);
  if (keys.Count(kJournalKey) != kJournalVersion && defect.ok()) {
    return UnimplementedError(
        "was written by a later version; finish the switch with that");
  }
  DatasetSwitch result;
  result.tfds = keys.Count("tfds") != 0;
  keys.Each("removes",
            [&](JsonKeys one) { result.removes.push_back(one.Text("file")); });
  keys.Each("moves",
            [&](JsonKeys one) { result.moves.push_back(one.Text("file")); });
  if (!defect.ok()) return defect;
  if (result.moves.empty()) return DataLossError("no file is moved");
  return result;
}

nlohmann::ordered_json FilesJson(const std::vector<std::string>& names) {
  auto json = nlohmann::ordered_json::array();
  for (const std::string& name : names) json.push_back({{"file", name}});
  return json;
}

}  // namespace

std::string DatasetPlaces::Path(std::string_view name) const {
  return fmt::format("{}{}{}", folder, folder.ends_with('/') ? "" : "/", name);
}
std::string DatasetPlaces::manifest() const { return stem + ".manifest.json"; }
std::string DatasetPlaces::lock() const { return Path("." + stem + ".lock"); }
std::string DatasetPlaces::journal() const {
  return Path("." + stem + ".switch");
}
std::string DatasetPlaces::staging() const { return Path("." + stem + ".new"); }

bool DatasetPlaces::IsShard(std::string_view name) const {
  if (!name.starts_with(stem)) return false;
  name.remove_prefix(stem.size());
  if (!name.starts_with(kShardWord)) return false;
  name.remove_prefix(kShardWord.size());
  if (!TakeDigits(name) || !name.starts_with("-of-")) return false;
  name.remove_prefix(4);
  return TakeDigits(name) && name.empty();
}

std::string DatasetPlaces::ShardOfIndex(std::string_view name) const {
  if (name.starts_with('.')) name.remove_prefix(1);
  for (const std::string_view end : {".index", ".idx"}) {
    if (!name.ends_with(end)) continue;
    name.remove_suffix(end.size());
    if (IsShard(name)) return std::string(name);
    return "";
  }
  return "";
}

Status DatasetSwitch::Save(FileSystem& files,
                           const DatasetPlaces& places) const {
  const nlohmann::ordered_json json = {{kJournalKey, kJournalVersion},
                                       {"tfds", tfds ? 1 : 0},
                                       {"removes", FilesJson(removes)},
                                       {"moves", FilesJson(moves)}};
  const std::string body =
      json.dump(0, ' ', false,
                nlohmann::ordered_json::error_handler_t::replace) +
      "\n";
  const std::string text = fmt::format("{}crc32c {:08x}\n", body, Crc32c(body));
  const auto again = ParseSwitch(text);
  if (!again.ok() || again->moves != moves || again->removes != removes) {
    return InvalidArgumentError(fmt::format(
        "{}: cannot list the files, as a name is not UTF-8", places.journal()));
  }
  return WriteFileAtomically(files, places.journal(), text);
}

StatusOr<DatasetSwitch> DatasetSwitch::Load(FileSystem& files,
                                            const DatasetPlaces& places) {
  PENSTOCK_ASSIGN_OR_RETURN(
      const std::string text,
      ReadWholeFile(files, places.journal(), kJournalLimitBytes));
  auto parsed = ParseSwitch(text);
  if (parsed.ok()) return parsed;
  return Annotate(parsed.status(),
                  fmt::format("{}: the list of what is left to do for {} "
                              "cannot be used; the new files are in {}, look "
                              "at both and remove this file",
                              places.journal(), places.stem, places.staging()));
}

Status CheckNotSwitching(FileSystem& files, std::string_view shard_path) {
  const size_t end = shard_path.rfind(".tfrecord");
  const size_t name = shard_path.rfind('/') + 1;  // npos + 1 == 0
  if (end == std::string_view::npos || end < name) return OkStatus();
  const DatasetPlaces places = {
      .folder = name == 0 ? "." : std::string(shard_path.substr(0, name)),
      .stem = std::string(shard_path.substr(name, end - name))};
  if (!files.Stat(places.journal()).ok()) return OkStatus();
  return UnavailableError(fmt::format(
      "{}: {} is being replaced, or that was cut off; try again, or run "
      "datagen with this name, which finishes it",
      places.journal(), places.stem));
}

}  // namespace penstock
