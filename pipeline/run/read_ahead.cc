#include "pipeline/run/read_ahead.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "formats/files/memory_guard.h"
#include "formats/files/status_or.h"
#include "pipeline/read/column_room.h"
#include "pipeline/run/spare_examples.h"
#include "pipeline/tasks/cancelled.h"
#include "pipeline/tasks/scratch_pool.h"

namespace penstock {

// Memory that one task leaves for the next.
struct ReadAhead::Scratch {
  LoadScratch load;
  DecodeScratch decode;
  std::vector<std::string_view> records;
  std::vector<uint64_t> ids;
  ColumnRoom room;
};

// A round on its way.
struct ReadAhead::Flight {
  Round round;
  uint64_t bytes = 0;  // counted against the budget while it is in flight
  std::vector<DecodedRows> rows;  // [parts]
  std::vector<size_t> next;       // [parts]: the next row of Round::mine
  std::vector<size_t> end;        // [parts]: where the part ends there
  size_t parts_left = 0;
  Status status;
  std::shared_ptr<TaskHome> home = std::make_shared<TaskHome>();
};

// Tasks hold it, so that they may outlive the reader.
struct ReadAhead::Shared {
  Shared(std::shared_ptr<const Job> job,
         std::shared_ptr<const RoundSource> source, int64_t quick_ns)
      : job(std::move(job)), source(std::move(source)), pace(quick_ns) {}

  // False where the next record wants memory for itself.
  StatusOr<bool> Decode(Flight& flight, size_t part, bool alone,
                        Scratch& scratch) const {
    auto& [load, decode, records, ids, room] = scratch;
    const Locate locate = [this](uint64_t id) { return source->Locate(id); };
    const Round& round = flight.round;
    const size_t end = flight.end[part];
    ids.clear();
    for (size_t i = flight.next[part]; i < end; ++i) {
      ids.push_back(round.records[round.mine[i]]);
    }
    std::span<const uint64_t> left = ids;
    DecodedRows& rows = flight.rows[part];
    if (rows.examples.columns.empty()) {
      rows.examples = spares->Take();
      room.Make(left.size(), rows.examples);
      rows.lengths.reserve(left.size());
      rows.rows_of.reserve(left.size());
    }
    while (!left.empty()) {
      size_t& next = flight.next[part];
      {
        const StageTimer timer(job->accounts->read);
        PENSTOCK_ASSIGN_OR_RETURN(
            const bool loaded,
            source->Load(round, next, left, kChunkBytes, alone, load, records));
        if (!loaded) return false;
      }
      alone = false;  // only for one
      PENSTOCK_RETURN_IF_ERROR(job->Decode(records, BytesOf(records),
                                           left.first(records.size()),
                                           round.epoch, locate, decode, rows));
      left = left.subspan(records.size());
      next += records.size();
    }
    room.Take(rows.examples);
    return true;
  }

  void Run(const std::shared_ptr<Flight>& flight, size_t part, bool alone,
           const std::shared_ptr<Shared>& self) {
    StatusOr<bool> done = no_memory;
    try {
      bool wanted = false;
      {
        const std::lock_guard lock(mutex);
        wanted = !gone && flight->status.ok();
      }
      std::unique_ptr<Scratch> scratch = unused.Borrow();
      done =
          wanted ? Decode(*flight, part, alone, *scratch) : PipelineCancelled();
      // What a large record needed is not kept.
      if (done.ok() && *done && !alone) unused.Return(std::move(scratch));
      if (done.ok() && !*done) {
        job->lane->Run(
            [self, flight, part] { self->Run(flight, part, true, self); });
        return;
      }
    } catch (const std::bad_alloc&) {
      done = no_memory;
    }
    bool wakes = false;
    {
      const std::lock_guard lock(mutex);
      flight->status.Update(done.status());
      if (--flight->parts_left > 0) return;
      --undecoded;
      pace.Count();
      wakes = IsWorthTaking();
    }
    if (wakes) decoded.notify_all();
  }

  // With the mutex locked: whether who waits for a round is to look for it.
  // Where they come quickly, once others have but half of what they had.
  bool IsWorthTaking() const {
    return !pace.quick() || undecoded <= in_flight / 2;
  }

  // Not by a condition_variable_any, which wakes with a mutex of its own still
  // locked: who is woken would only wait for that.
  Status Await(const Flight& flight, size_t flights,
               const std::stop_token& stop) {
    const std::stop_callback wake(stop, [this] {
      const std::lock_guard lock(mutex);  // not between a look and its wait
      decoded.notify_all();
    });
    std::unique_lock lock(mutex);
    in_flight = flights;
    if (flight.parts_left > 0) {
      decoded.wait(lock, [&] {
        return (flight.parts_left == 0 && IsWorthTaking()) ||
               stop.stop_requested();
      });
    }
    return flight.parts_left > 0 ? PipelineCancelled() : flight.status;
  }

  const std::shared_ptr<const Job> job;
  const std::shared_ptr<const RoundSource> source;
  const Status no_memory = NoMemory("the pipeline", "decode records");

  ScratchPool<Scratch> unused;
  const std::shared_ptr<SpareExamples> spares =
      std::make_shared<SpareExamples>();

  std::mutex mutex;
  std::condition_variable decoded;
  Pace pace;             // of decoded rounds
  size_t undecoded = 0;  // rounds
  size_t in_flight = 0;  // when a round was last asked for
  bool gone = false;
};

StatusOr<ReadAheadOptions> AgreeOn(ReadAheadOptions mine, Group& group) {
  const uint64_t wanted[] = {mine.budget_bytes, mine.rounds};
  PENSTOCK_ASSIGN_OR_RETURN(
      const std::vector<std::string> told,
      group.AllGather({reinterpret_cast<const char*>(wanted), sizeof(wanted)}));
  for (const std::string& bytes : told) {
    uint64_t theirs[2];
    if (bytes.size() != sizeof(theirs)) {
      return InternalError("a host does not say how far it reads ahead");
    }
    std::memcpy(theirs, bytes.data(), sizeof(theirs));
    mine.budget_bytes = std::min(mine.budget_bytes, theirs[0]);
    mine.rounds = std::min<size_t>(mine.rounds, theirs[1]);
  }
  return mine;
}

ReadAhead::ReadAhead(std::shared_ptr<const Job> job,
                     std::shared_ptr<RoundSource> source, TaskQueue& tasks,
                     ReadAheadOptions options)
    : job_(job),
      source_(source),
      tasks_(tasks),
      options_(options),
      shared_(std::make_shared<Shared>(std::move(job), std::move(source),
                                       options.quick_ns)) {}

ReadAhead::~ReadAhead() {
  const std::lock_guard lock(shared_->mutex);
  shared_->gone = true;
}

StatusOr<std::optional<DecodedRound>> ReadAhead::Next(
    const std::stop_token& stop) {
  while (!source_ended_ && HasRoom()) Start(stop);
  if (in_flight_.empty()) {
    if (!source_error_.ok()) {
      source_error_ = source_->CauseOf(source_error_);
      return source_error_;
    }
    return std::nullopt;
  }
  const std::shared_ptr<Flight> front = in_flight_.front();
  PENSTOCK_RETURN_IF_ERROR(shared_->Await(*front, in_flight_.size(), stop));
  in_flight_.pop_front();
  DecodedRound decoded;
  for (DecodedRows& rows : front->rows) {
    decoded.parts.push_back(
        {SpareExamples::Share(shared_->spares, std::move(rows.examples)),
         std::move(rows.lengths), std::move(rows.rows_of)});
  }
  decoded.home = front->home;
  decoded.round = std::move(front->round);
  decoded.round.raw.clear();
  decoded.round.memory.reset();
  return std::optional<DecodedRound>(std::move(decoded));
}

bool ReadAhead::HasRoom() const {
  if (in_flight_.empty()) return true;
  const size_t rounds = options_.rounds > 0
                            ? options_.rounds
                            : 2 * static_cast<size_t>(tasks_.threads());
  if (in_flight_.size() >= rounds) return false;
  uint64_t bytes = source_->NextBytes();
  for (const auto& flight : in_flight_) bytes += flight->bytes;
  return bytes + in_flight_.back()->bytes <= options_.budget_bytes;
}

// Where hosts go on alike, those of the host that decodes most.
uint64_t ReadAhead::RecordsCounted(const Round& round) const {
  if (!source_->meets()) return round.mine.size();
  std::vector<uint64_t> rows(job_->topology.hosts);
  for (const Share& share : round.shares) rows[share.host] += share.rows;
  return *std::ranges::max_element(rows);
}

void ReadAhead::Start(const std::stop_token& stop) {
  const int64_t waited_ns = source_->waited_ns();
  StatusOr<std::optional<Round>> round = [&] {
    const StageTimer timer(job_->accounts->read);
    return source_->Next(stop);
  }();
  // For what others read.
  const int64_t more_ns = source_->waited_ns() - waited_ns;
  job_->accounts->read.Charge(-more_ns);
  job_->accounts->exchange.Charge(more_ns);
  if (!round.ok() || !round->has_value()) {
    source_ended_ = true;
    source_error_ = round.status();
    return;
  }
  const auto flight = std::make_shared<Flight>();
  flight->round = **std::move(round);
  const size_t rows = flight->round.mine.size();
  flight->bytes = flight->round.memory_bytes +
                  RecordsCounted(flight->round) * job_->MostDecodedBytes();
  const size_t rows_of_part = options_.rows_of_part;
  const size_t parts = (rows + rows_of_part - 1) / rows_of_part;
  flight->rows.resize(parts);
  for (size_t part = 0; part < parts; ++part) {
    flight->next.push_back(part * rows_of_part);
    flight->end.push_back(std::min(rows, (part + 1) * rows_of_part));
  }
  flight->parts_left = parts;
  in_flight_.push_back(flight);
  StartParts(flight);
}

void ReadAhead::StartParts(const std::shared_ptr<Flight>& flight) {
  const size_t parts = flight->rows.size();
  if (parts == 0) return;
  {
    const std::lock_guard lock(shared_->mutex);
    ++shared_->undecoded;
  }
  for (size_t part = 0; part < parts; ++part) {
    try {
      tasks_.Run([shared = shared_, flight,
                  part] { shared->Run(flight, part, /*alone=*/false, shared); },
                 flight->home);
      continue;
    } catch (const std::bad_alloc&) {
    }
    const std::lock_guard lock(shared_->mutex);
    flight->status.Update(shared_->no_memory);
    flight->parts_left -= parts - part;

    return;
  }
}

}  // namespace penstock
