#include "pipeline/read/open_sequence.h"

#include <utility>
#include <vector>

#include "pipeline/graph/zip.h"
#include "pipeline/read/record_sequence.h"
#include "pipeline/read/shared_sequence.h"
#include "pipeline/read/zipped_sequence.h"

namespace penstock {
namespace {

// Of a side that is in no files of records.
std::shared_ptr<const SourceRecords> ByNumber(const Source& side) {
  if (side.columns == nullptr && side.megatron == nullptr) return nullptr;
  const uint64_t records = side.columns != nullptr ? side.columns->rows()
                                                   : side.megatron->sequences();
  return std::make_shared<const SourceRecords>(
      nullptr,
      std::vector<RecordSource>{
          {records, {{.columns = side.columns, .megatron = side.megatron}}}});
}

}  // namespace

std::unique_ptr<Sequence> OpenSequence(FileSystem& files, const Stages& stages,
                                       const Sources& sources, Group* group,
                                       const UnitReaderOptions& reader) {
  const auto open = [&](const Source& source,
                        bool deals) -> std::unique_ptr<Sequence> {
    if (group == nullptr) {
      return std::make_unique<RecordSequence>(files, source.paths,
                                              source.options);
    }
    UnitReaderOptions options = reader;
    options.deals = deals;
    return std::make_unique<SharedSequence>(*group, files, source.paths,
                                            source.options, options);
  };
  bool deals = reader.deals;
  const Source& only = sources.each.front();
  if (only.sides.empty()) return open(only, deals);
  std::vector<ZipDataset> zipped;
  for (size_t s = 0; s < only.sides.size(); ++s) {
    const Source& side = only.sides[s];
    ZipDataset& dataset = zipped.emplace_back();
    dataset.name = NameOfRead(stages.sources.front().sides[s]);
    dataset.numbered = ByNumber(side);
    if (dataset.numbered != nullptr) {
      dataset.part = PartOf(side.part, dataset.numbered->records());
      continue;
    }
    dataset.part = side.part;
    dataset.units = side.paths.size();
    // Whoever decodes the records of the first of them is sent the others.
    dataset.sequence = open(side, std::exchange(deals, false));
  }
  return std::make_unique<ZippedSequence>(std::move(zipped), group,
                                          reader.max_record_bytes);
}

}  // namespace penstock
