// Prints the rows of Penstock's Megatron order, for compare_megatron.py.
//
// A line of input is a case: token files, sequence length, seed and samples,
// with spaces between; a line of output has the tokens of its rows as JSON, or
// an error as a text.

#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/dataset.h"
#include "pipeline/pipeline.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

StatusOr<Json> RowsOf(const std::string& line) {
  std::istringstream words(line);
  std::string path;
  int64_t length = 0;
  uint64_t seed = 0;
  uint64_t samples = 0;
  if (!(words >> path >> length >> seed >> samples)) {
    return InvalidArgumentError("a case is PATH LENGTH SEED SAMPLES");
  }
  // The value more is the label of the last.
  const Dataset dataset = Dataset::MegatronTokens(path)
                              .Pack({.by = "tokens",
                                     .length = length + 1,
                                     .kind = PackKind::kMegatron,
                                     .seed = seed,
                                     .samples = samples})
                              .Batch({.size = 16});
  PENSTOCK_ASSIGN_OR_RETURN(Pipeline pipeline,
                            Compile(dataset, {}, {.threads = 1}));
  Json rows = Json::array();
  for (;;) {
    PENSTOCK_ASSIGN_OR_RETURN(const auto batch, pipeline.Next());
    if (!batch) return rows;
    const auto tokens = batch->tensors[0].values<int32_t>();
    for (size_t row = 0; row < batch->rows(); ++row) {
      if (batch->row_offsets[row] == batch->row_offsets[row + 1]) continue;
      const auto width = static_cast<size_t>(length) + 1;
      const auto sample = tokens.subspan(row * width, width);
      rows.push_back(std::vector<int32_t>(sample.begin(), sample.end()));
    }
  }
}

}  // namespace
}  // namespace penstock

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto rows = penstock::RowsOf(line);
    const penstock::Json facts =
        rows.ok() ? *rows : penstock::Json(rows.status().ToString());
    std::cout << facts.dump() << '\n';
  }
  return 0;
}
