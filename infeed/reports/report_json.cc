#include "infeed/reports/reports.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "infeed/sharding/load_plan.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

std::string Hex(uint64_t digest) { return fmt::format("{:016x}", digest); }

Json CoreJson(const CoreReport& core) {
  Json json = {{"device", core.device},
               {"host", core.host},
               {"shard", core.shard},
               {"wall_ns", core.ledger.wall_ns()}};
  Json& ledger = json["ledger"];
  for (size_t b = 0; b < kBuckets; ++b) {
    const auto bucket = static_cast<Bucket>(b);
    ledger[std::string(BucketKey(bucket))] = core.ledger.ns(bucket);
  }
  json["waited_for_ns"] = core.waited_for_ns;
  json["queue_depth_ns"] = core.depth_ns;
  return json;
}

Json CompileJson(const CompileEvent& event) {
  return {{"step", event.step},
          {"program", event.program},
          {"cause", event.cause},
          {"compile_ns", event.compile_ns}};
}

Json EpochJson(const EpochCensus& epoch) {
  Json json = {{"epoch", epoch.epoch},
               {"seen", epoch.seen},
               {"duplicated", epoch.duplicated},
               {"missing", nullptr}};
  if (epoch.missing) json["missing"] = *epoch.missing;
  return json;
}

Json TimesJson(const RunReport& report) {
  const StepSummary& times = report.times;
  return {{"p50_ns", times.p50_ns},
          {"p90_ns", times.p90_ns},
          {"p99_ns", times.p99_ns},
          {"max_ns", times.max_ns},
          {"input_wait_p50_ns", times.wait_p50_ns},
          {"input_wait_p99_ns", times.wait_p99_ns},
          {"input_wait_max_ns", times.wait_max_ns},
          {"infeed_percent", times.infeed_percent},
          {"outfeed_percent", times.outfeed_percent},
          {"input_bound", InputBoundName(InputBoundOf(times.infeed_percent))},
          {"bound_by", report.bound_by()},
          {"au_percent", times.au_percent},
          {"goodput_percent", report.goodput_percent()}};
}

Json RowsJson(const RunReport& report) {
  return {{"examples", report.rows.examples},
          {"pad_rows", report.rows.pad_rows},
          {"real_tokens", report.rows.real_tokens},
          {"all_tokens", report.rows.all_tokens},
          {"bytes", report.rows.bytes},
          {"dropped", report.dropped},
          {"truncated", report.truncated},
          {"padding_percent", report.padding_percent()},
          {"examples_per_second", report.examples_per_second()},
          {"tokens_per_second", report.tokens_per_second()}};
}

Json PipelineJson(const PipelineProfile& profile) {
  Json json = {
      {"threads", profile.threads},       {"wall_ns", profile.wall_ns},
      {"starved_ns", profile.starved_ns}, {"blocked_ns", profile.blocked_ns},
      {"bound_by", profile.BoundBy()},    {"stages", Json::array()}};
  for (const StageProfile& stage : profile.stages) {
    json["stages"].push_back({{"name", stage.name},
                              {"busy_ns", stage.busy_ns},
                              {"one_thread", stage.one_thread},
                              {"rows", stage.rows},
                              {"bytes", stage.bytes}});
  }
  return json;
}

}  // namespace

std::string ReportJson(const RunReport& report) {
  Json json = {
      {"devices", report.device_kind},         {"hosts", report.hosts},
      {"processes", report.processes},         {"shards", report.shards},
      {"queue_depth", report.depth},           {"planned", report.planned},
      {"contract", report.contract},           {"wall_ns", report.wall_ns},
      {"first_step_ns", report.first_step_ns}, {"steps", report.times.steps},
      {"step_times", TimesJson(report)},       {"rows", RowsJson(report)}};
  json["sharding"] = Json::parse(LoadsJson(report.loads));
  for (const ShapeReport& shape : report.shapes) {
    json["shapes"].push_back(
        {{"length", shape.length}, {"steps", shape.steps}});
  }
  json["compiles"] = Json::array();
  for (const CompileEvent& event : report.compiles) {
    json["compiles"].push_back(CompileJson(event));
  }
  for (const CoreReport& core : report.cores) {
    json["cores"].push_back(CoreJson(core));
  }
  if (report.pipeline) json["pipeline"] = PipelineJson(*report.pipeline);
  json["batch_digest"] = Hex(report.batch_digest);
  json["record_digest"] = {{"count", report.record_digest.count()},
                           {"value", Hex(report.record_digest.value())}};
  json["epochs"] = Json::array();
  for (const EpochCensus& epoch : report.epochs) {
    json["epochs"].push_back(EpochJson(epoch));
  }
  json["state"] = {{"epoch", report.state.epoch},
                   {"step", report.state.step},
                   {"step_in_epoch", report.state.step_in_epoch}};
  return json.dump(2) + "\n";
}

}  // namespace penstock
