"""The event file of a run, as TensorFlow reads it, against the run's report.

Prints a line for each comparison and exits 1 if any differs.
"""

import json

import tensorflow as tf

from comparing import random_texts, run, run_record_comparisons


def scalars(path):
  """{tag: {step: value}} of an event file, and the version it names."""
  found, version = {}, None
  for event in tf.compat.v1.train.summary_iterator(str(path)):
    version = event.file_version or version
    for value in event.summary.value:
      found.setdefault(value.tag, {})[event.step] = value.simple_value
  return found, version


def events_of_a_run(arguments, work):
  source = work / "texts.txt"
  source.write_text("\n".join(random_texts(2000, longest=100)) + "\n",
                    encoding="utf-8")
  run(arguments.bin / "datagen", "--input", source, "--output", work,
      "--name", "tokens", "--unit", "line", "--tokenizer", "bytes",
      "--shards", 2, "--quiet")
  run(arguments.bin / "infeedsim", work / "tokens-train.tfrecord@2", "--by",
      "tokens", "--buckets", "128,512", "--batch", 64, "--step-time", 0.1,
      "--compile-time", 1, "--json", work / "report.json", "--tensorboard",
      work)
  report = json.loads((work / "report.json").read_text())
  [path] = work.glob("events.out.tfevents.*")
  found, version = scalars(path)
  yield "TensorFlow takes the file's version", version == "brain.Event:2"
  steps = found["infeed/step_ms"]
  yield "each step is told once", sorted(steps) == list(
      range(1, report["steps"] + 1))
  lengths = sorted(found["infeed/length"].values())
  want = sorted(shape["length"] for shape in report["shapes"]
                for _ in range(shape["steps"]))
  yield "lengths are those of the shapes", lengths == want
  [padding] = found["infeed/padding_percent"].values()
  yield "padding is the report's", abs(
      padding - report["rows"]["padding_percent"]) < 1e-4
  compile_ms = sum(found["infeed/compile_ms"].values())
  want = sum(event["compile_ns"] for event in report["compiles"]) * 1e-6
  yield "compiles take the report's time", abs(compile_ms - want) < 1e-3


if __name__ == "__main__":
  run_record_comparisons(__doc__, [events_of_a_run])
