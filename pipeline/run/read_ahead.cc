#include "pipeline/run/read_ahead.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {

struct ReadAhead::InFlight {
  Round round;
  std::shared_ptr<const Examples> examples;
  Status status;
  bool done = false;
};

// Tasks hold it, so that they may outlive the reader.
struct ReadAhead::Shared {
  Shared(std::shared_ptr<const Job> job,
         std::shared_ptr<const RoundSource> source)
      : job(std::move(job)), source(std::move(source)) {}

  const std::shared_ptr<const Job> job;
  const std::shared_ptr<const RoundSource> source;

  std::mutex mutex;
  std::condition_variable decoded;
  bool cancelled = false;
  uint64_t bytes = 0;    // of rounds in flight and of rows that still live
  uint64_t largest = 0;  // bytes of a round, so far
};

namespace {

// Rows and what they count against the budget.
template <typename Shared>
struct Charged {
  ~Charged() {
    const std::lock_guard lock(shared->mutex);
    shared->bytes -= bytes;
  }

  std::shared_ptr<Shared> shared;
  uint64_t bytes = 0;
  Examples examples;
};

Status LoadAndDecode(const Job& job, const RoundSource& source, Round& round,
                     Examples& out) {
  PENSTOCK_RETURN_IF_ERROR(source.Load(round));
  return job.decoder.Decode(
      round.records.records, round.ids,
      [&](uint64_t id) { return source.Locate(id); }, out);
}

}  // namespace

ReadAhead::ReadAhead(std::shared_ptr<const Job> job,
                     std::shared_ptr<RoundSource> source, Workers& workers,
                     uint64_t budget_bytes)
    : source_(source),
      workers_(workers),
      budget_bytes_(budget_bytes),
      shared_(std::make_shared<Shared>(std::move(job), std::move(source))) {}

ReadAhead::~ReadAhead() = default;

StatusOr<std::optional<DecodedRound>> ReadAhead::Next() {
  while (!source_ended_ && HasRoom()) Start();
  if (in_flight_.empty()) {
    if (!source_error_.ok()) return source_error_;
    return std::nullopt;
  }
  const std::shared_ptr<InFlight> front = in_flight_.front();
  {
    std::unique_lock lock(shared_->mutex);
    shared_->decoded.wait(lock,
                          [&] { return front->done || shared_->cancelled; });
    if (shared_->cancelled) {
      return CancelledError("the pipeline was cancelled");
    }
  }
  if (!front->status.ok()) return front->status;
  in_flight_.pop_front();
  return std::optional<DecodedRound>(
      {std::move(front->round), std::move(front->examples)});
}

bool ReadAhead::HasRoom() const {
  if (in_flight_.empty()) return true;
  if (in_flight_.size() >= 2 * static_cast<size_t>(workers_.threads())) {
    return false;
  }
  const std::lock_guard lock(shared_->mutex);
  // Until a round has been decoded nobody knows how large one is.
  return shared_->largest > 0 &&
         shared_->bytes + shared_->largest <= budget_bytes_;
}

void ReadAhead::Start() {
  StatusOr<std::optional<Round>> round = source_->Next();
  if (!round.ok() || !round->has_value()) {
    source_ended_ = true;
    source_error_ = round.status();
    return;
  }
  auto flight = std::make_shared<InFlight>();
  flight->round = *std::move(*round);
  in_flight_.push_back(flight);
  uint64_t reserved = 0;
  {
    const std::lock_guard lock(shared_->mutex);
    reserved = shared_->largest;
    shared_->bytes += reserved;
  }
  workers_.Run([shared = shared_, flight = std::move(flight), reserved] {
    const auto rows = std::make_shared<Charged<Shared>>();
    rows->shared = shared;
    Status status = LoadAndDecode(*shared->job, *shared->source, flight->round,
                                  rows->examples);
    const uint64_t record_bytes = flight->round.records.bytes.size();
    flight->round.records = {};
    const uint64_t row_bytes = SizeBytes(rows->examples);
    const std::lock_guard lock(shared->mutex);
    shared->largest =
        std::max({shared->largest, record_bytes + row_bytes, uint64_t{1}});
    shared->bytes += row_bytes - reserved;
    rows->bytes = row_bytes;
    flight->examples = {rows, &rows->examples};
    flight->status = std::move(status);
    flight->done = true;
    shared->decoded.notify_all();
  });
}

void ReadAhead::Cancel() {
  const std::lock_guard lock(shared_->mutex);
  shared_->cancelled = true;
  shared_->decoded.notify_all();
}

}  // namespace penstock
