#include "infeed/reports/reports.h"

#include <fmt/format.h>

#include <iterator>

namespace penstock {
namespace {

class TraceWriter {
 public:
  explicit TraceWriter(int64_t begin_ns) : begin_ns_(begin_ns) {}

  // Names a host, or one of its devices.
  void Name(std::string_view what, std::string_view name, uint32_t host,
            uint32_t device) {
    Separate();
    fmt::format_to(out(),
                   R"({{"name":"{}","ph":"M","pid":{},"tid":{},)"
                   R"("args":{{"name":"{} {}"}}}})",
                   what, host, device, name,
                   what == "process_name" ? host : device);
  }

  void Span(std::string_view name, const CoreReport& core, size_t step,
            int64_t from_ns, int64_t to_ns) {
    if (from_ns == to_ns) return;
    Separate();
    fmt::format_to(out(),
                   R"({{"name":"{}","ph":"X","pid":{},"tid":{},"ts":{:.3f},)"
                   R"("dur":{:.3f},"args":{{"step":{}}}}})",
                   name, core.host, core.device, Us(from_ns - begin_ns_),
                   Us(to_ns - from_ns), step);
  }

  std::string Finish() && { return std::move(text_) + "\n]}\n"; }

 private:
  static double Us(int64_t ns) { return static_cast<double>(ns) * 1e-3; }
  std::back_insert_iterator<std::string> out() {
    return std::back_inserter(text_);
  }
  void Separate() {
    text_ += first_ ? "\n" : ",\n";
    first_ = false;
  }

  const int64_t begin_ns_;
  bool first_ = true;
  std::string text_ = R"({"displayTimeUnit":"ms","traceEvents":[)";
};

}  // namespace

std::string ReportTrace(const RunReport& report) {
  TraceWriter trace(report.begin_ns);
  for (const CoreReport& core : report.cores) {
    trace.Name("process_name", "host", core.host, core.device);
    trace.Name("thread_name", "core", core.host, core.device);
    for (size_t s = 0; s < core.spans.size(); ++s) {
      const CoreSpan& span = core.spans[s];
      const auto add = [&](Bucket bucket, int64_t from_ns, int64_t to_ns) {
        trace.Span(BucketName(bucket), core, s, from_ns, to_ns);
      };
      add(Bucket::kInfeedWait, span.free_ns, span.pushed_ns);
      add(Bucket::kTransferWait, span.pushed_ns, span.ready_ns);
      add(Bucket::kPeerWait, span.ready_ns, span.begin_ns);
      add(Bucket::kCompile, span.begin_ns, span.compute_ns);
      add(Bucket::kCompute, span.compute_ns, span.end_ns);
      add(Bucket::kOutfeedWait, span.end_ns, span.sent_ns);
      add(Bucket::kCheckpoint, span.sent_ns, span.saved_ns);
    }
  }
  return std::move(trace).Finish();
}

}  // namespace penstock
