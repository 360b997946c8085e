#include "infeed/reports/report_events.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <string_view>

#include "formats/tfrecord/tfrecord_writer.h"

namespace penstock {
namespace {

constexpr size_t kMostSteps = 10'000;

// Numbers of fields and how they are written.
// Event: 1 wall_time double, 2 step varint, 3 file_version chunk, 5 summary
// chunk. Summary: 1 value chunk, any number. Summary.Value: 1 tag chunk, 2
// simple_value float.
void PutVarint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) {
    out.push_back(static_cast<char>(value | 0x80));
  }
  out.push_back(static_cast<char>(value));
}

void PutChunk(int field, std::string_view bytes, std::string& out) {
  PutVarint(static_cast<uint64_t>(field) << 3 | 2, out);
  PutVarint(bytes.size(), out);
  out += bytes;
}

// `wire_type` says of how many bytes: 1 of eight, 5 of four.
void PutFixed(int field, int wire_type, uint64_t bits, std::string& out) {
  out.push_back(static_cast<char>(field << 3 | wire_type));
  for (int i = 0; i < (wire_type == 1 ? 8 : 4); ++i) {
    out.push_back(static_cast<char>(bits >> (8 * i)));
  }
}

class EventRecord {
 public:
  EventRecord(double seconds, uint64_t step) {
    PutFixed(1, 1, std::bit_cast<uint64_t>(seconds), bytes_);
    bytes_.push_back(2 << 3);
    PutVarint(step, bytes_);
  }

  EventRecord& Version(std::string_view version) {
    PutChunk(3, version, bytes_);
    return *this;
  }
  EventRecord& Scalar(std::string_view tag, double value) {
    std::string scalar;
    PutChunk(1, tag, scalar);
    PutFixed(2, 5, std::bit_cast<uint32_t>(static_cast<float>(value)), scalar);
    PutChunk(1, scalar, summary_);
    return *this;
  }
  std::string Finish() {
    if (!summary_.empty()) PutChunk(5, summary_, bytes_);
    return std::move(bytes_);
  }

 private:
  std::string bytes_;
  std::string summary_;
};

double Milliseconds(int64_t ns) { return static_cast<double>(ns) * 1e-6; }

}  // namespace

std::vector<std::string> ReportEvents(const RunReport& report,
                                      double begin_seconds) {
  const auto at = [&](int64_t ns) {
    return begin_seconds + static_cast<double>(ns - report.begin_ns) * 1e-9;
  };
  std::vector<std::string> records = {
      EventRecord(begin_seconds, 0).Version("brain.Event:2").Finish()};
  const size_t stride = (report.steps.size() + kMostSteps - 1) / kMostSteps;
  // Steps are counted over all runs, as training programs do.
  const uint64_t before = report.state.step - report.steps.size();
  for (size_t s = 0; s < report.steps.size(); s += stride) {
    const StepSpan& step = report.steps[s];
    records.push_back(
        EventRecord(at(step.end_ns), before + s + 1)
            .Scalar("infeed/step_ms", Milliseconds(step.took_ns()))
            .Scalar("infeed/wait_ms",
                    Milliseconds(step.begin_ns - step.free_ns))
            .Scalar("infeed/outfeed_ms", Milliseconds(step.outfeed_ns))
            .Scalar("infeed/compile_ms", Milliseconds(step.compile_ns))
            .Scalar("infeed/length",
                    static_cast<double>(report.shapes[step.shape].length))
            .Finish());
  }
  records.push_back(
      EventRecord(at(report.begin_ns + report.wall_ns), report.state.step)
          .Scalar("infeed/utilisation_percent", report.times.au_percent)
          .Scalar("infeed/goodput_percent", report.goodput_percent())
          .Scalar("infeed/padding_percent", report.padding_percent())
          .Finish());
  return records;
}

StatusOr<std::string> WriteEvents(FileSystem& files, const std::string& folder,
                                  const RunReport& report,
                                  double begin_seconds) {
  const std::string path =
      fmt::format("{}/events.out.tfevents.{:010.0f}.penstock", folder,
                  std::floor(begin_seconds));
  PENSTOCK_ASSIGN_OR_RETURN(const auto writer, CreateTfRecord(files, path));
  for (const std::string& record : ReportEvents(report, begin_seconds)) {
    PENSTOCK_RETURN_IF_ERROR(writer->Append(record));
  }
  PENSTOCK_RETURN_IF_ERROR(writer->Finish());
  return path;
}

}  // namespace penstock
