#include "tools/infeedsim/batch_arguments.h"

#include <algorithm>
#include <cstdint>

#include "tools/arguments/numbers.h"
#include "tools/infeedsim/simulation_arguments.h"

namespace penstock {

std::optional<BucketFeature> ReadBucketsWith(std::string_view text) {
  const size_t equals = text.rfind('=');
  if (equals == 0 || equals == std::string_view::npos) return std::nullopt;
  BucketFeature feature = {.by = std::string(text.substr(0, equals))};
  for (std::string_view left = text.substr(equals); !left.empty();) {
    left.remove_prefix(1);  // = or a comma
    const size_t end = std::min(left.find(','), left.size());
    const auto length = ReadWholeNumber(left.substr(0, end));
    const WholeRange lengths = {.least = 1, .most = INT64_MAX};
    if (!length || !lengths.Has(*length)) return std::nullopt;
    feature.lengths.push_back(static_cast<int64_t>(length->magnitude));
    left.remove_prefix(end);
  }
  return feature;
}

void AddBatches(Command& command, SimulationArguments& arguments) {
  ArgumentGroup& batches = command.Group("Batches");
  batches
      .Number("--buckets", arguments.buckets, "N",
              "Lengths of the buckets, such as 128,256,512")
      .AtLeast(1)
      .DefaultsTo("by least padding");
  batches
      .Option("--buckets-with", arguments.buckets_with, "FEATURE=N,N",
              "Features that have buckets of their own beside --by, as a "
              "decoder's beside an encoder's, such as targets=64,128: a batch "
              "then has one of the pairs of lengths")
      .MustBe("a feature, = and lengths with commas between them",
              [](std::string_view text) {
                return ReadBucketsWith(text).has_value();
              })
      .Needs("--buckets");
  batches
      .Number("--bucket-rows", arguments.bucket_rows, "N",
              "Rows of a batch of each bucket, or pair, instead of --batch, "
              "such as 1024,512,256")
      .AtLeast(1)
      .Excludes({"--batch"})
      .Needs("--buckets");
  batches
      .Number("--shapes", arguments.shapes, "N",
              "Buckets, at most, where their lengths are not given")
      .Between(1, 4096)
      .Excludes({"--buckets"});
  batches
      .Number("--multiple-of", arguments.multiple_of, "N",
              "Instead of buckets: pads each batch to a multiple")
      .AtLeast(1)
      .Excludes({"--buckets"});
  batches
      .Number("--max-length", arguments.max_length, "N",
              "Longest length with --multiple-of")
      .AtLeast(1)
      .Needs("--multiple-of");
  batches
      .Number("--pack", arguments.pack.length, "N",
              "Instead of buckets: puts several records into each row of N "
              "values")
      .AtLeast(1)
      .Excludes({"--buckets", "--multiple-of"});
  batches
      .Choice("--pack-kind", arguments.pack.kind,
              {{"first-fit", PackKind::kFirstFit},
               {"best-fit", PackKind::kBestFit},
               {"chunk", PackKind::kChunk},
               {"megatron", PackKind::kMegatron}},
              "The first open row with room, the one with the least in a "
              "window, records one after the other, cut where rows end, or "
              "Megatron-LM's samples in its order, unshuffled otherwise")
      .Needs("--pack");
  batches
      .Number("--pack-seed", arguments.pack.seed, "N",
              "That of --pack-kind megatron")
      .Between(0, UINT32_MAX)
      .Needs("--pack");
  batches
      .Number("--pack-samples", arguments.pack.samples, "N",
              "Rows that the run of --pack-kind megatron asked for in all; 0 "
              "is one pass over the data")
      .AtLeast(0)
      .Needs("--pack");
  batches
      .Number("--max-segments", arguments.pack.max_segments, "N",
              "Records in a row, at most; 0 is as many as fit")
      .AtLeast(0)
      .Needs("--pack");
  batches
      .Number("--pack-window", arguments.pack.window_rows, "ROWS",
              "Rows that are open, or packed, at once")
      .AtLeast(1)
      .DefaultsTo("1.25 batches and 64")
      .Needs("--pack");
  batches
      .Flag("--balance", arguments.balance,
            "Places the rows of a batch so that cores and micro-batches cost "
            "about the same")
      .Needs("--pack");
  batches
      .Number("--micro-batches", arguments.micro_batches, "N",
              "Of each core, which --balance makes level, too")
      .Between(1, 4096)
      .Needs("--balance");
  batches.Choice("--too-long", arguments.too_long,
                 {{"error", TooLong::kError},
                  {"truncate", TooLong::kTruncate},
                  {"drop", TooLong::kDrop}},
                 "What happens to longer rows");
  batches.Number("--pad-value", arguments.pad_value, "X", "Value of padding");
  batches
      .Number("--batch", arguments.batch.size, "ROWS",
              "Rows of a global batch, a multiple of the devices that cut them")
      .AtLeast(1);
  batches.Choice(
      "--leftover", arguments.batch.leftover,
      {{"pad", Leftover::kPad},
       {"drop", Leftover::kDrop},
       {"error", Leftover::kError},
       {"carry", Leftover::kCarry}},
      "What happens at the end of an epoch to rows that do not fill a "
      "batch; carried ones wait for the next epoch");
  batches
      .Flag(
          "--merge-leftovers", arguments.merge_leftovers,
          "Puts them into a batch of longer rows that has room, instead of one "
          "of their own")
      .Needs("--buckets");
}

}  // namespace penstock
