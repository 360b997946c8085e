#include "infeed/training/host_report.h"

#include <array>
#include <nlohmann/json.hpp>

namespace penstock {
namespace {

using TellJson = nlohmann::json;

constexpr std::array<int64_t CoreSpan::*, 8> kSpanTimes = {
    &CoreSpan::free_ns,  &CoreSpan::pushed_ns,  &CoreSpan::ready_ns,
    &CoreSpan::begin_ns, &CoreSpan::compute_ns, &CoreSpan::end_ns,
    &CoreSpan::sent_ns,  &CoreSpan::saved_ns};

TellJson TellCore(const CoreReport& core, int64_t origin_ns) {
  std::array<int64_t, kBuckets> spent_ns = {};
  for (size_t b = 0; b < kBuckets; ++b) {
    spent_ns[b] = core.ledger.ns(static_cast<Bucket>(b));
  }
  TellJson spans = TellJson::array();
  for (const CoreSpan& span : core.spans) {
    TellJson& told = spans.emplace_back(TellJson::array());
    for (int64_t CoreSpan::*const time : kSpanTimes) {
      told.push_back(span.*time - origin_ns);
    }
    told.push_back(span.transfer_ns);
    told.push_back(span.transfer_bytes);
  }
  return {{"device", core.device},
          {"host", core.host},
          {"shard", core.shard},
          {"begin", core.ledger.begin_ns() - origin_ns},
          {"spent", spent_ns},
          {"waited", core.waited_for_ns},
          {"depth_ns", core.depth_ns},
          {"spans", std::move(spans)}};
}

CoreReport HearCore(const TellJson& json, int64_t origin_ns) {
  CoreReport core = {.device = json.at("device"),
                     .host = json.at("host"),
                     .shard = json.at("shard"),
                     .ledger = Ledger::Of(
                         json.at("begin").get<int64_t>() + origin_ns,
                         json.at("spent").get<std::array<int64_t, kBuckets>>()),
                     .waited_for_ns = json.at("waited"),
                     .depth_ns = json.at("depth_ns")};
  for (const TellJson& span : json.at("spans")) {
    CoreSpan& heard = core.spans.emplace_back();
    for (size_t i = 0; i < kSpanTimes.size(); ++i) {
      heard.*kSpanTimes[i] = span.at(i).get<int64_t>() + origin_ns;
    }
    heard.transfer_ns = span.at(kSpanTimes.size());
    heard.transfer_bytes = span.at(kSpanTimes.size() + 1);
  }
  return core;
}

TellJson TellRows(const RowCounts& rows) {
  return {rows.examples, rows.pad_rows, rows.real_tokens, rows.all_tokens,
          rows.bytes};
}

RowCounts HearRows(const TellJson& rows) {
  return {.examples = rows.at(0),
          .pad_rows = rows.at(1),
          .real_tokens = rows.at(2),
          .all_tokens = rows.at(3),
          .bytes = rows.at(4)};
}

HostReport HearAll(const TellJson& json, int64_t origin_ns) {
  HostReport report;
  for (const TellJson& core : json.at("cores")) {
    report.cores.push_back(HearCore(core, origin_ns));
  }
  RunLogPart& part = report.part;
  for (const TellJson& rows : json.at("rows")) {
    part.rows.push_back(HearRows(rows));
  }
  part.batch_digest = json.at("batches");
  part.record_digest =
      RecordDigest::Of(json.at("records").at(0), json.at("records").at(1));
  for (const TellJson& marks : json.at("epochs")) {
    part.marks.push_back({.epoch = marks.at(0),
                          .seen = marks.at(1),
                          .duplicated = marks.at(2),
                          .bits = marks.at(3).get_binary()});
  }
  return report;
}

}  // namespace

void AddLog(const RunLog& log, const Contract& contract, RunReport& report) {
  report.rows = log.rows();
  report.batch_digest = log.batch_digest();
  report.record_digest = log.census().digest();
  report.epochs = log.census().Epochs();
  report.shapes.clear();
  for (size_t s = 0; s < contract.shapes(); ++s) {
    report.shapes.push_back({.length = contract.lengths[s],
                             .steps = log.shapes()[s].steps,
                             .rows = log.shapes()[s].rows});
  }
}

std::string TellHostReport(const HostReport& report, int64_t origin_ns) {
  const RunLogPart& part = report.part;
  TellJson json = {
      {"cores", TellJson::array()},
      {"rows", TellJson::array()},
      {"batches", part.batch_digest},
      {"records", {part.record_digest.count(), part.record_digest.value()}},
      {"epochs", TellJson::array()}};
  for (const CoreReport& core : report.cores) {
    json["cores"].push_back(TellCore(core, origin_ns));
  }
  for (const RowCounts& rows : part.rows) {
    json["rows"].push_back(TellRows(rows));
  }
  for (const EpochMarks& marks : part.marks) {
    json["epochs"].push_back({marks.epoch, marks.seen, marks.duplicated,
                              TellJson::binary(marks.bits)});
  }
  std::string told;
  TellJson::to_cbor(json, told);
  return told;
}

StatusOr<HostReport> HearHostReport(std::string_view told, int64_t origin_ns) {
  const TellJson json = TellJson::from_cbor(told, true, false);
  try {
    return HearAll(json, origin_ns);
  } catch (const TellJson::exception& error) {
    return InternalError("a host reports in other words");
  }
}

}  // namespace penstock
