#include "formats/corpora/example_text.h"

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/example/example_parser.h"
#include "formats/example/row_summary.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

constexpr std::string_view kWhatToDo =
    "; example_feature says which is the document, or \"-\" for records as "
    "they are stored";

class ExampleTextReader final : public RecordReader {
 public:
  ExampleTextReader(std::unique_ptr<RecordReader> inner,
                    ExampleTextOptions options)
      : inner_(std::move(inner)), options_(std::move(options)) {}

  StatusOr<std::optional<RecordBlock>> NextBlock() override {
    first_ += std::exchange(given_, 0);
    while (failed_.ok()) {
      PENSTOCK_ASSIGN_OR_RETURN(const auto block, inner_->NextBlock());
      if (!block) return std::nullopt;
      if (AreExamples(*block) == false) {
        rows_.clear();
        given_ = block->records.size();
        return RecordBlock{block->records, first_};
      }
      failed_ = Parse(block->records);
      given_ = texts_.size();
      if (given_ > 0) return RecordBlock{texts_, first_};
    }
    return failed_;
  }

  std::string Locate(size_t i) const override {
    return inner_->Locate(rows_.empty() ? i : rows_[i]);
  }

  const std::string& path() const override { return inner_->path(); }

 private:
  // Decides it by the first record that is not empty. Text is an Example by
  // chance where its bytes make a message of unknown fields; so features are
  // asked for.
  bool AreExamples(const RecordBlock& block) {
    if (!options_.only_of_examples) return true;
    for (const std::string_view record : block.records) {
      if (are_examples_) return *are_examples_;
      if (record.empty()) continue;
      const auto features = summarizer_.Summarize(record);
      are_examples_ = features.ok() && !features->empty();
    }
    return are_examples_.value_or(false);
  }

  Status Parse(std::span<const std::string_view> records) {
    rows_.clear();
    texts_.clear();
    columns_.Clear();
    if (!parser_) {
      PENSTOCK_ASSIGN_OR_RETURN(
          parser_, ExampleParser::Create({{.name = options_.feature,
                                           .type = FeatureType::kBytes,
                                           .length = 1}}));
    }
    Status status;
    for (size_t begin = 0; begin < records.size() && status.ok();) {
      const size_t before = columns_.rows;
      const Status parsed = parser_->Parse(
          records.subspan(begin),
          [&](size_t i) { return inner_->Locate(begin + i); }, columns_);
      for (size_t i = before; i < columns_.rows; ++i) rows_.push_back(begin++);
      if (parsed.ok()) break;
      status = parsed.code() == StatusCode::kInvalidArgument
                   ? InvalidArgumentError(std::string(parsed.message()) +
                                          std::string(kWhatToDo))
                   : parsed;
      ++begin;
      if (options_.on_bad_part) {
        status = options_.on_bad_part(BadPart::kDocument, status);
      }
    }
    if (columns_.rows == 0) return status;
    const Column& column = columns_.columns[0];
    for (size_t i = 0; i < columns_.rows; ++i) {
      texts_.push_back(column.bytes_at(i));
    }
    return status;
  }

  const std::unique_ptr<RecordReader> inner_;
  const ExampleTextOptions options_;
  RowSummarizer summarizer_;
  std::optional<bool> are_examples_;
  std::optional<ExampleParser> parser_;
  Examples columns_;
  std::vector<std::string_view> texts_;  // of the block
  std::vector<size_t> rows_;  // [texts], in the block underneath; or none
  uint64_t first_ = 0;
  uint64_t given_ = 0;
  Status failed_;
};

}  // namespace

std::unique_ptr<RecordReader> ReadExampleText(
    std::unique_ptr<RecordReader> records, ExampleTextOptions options) {
  return std::make_unique<ExampleTextReader>(std::move(records),
                                             std::move(options));
}

}  // namespace penstock
