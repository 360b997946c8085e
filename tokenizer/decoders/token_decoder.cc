#include "tokenizer/decoders/token_decoder.h"

namespace penstock {
namespace {

class SinkChain final : public PartSink {
 public:
  explicit SinkChain(PartSink& last) : first_(&last) {}

  void PutBefore(const TokenDecoder& decoder) {
    sinks_.push_back(decoder.NewSink(*first_));
    first_ = sinks_.back().get();
  }

  void Text(std::string_view text) override { first_->Text(text); }
  void EndPart() override { first_->EndPart(); }
  void End() override { first_->End(); }

 private:
  std::vector<std::unique_ptr<PartSink>> sinks_;  // the last one first
  PartSink* first_;
};

}  // namespace

std::unique_ptr<PartSink> DecoderSequence::NewSink(PartSink& next) const {
  auto chain = std::make_unique<SinkChain>(next);
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    chain->PutBefore(**step);
  }
  return chain;
}

}  // namespace penstock
