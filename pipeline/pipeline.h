// A dataset at work on one host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/files/callback.h"
#include "formats/files/status_or.h"
#include "pipeline/batch.h"
#include "pipeline/compile_options.h"
#include "pipeline/contract.h"
#include "pipeline/dataset.h"
#include "pipeline/state.h"
#include "pipeline/topology.h"

namespace penstock {

struct PipelineProfile;  // pipeline/profile.h
struct StepTrace;        // pipeline/trace.h

// What is known of a step before its batch is built.
struct PlannedStep {
  size_t shape = 0;  // number of its length in Contract::lengths
  uint64_t real_rows = 0;
};

// Threads: Next() from one at a time; Cancel() and Leave() from any.
class Pipeline {
 public:
  Pipeline(Pipeline&&) noexcept;
  Pipeline& operator=(Pipeline&&) noexcept;
  ~Pipeline();

  // The next batch in order; nullopt after the last step of the last epoch. All
  // hosts give the same number of batches, and shape by shape the same.
  // Errors:  those of reading, parsing and tokenizing, for ever after;
  //          kCancelled after Cancel(); with a group, the first cause that any
  //          host failed for.
  StatusOr<std::optional<Batch>> Next();

  // Goes on from `state` instead of the start, on any number of hosts, devices
  // and threads, planned or streamed, and with any number of epochs that it has
  // not passed. Before the first Next(); all hosts from the same state.
  // Cost:    that of the rows that wait in the state; records that are read in
  //          sequence are read again from the file on that holds the first of
  //          them.
  // Errors:  kFailedPrecondition where the state is of another dataset or
  //          graph; the message says what differs.
  Status Restore(const State& state);

  // The state after `step` steps of the run, to Restore() where none was saved.
  // `progress`, where given, is told how many of how many records were looked
  // at. Planned only, where it is arithmetic.
  // Cost:    a look at the lengths of an epoch by all threads; no record is
  //          read.
  // Errors:  kFailedPrecondition for a step that the run does not have;
  //          kCancelled after Cancel(); kUnimplemented where streamed.
  StatusOr<State> StateAfter(
      uint64_t step,
      Callback<void(uint64_t done, uint64_t of)> progress = {}) const;

  // Which records step `step` (Batch::step, from 0) is made of, where they lie
  // and where they go, from the plan alone; no record is read. Otherwise as
  // StateAfter().
  StatusOr<StepTrace> Trace(
      uint64_t step,
      Callback<void(uint64_t done, uint64_t of)> progress = {}) const;

  // The steps of the run from its start, the first `most` or all. Streamed, the
  // data is read for the lengths of its rows, on all hosts, in the memory that
  // Explain() tells of without batches; Next() is an error from then on.
  // Cost:    about 30 ns a row; streamed, of reading, parsing and tokenizing.
  // Errors:  kInvalidArgument for all steps of a run without end; kCancelled
  //          after Cancel(); streamed, those of Next(), and
  //          kFailedPrecondition behind it and Restore().
  StatusOr<std::vector<PlannedStep>> WalkSteps(std::optional<uint64_t> most);

  // Ends every wait inside, on all hosts of the group. Never blocks.
  void Cancel();
  // The same, and the others are told why this host cannot go on.
  void Leave(const Status& why);

  const Contract& contract() const;
  const Topology& topology() const;
  // What a state is tied to: the data and each stage that decides batches.
  // Hosts, devices, threads and epochs do not.
  const std::vector<StatePart>& graph() const;
  // Steps of one epoch when that is known before reading: planned only, where
  // epochs have the same records and none are packed whole, as their order
  // decides then.
  std::optional<uint64_t> steps_per_epoch() const;
  // Records of one epoch when known: indexed sources only, where none comes
  // twice in it.
  std::optional<uint64_t> records_per_epoch() const;
  bool planned() const;
  // Up to the batch handed out last, or the end. Restore() goes on from those
  // of its state.
  PipelineCounts counts() const;
  // Records read in sequence so far, also those passed over on the way to a
  // state: rises while a host is slow, stands while it is stuck. From any
  // thread.
  uint64_t records_read() const;
  // Values lists of this host, since it began, that were cut to their batch's
  // length, other than of the feature that arranges (TooLong::kTruncate).
  uint64_t cut_rows() const;

  // For people: planned or streamed and why, the stages, shapes, steps, waste,
  // rows of each host, and the byte budget of every buffer with their sum.
  std::string Explain() const;
  // What each stage has done so far, and which one sets the speed. Any thread
  // may ask, at any time.
  PipelineProfile Profile() const;

 private:
  class Impl;
  explicit Pipeline(std::unique_ptr<Impl> impl);
  friend StatusOr<Pipeline> Compile(const Dataset&, const Topology&,
                                    CompileOptions);

  std::unique_ptr<Impl> impl_;
};

// Checks the graph, opens the data and chooses planned or streamed. With a
// group it waits until all hosts have done so and compares what they found.
// Errors:  kInvalidArgument for a graph that cannot work, saying what to
//          change; those of opening files and indexes; kFailedPrecondition for
//          zero records, and for hosts that differ, naming two and how;
//          kResourceExhausted where memory or threads end.
StatusOr<Pipeline> Compile(const Dataset& dataset, const Topology& topology,
                           CompileOptions options = {});

}  // namespace penstock
