#include "infeed/queues/batch_source.h"

#include <utility>

namespace penstock {
namespace {

class PipelineSource : public BatchSource {
 public:
  explicit PipelineSource(Pipeline pipeline) : pipeline_(std::move(pipeline)) {}

  StatusOr<std::optional<Batch>> Next() override { return pipeline_.Next(); }
  Status Restore(const State& state) override {
    return pipeline_.Restore(state);
  }
  State start() const override { return {.graph = pipeline_.graph()}; }
  void Cancel() override { pipeline_.Cancel(); }
  void Leave(const Status& why) override { pipeline_.Leave(why); }
  const Contract& contract() const override { return pipeline_.contract(); }
  const Topology& topology() const override { return pipeline_.topology(); }
  PipelineCounts counts() const override { return pipeline_.counts(); }
  std::optional<PipelineProfile> profile() const override {
    return pipeline_.Profile();
  }
  uint64_t records_read() const override { return pipeline_.records_read(); }
  std::string Explain() const override { return pipeline_.Explain(); }

 private:
  Pipeline pipeline_;
};

}  // namespace

std::unique_ptr<BatchSource> FromPipeline(Pipeline pipeline) {
  return std::make_unique<PipelineSource>(std::move(pipeline));
}

}  // namespace penstock
