#include "formats/records/guarded_reader.h"

#include <new>
#include <optional>
#include <utility>

#include "formats/files/function_ref.h"
#include "formats/files/memory_guard.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

class GuardedReader final : public RecordReader {
 public:
  GuardedReader(std::unique_ptr<RecordReader> reader, Status no_memory)
      : reader_(std::move(reader)), no_memory_(std::move(no_memory)) {}

  StatusOr<std::optional<RecordBlock>> NextBlock() override {
    if (out_of_memory_) return no_memory_;
    try {
      return reader_->NextBlock();
    } catch (const std::bad_alloc&) {
      // It may be in any state: nothing is asked of it any more.
      out_of_memory_ = true;
      return no_memory_;
    }
  }

  std::string Locate(size_t i) const override { return reader_->Locate(i); }
  const std::string& path() const override { return reader_->path(); }

 private:
  const std::unique_ptr<RecordReader> reader_;
  const Status no_memory_;  // made while there was some
  bool out_of_memory_ = false;
};

}  // namespace

StatusOr<std::unique_ptr<RecordReader>> OpenGuarded(
    const std::string& path,
    FunctionRef<StatusOr<std::unique_ptr<RecordReader>>()> open) {
  const Status no_memory = NoMemory(path, "read it");
  using Reader = StatusOr<std::unique_ptr<RecordReader>>;
  return GuardMemory(no_memory, [&]() -> Reader {
    PENSTOCK_ASSIGN_OR_RETURN(auto reader, open());
    return std::make_unique<GuardedReader>(std::move(reader), no_memory);
  });
}

}  // namespace penstock
