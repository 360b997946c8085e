#include "tools/infeedsim/metrics_text.h"

#include <fmt/format.h>

#include <string_view>

namespace penstock {
namespace {

double Seconds(int64_t ns) { return static_cast<double>(ns) * 1e-9; }

// Families of samples, each with its help and kind before it.
class MetricsWriter {
 public:
  void Counter(std::string_view name, std::string_view help) {
    Family(name, help, "counter");
  }
  void Gauge(std::string_view name, std::string_view help) {
    Family(name, help, "gauge");
  }
  // Of the family before; `labels` as `host="0",device="3"`, or none.
  template <typename Number>
  void Sample(Number value, std::string_view labels = "") {
    text_ += name_;
    if (!labels.empty()) text_ += fmt::format("{{{}}}", labels);
    text_ += fmt::format(" {}\n", value);
  }

  std::string Finish() && { return std::move(text_); }

 private:
  void Family(std::string_view name, std::string_view help,
              std::string_view kind) {
    name_ = fmt::format("infeedsim_{}", name);
    text_ += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name_, help, kind);
  }

  std::string name_;
  std::string text_;
};

std::string OfHost(const LiveHost& host) {
  return fmt::format("host=\"{}\"", host.host);
}

void AddPipelines(const LiveFigures& figures, MetricsWriter& metrics) {
  const auto each = [&](auto sample) {
    for (const LiveHost& host : figures.hosts) {
      if (host.pipeline) sample(host, *host.pipeline);
    }
  };
  metrics.Counter("pipeline_starved_seconds_total",
                  "Time that a batch was waited for.");
  each([&](const LiveHost& host, const PipelineProfile& pipeline) {
    metrics.Sample(Seconds(pipeline.starved_ns), OfHost(host));
  });
  metrics.Counter("pipeline_blocked_seconds_total",
                  "Time in which built batches had not been taken.");
  each([&](const LiveHost& host, const PipelineProfile& pipeline) {
    metrics.Sample(Seconds(pipeline.blocked_ns), OfHost(host));
  });
  metrics.Counter("stage_busy_seconds_total",
                  "Work of a stage, of all threads together.");
  each([&](const LiveHost& host, const PipelineProfile& pipeline) {
    for (const StageProfile& stage : pipeline.stages) {
      metrics.Sample(Seconds(stage.busy_ns),
                     fmt::format("{},stage=\"{}\"", OfHost(host), stage.name));
    }
  });
}

}  // namespace

std::string MetricsText(const LiveFigures& figures) {
  MetricsWriter metrics;
  metrics.Gauge("running", "Whether steps are taken: 1 or 0.");
  metrics.Sample(figures.running ? 1 : 0);
  metrics.Counter("steps_total", "Steps begun by all devices together.");
  metrics.Sample(figures.steps);
  const RowCounts& rows = figures.rows;
  metrics.Counter("rows_total", "Rows that devices of this process took.");
  metrics.Sample(rows.examples, "kind=\"real\"");
  metrics.Sample(rows.pad_rows, "kind=\"padding\"");
  metrics.Counter("tokens_total", "Tokens of these rows.");
  metrics.Sample(rows.real_tokens, "kind=\"real\"");
  metrics.Sample(rows.all_tokens - rows.real_tokens, "kind=\"padding\"");
  metrics.Counter("tensor_bytes_total", "Bytes of tensors of these rows.");
  metrics.Sample(rows.bytes);
  metrics.Gauge("queue_depth_batches", "Batches that a queue holds at most.");
  metrics.Sample(figures.depth);
  metrics.Gauge("queue_batches", "Batches in the queue of a device.");
  for (const LiveHost& host : figures.hosts) {
    for (const LiveQueue& queue : host.queues) {
      metrics.Sample(queue.batches, fmt::format("{},device=\"{}\"",
                                                OfHost(host), queue.device));
    }
  }
  metrics.Counter("records_read_total",
                  "Records read in sequence, where runs are not planned.");
  for (const LiveHost& host : figures.hosts) {
    metrics.Sample(host.records_read, OfHost(host));
  }
  AddPipelines(figures, metrics);
  return std::move(metrics).Finish();
}

}  // namespace penstock
