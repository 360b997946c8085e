"""Packs with Penstock and with Grain and prints the table."""

import argparse
import itertools
import json
import math
import subprocess
import time

import grain
import numpy
from grain.experimental import BestFitPackIterDataset, FirstFitPackIterDataset

LENGTH = 2048
BINS = 64
# (name, pack_bench's kind, Grain's packer, at least)
TABLE = [
    ("first fit", 0, FirstFitPackIterDataset, 60),
    ("best fit", 1, BestFitPackIterDataset, 60),
]


def document_lengths(records):
    """The distribution of bench/pipeline/bench_files.cc."""
    random = numpy.random.default_rng(1)
    lengths = numpy.exp(5.5 + random.standard_normal(records))
    return numpy.clip(lengths, 1, LENGTH).astype(int)


def run_grain(packer, rows, shuffled):
    """Tokens a second of processor time, and how full rows are, in %."""
    source = grain.MapDataset.source(rows)
    if shuffled:
        source = source.shuffle(seed=1)
    packed = packer(source.to_iter_dataset(grain.ReadOptions(num_threads=0)),
                    length_struct={"tokens": LENGTH},
                    num_packing_bins=BINS, shuffle_bins=False)
    made = 0
    real = 0
    begin = time.process_time()
    for row in packed:
        made += 1
        real += int(numpy.count_nonzero(row["tokens_segment_ids"]))
    seconds = time.process_time() - begin
    return real / seconds, 100 * real / (made * LENGTH)


def run_penstock(bench, kind, shuffled):
    """Of runs over rows in memory and over files, of the plan alone, and how
    full rows are, in %."""
    memory = f"BM_PackedColumns/kind:{kind}/shuffled:{shuffled}/process_time"
    files = (f"BM_Packed/kind:{kind}/shuffled:{shuffled}/streamed:0/"
             "process_time")
    plan = f"BM_PackPlan/kind:{kind}/rows:64/window:0"
    text = subprocess.run(
        [bench, "--benchmark_format=json", "--benchmark_min_time=0.5",
         f"--benchmark_filter=^({memory}|{files}|{plan})$"],
        check=True, capture_output=True, text=True).stdout
    found = {run["name"]: run for run in json.loads(text)["benchmarks"]}
    return (numpy.array([found[name]["tokens/s"]
                         for name in (memory, files, plan)]),
            found[plan]["fill_%"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bench", required=True)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--repetitions", type=int, default=5)
    options = parser.parse_args()
    rows = [{"tokens": numpy.arange(1, length + 1, dtype=numpy.int32)}
            for length in document_lengths(options.records)]
    print(f"Grain {grain.__version__}; M tokens/s of one thread's processor "
          "time, and how full rows are")
    for (name, kind, packer, least), shuffled in itertools.product(
            TABLE, (0, 1)):
        ours = numpy.zeros(3)
        theirs = 0
        for _ in range(options.repetitions):
            ours_now, our_fill = run_penstock(options.bench, kind, shuffled)
            theirs_now, their_fill = run_grain(packer, rows, shuffled)
            ours = numpy.maximum(ours, ours_now)
            theirs = max(theirs, theirs_now)
        memory, files, plan = ours
        order = "shuffled" if shuffled else "in order"
        print(f"{name:9} {order} penstock {memory / 1e6:7.1f}, from files "
              f"{files / 1e6:7.1f}, plan alone {plan / 1e6:7.1f} "
              f"({our_fill:.2f} %)   grain {theirs / 1e6:5.2f} "
              f"({their_fill:.2f} %)   {math.floor(memory / theirs)}x, from "
              f"files {math.floor(files / theirs)}x, should be {least}x",
              flush=True)


if __name__ == "__main__":
    main()
