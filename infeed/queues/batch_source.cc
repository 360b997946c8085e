#include "infeed/queues/batch_source.h"

#include <utility>

namespace penstock {
namespace {

class PipelineSource : public BatchSource {
 public:
  explicit PipelineSource(Pipeline pipeline) : pipeline_(std::move(pipeline)) {}

  StatusOr<std::optional<Batch>> Next() override { return pipeline_.Next(); }
  void Cancel() override { pipeline_.Cancel(); }
  const Contract& contract() const override { return pipeline_.contract(); }
  const Topology& topology() const override { return pipeline_.topology(); }
  PipelineCounts counts() const override { return pipeline_.counts(); }
  std::optional<PipelineProfile> profile() const override {
    return pipeline_.Profile();
  }

 private:
  Pipeline pipeline_;
};

}  // namespace

std::unique_ptr<BatchSource> FromPipeline(Pipeline pipeline) {
  return std::make_unique<PipelineSource>(std::move(pipeline));
}

}  // namespace penstock
