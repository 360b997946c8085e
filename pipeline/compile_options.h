// How a dataset is made to run: threads, memory, and the hosts beside this one.
#pragma once

#include <cstdint>
#include <vector>

namespace penstock {

class FileSystem;  // formats/files/file.h
class Group;       // pipeline/group.h

// In what a run may go on other than it was, from a state on.
enum class Change {
  // Batch, Bucket, Pad and Pack: a ramp of sizes and lengths. The order goes
  // on; rows that waited come first.
  kBatches,
  // The weights of the Mix that is the last view of the graph, and its MixStop.
  // Each dataset goes on where it was; of this epoch those rows come that have
  // not yet, in the new ratio.
  kMix,
  // Datasets of one source each that are put behind the others of that Mix, and
  // its weights. They begin with their first record.
  kSources,
  // Dataset::Withdraw: others keep their places, those that came do not come
  // again.
  kWithdrawn,
};

// Which records a host feeds.
enum class ShardBy {
  // Any: a row belongs to the global batch, and hosts are how that is dealt
  // out. Batches and states do not depend on hosts.
  kPlan,
  // As programs have it whose hosts each read a part of the data: a host's rows
  // of every batch are of its own part of each source, in an order of its own
  // (the key of each Shuffle is hashed from the host, too), and Take, Skip,
  // Slice, Repeat and Mix are of that part. Batches depend on the number of
  // hosts, so a state goes on only on as many. Where a part has no more rows,
  // rows of weight 0 stand for them; under Leftover::kDrop all parts end with
  // the shortest.
  // Host h reads the files f with f mod hosts = h; of a Zip, whose files must
  // have as many records in all its datasets, those of each.
  kFile,
  kRecord,  // and the records i with i mod hosts = h
  kRange,   // and records that follow each other, as many as others or one more
  kAuto,    // kFile where every source's files divide by the hosts, or kRecord
};

// Which of several hosts reads files whose records can only be read in
// sequence. Batches and states are the same.
enum class SequenceReading {
  // What is quickest of those below; Explain() says which, and why.
  kAuto,
  // Each file is read and decoded by one host, and rows go to who feeds them.
  // Of files much longer than what is read ahead one host decodes at a time.
  kOneDecodes,
  // Each file is read by one host, which sends records to all for decoding.
  kOneReads,
  // Every host reads every file, and decodes a part. Nothing needs a group that
  // does not need one otherwise.
  kAllRead,
};

struct CompileOptions {
  // Tasks that run at once; 0 is one for each core that the process may use.
  // The threads are those of the process, shared by all its pipelines.
  int threads = 0;
  // Bytes of batches that are built and not yet taken, at most; one batch is
  // always allowed. Streamed, a quarter as much again is read ahead.
  uint64_t buffer_bytes = 256ull << 20;
  // A host's part of a batch may be no larger.
  uint64_t max_batch_bytes = 16ull << 30;
  // Nor a record, as it is stored; of gzip members, the member it lies in.
  uint64_t max_record_bytes = 64ull << 20;
  // Streamed: bytes of decoded rows of all hosts that wait for a batch of their
  // length. Past it the queue that holds most becomes a batch with padding,
  // which PipelineCounts::forced counts.
  uint64_t waiting_bytes = 4ull << 30;
  // Bytes of records in a window that is shuffled where records are read in
  // sequence: windows end earlier than ShuffleOptions says once they have
  // these.
  uint64_t window_bytes = 256ull << 20;
  // All hosts of the run. Needed for more than one host when the pipeline is
  // streamed and lengths matter; otherwise it makes a host that differs, fails
  // or leaves known to all. Borrowed; must outlive the pipeline. Null is the
  // group of one host.
  Group* group = nullptr;
  // Borrowed. Null is LocalFiles().
  FileSystem* files = nullptr;
  // What may be other than in the graph of a state that Restore() is given.
  // The run then goes on from that step by this graph, and its states say so
  // (State::lineage). May stay where nothing changed. All else that differs is
  // refused. Planned only.
  std::vector<Change> changed = {};
  // Runs the streamed placement even where the planned one is possible.
  bool force_streamed = false;
  // All but kPlan need records that are reached by number (an index beside each
  // file), hosts that each feed rows of their own, and no balance. The same on
  // all hosts.
  ShardBy shard_by = ShardBy::kPlan;
  // The same on all hosts. Those in which one host reads need a group, and
  // damage that ends the run.
  SequenceReading sequence = SequenceReading::kAuto;
};

}  // namespace penstock
