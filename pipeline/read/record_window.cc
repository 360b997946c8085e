#include "pipeline/read/record_window.h"

namespace penstock {

void RecordWindow::Clear(uint64_t begin) {
  begin_ = begin;
  bytes_ = std::make_shared<RecordBytes>();
  all_bytes_ = 0;
  records_.clear();
  hosts_.clear();
  order_.clear();
  used_ = 0;
}

void RecordWindow::Add(const SequenceRecord& record) {
  records_.push_back({.data = bytes_->Add(record.bytes).data(),
                      .size_bytes = record.size_bytes});
  if (record.host != kAnyHost) hosts_.push_back(record.host);
  all_bytes_ += record.size_bytes;
}

SequenceRecord RecordWindow::Find(uint64_t record_id) const {
  const size_t place = record_id - begin_;
  const Kept& kept = records_[place];
  SequenceRecord record = {.id = record_id, .size_bytes = kept.size_bytes};
  if (kept.data != nullptr) record.bytes = {kept.data, kept.size_bytes};
  if (!hosts_.empty()) record.host = hosts_[place];
  return record;
}

void RecordWindow::Close(ShuffleKey key, uint64_t epoch) {
  order_.resize(size());
  used_ = 0;
  if (!order_.empty()) FillWindow(key, epoch, begin_, order_.size(), 0, order_);
}

}  // namespace penstock
