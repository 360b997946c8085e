// Calibrations as JSON.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "formats/files/status_or.h"
#include "infeed/virtual/virtual_simulation.h"

namespace penstock {
namespace {

using CostJson = nlohmann::ordered_json;

constexpr int kCalibrationVersion = 2;
constexpr const char* kVersionField = "penstock_calibration";
constexpr uint64_t kMostCalibrationBytes = 1u << 20;
constexpr double kMostNumber = 1u << 24;
constexpr double kMostCost = 1e12;  // nanoseconds

// Takes fields out of an object and keeps the first mistake.
class CostReader {
 public:
  explicit CostReader(std::string path) : path_(std::move(path)) {}

  void Read(const CostJson& object, const std::string& where, const char* name,
            double& value) {
    const CostJson* field = Find(object, where, name);
    if (field == nullptr) return;
    if (!field->is_number()) {
      Fail(where + name, "is no number");
    } else if (field->get<double>() < 0) {
      Fail(where + name, fmt::format("is negative, {}", field->dump()));
    } else if (field->get<double>() > kMostCost) {
      Fail(where + name,
           fmt::format("is {}, more than {}", field->dump(), kMostCost));
    } else {
      value = field->get<double>();
    }
  }
  void Read(const CostJson& object, const std::string& where, const char* name,
            uint32_t& value) {
    double number = 1;
    Read(object, where, name, number);
    if (number < 1 || number > kMostNumber || number != std::floor(number)) {
      return Fail(where + name, fmt::format("is {}, no whole number from 1 on",
                                            object.at(name).dump()));
    }
    value = static_cast<uint32_t>(number);
  }
  void Read(const CostJson& object, const std::string& where, const char* name,
            bool& value) {
    const CostJson* field = Find(object, where, name);
    if (field == nullptr) return;
    if (!field->is_boolean()) return Fail(where + name, "is not true or false");
    value = field->get<bool>();
  }
  void Read(const CostJson& object, const std::string& where, const char* name,
            std::string& value) {
    const CostJson* field = Find(object, where, name);
    if (field == nullptr) return;
    if (!field->is_string()) return Fail(where + name, "is no text");
    value = field->get<std::string>();
  }
  // {"fixed_ns": ..., each: ...}
  void Read(const CostJson& object, const char* name, const char* each,
            LinearCost& cost) {
    const CostJson* field = Find(object, "", name);
    if (field == nullptr) return;
    const std::string where = std::string(name) + ".";
    Read(*field, where, "fixed_ns", cost.fixed_ns);
    Read(*field, where, each, cost.ns_each);
  }

  const CostJson* Find(const CostJson& object, const std::string& where,
                       const char* name) {
    if (object.is_object() && object.contains(name)) return &object.at(name);
    Fail(where + name, "is missing");
    return nullptr;
  }
  void Fail(const std::string& field, const std::string& what) {
    status_.Update(InvalidArgumentError(
        fmt::format("{}: {} {}: write the file again with a real run", path_,
                    field, what)));
  }

  const Status& status() const { return status_; }

 private:
  const std::string path_;
  Status status_;
};

CostJson LinearJson(const LinearCost& cost, const char* each) {
  return {{"fixed_ns", cost.fixed_ns}, {each, cost.ns_each}};
}

}  // namespace

std::string CalibrationJson(const Calibration& calibration) {
  CostJson json = {
      {kVersionField, kCalibrationVersion},
      {"of", calibration.of},
      {"streamed", calibration.streamed},
      {"hosts", calibration.hosts},
      {"threads", calibration.threads},
      {"parallel", calibration.parallel},
      {"plan_ns_per_row", calibration.plan_ns_per_row},
      {"stages", CostJson::array()},
      {"hand_over_ns_per_byte", calibration.hand_over_ns_per_byte},
      {"transfer", LinearJson(calibration.transfer, "ns_per_byte")},
      {"step", LinearJson(calibration.step, "ns_per_token")},
      {"compile_ns", calibration.compile_ns}};
  for (const StageCost& stage : calibration.stages) {
    json["stages"].push_back({{"name", stage.name},
                              {"one_thread", stage.one_thread},
                              {"ns_per_byte", stage.ns_per_byte}});
  }
  return json.dump(2) + "\n";
}

StatusOr<Calibration> ReadCalibration(FileSystem& files,
                                      const std::string& path) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::string text,
                            ReadWholeFile(files, path, kMostCalibrationBytes));
  const CostJson json = CostJson::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains(kVersionField)) {
    return InvalidArgumentError(path +
                                ": no calibration, which a real run writes "
                                "with infeedsim --write-calibration");
  }
  if (json.at(kVersionField) != kCalibrationVersion) {
    return InvalidArgumentError(fmt::format(
        "{}: a calibration of version {}, but this program reads version {}: "
        "write it again with `infeedsim --write-calibration` and a real run",
        path, json.at(kVersionField).dump(), kCalibrationVersion));
  }
  CostReader reader(path);
  Calibration calibration;
  reader.Read(json, "", "of", calibration.of);
  reader.Read(json, "", "streamed", calibration.streamed);
  reader.Read(json, "", "hosts", calibration.hosts);
  reader.Read(json, "", "threads", calibration.threads);
  reader.Read(json, "", "parallel", calibration.parallel);
  reader.Read(json, "", "plan_ns_per_row", calibration.plan_ns_per_row);
  reader.Read(json, "", "hand_over_ns_per_byte",
              calibration.hand_over_ns_per_byte);
  reader.Read(json, "transfer", "ns_per_byte", calibration.transfer);
  reader.Read(json, "step", "ns_per_token", calibration.step);
  reader.Read(json, "", "compile_ns", calibration.compile_ns);
  const CostJson* stages = reader.Find(json, "", "stages");
  if (stages != nullptr && !stages->is_array()) {
    reader.Fail("stages", "is no list");
    stages = nullptr;
  }
  for (size_t i = 0; stages != nullptr && i < stages->size(); ++i) {
    const std::string where = fmt::format("stages[{}].", i);
    StageCost& stage = calibration.stages.emplace_back();
    reader.Read((*stages)[i], where, "name", stage.name);
    reader.Read((*stages)[i], where, "one_thread", stage.one_thread);
    reader.Read((*stages)[i], where, "ns_per_byte", stage.ns_per_byte);
  }
  if (reader.status().ok() && calibration.parallel == 0) {
    reader.Fail("parallel", "is 0");
  }
  PENSTOCK_RETURN_IF_ERROR(reader.status());
  return calibration;
}

}  // namespace penstock
