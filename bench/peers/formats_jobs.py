"""Does jobs with one peer for bench/peers/formats: see worker.cc, which
speaks the same lines.

  formats_jobs.py PEER       serves jobs; "ready" comes first
  formats_jobs.py PEER make FOLDER
"""

import json
import os
import pathlib
import runpy
import sys
import time

BATCH = 256
# Parsed again and again: as fresh from a file as in a pipeline.
PARSED = 8 * BATCH
GATHERED = 1024


def tfrecord_bytes(path):
  """Payloads of an uncompressed TFRecord file, for jobs that start in memory."""
  data = memoryview(pathlib.Path(path).read_bytes())
  records = []
  at = 0
  while at < len(data):
    size = int.from_bytes(data[at:at + 8], "little")
    records.append(bytes(data[at + 12:at + 12 + size]))
    at += size + 16
  return records


class Kept:
  """What a job makes once for a path."""

  def __init__(self, make):
    self.make = make
    self.kept = {}

  def __call__(self, path):
    if path not in self.kept:
      self.kept[path] = self.make(path)
    return self.kept[path]


def tensorflow_jobs():
  os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
  import tensorflow as tf
  tf.config.threading.set_intra_op_parallelism_threads(1)
  tf.config.threading.set_inter_op_parallelism_threads(1)

  def counter(compression):
    # Batched before it is reduced: a call per record would hide the reading.
    def make(path):
      dataset = tf.data.TFRecordDataset(
          path, compression, buffer_size=8 << 20).batch(BATCH)

      @tf.function
      def count():
        return dataset.reduce(tf.constant(0, tf.int64),
                              lambda n, b: n + tf.shape(b, tf.int64)[0])
      return count
    return Kept(make)

  def read(compression):
    make = counter(compression)
    return lambda path: int(make(path)())

  records = Kept(tfrecord_bytes)

  def write(compression):
    def job(path):
      source, target = path.split(":")
      rows = records(source)
      with tf.io.TFRecordWriter(target, compression) as writer:
        for row in rows:
          writer.write(row)
      return len(rows)
    return job

  batches = Kept(lambda path: [
      tf.constant(records(path)[at:at + BATCH])
      for at in range(0, PARSED, BATCH)])

  def parse(features):
    @tf.function
    def one(batch):
      return tf.io.parse_example(batch, features)

    def job(path):
      count = 0
      for batch in batches(path):
        one(batch)
        count += len(batch)
      return count
    return job

  text = {"text": tf.io.FixedLenFeature([], tf.string),
          "id": tf.io.FixedLenFeature([], tf.string),
          "label": tf.io.FixedLenFeature([], tf.int64)}
  tokens = {"tokens": tf.io.FixedLenFeature([2048], tf.int64)}
  return {"read": read(""), "read_gzip": read("GZIP"), "write": write(""),
          "write_gzip": write("GZIP"), "parse_text": parse(text),
          "parse_tokens": parse(tokens)}


def tfrecord_jobs():
  from tfrecord.reader import tfrecord_iterator

  def read(path):
    return sum(1 for _ in tfrecord_iterator(path))

  return {"read": read}


def grain_jobs():
  # Read in the calling thread, with no prefetch: its fastest on small rows.
  from grain import experimental

  def read(path):
    return sum(1 for _ in experimental.TFRecordIterDataset(path))

  return {"read": read}


def dali_jobs():
  from nvidia.dali import fn, pipeline_def, tfrecord

  def run_tfrecord2idx(path, index):
    # With TensorFlow in sight the script spends seconds on importing it.
    sys.modules["tensorflow"] = None
    sys.argv = ["tfrecord2idx", path, index]
    script = pathlib.Path(sys.executable).parent / "tfrecord2idx"
    runpy.run_path(str(script), run_name="__main__")

  def index(path):
    out = path + ".dali"
    run_tfrecord2idx(path, out)
    with open(out, "rb") as lines:
      return sum(1 for _ in lines)

  def make(path):
    if not os.path.exists(path + ".dali"):
      index(path)

    @pipeline_def(batch_size=BATCH, num_threads=1, device_id=None)
    def pipeline():
      features = fn.readers.tfrecord(
          path=path, index_path=path + ".dali", name="reader",
          features={
              "text": tfrecord.FixedLenFeature((), tfrecord.string, ""),
              "id": tfrecord.FixedLenFeature((), tfrecord.string, ""),
              "label": tfrecord.FixedLenFeature([1], tfrecord.int64, 0)})
      return features["text"], features["id"], features["label"]

    pipe = pipeline()
    pipe.build()
    size = pipe.reader_meta("reader")["epoch_size"]
    return pipe, size

  pipelines = Kept(make)

  def read_and_parse(path):
    pipe, size = pipelines(path)
    for _ in range(0, size, BATCH):
      pipe.run()
    return size

  return {"read_and_parse": read_and_parse, "index": index}


def array_record_jobs():
  import random
  from array_record.python import array_record_data_source
  from array_record.python import array_record_module

  # A record a chunk, not compressed: its fastest for random ids.
  def convert(path):
    out = path + ".array_record"
    if not os.path.exists(out):
      writer = array_record_module.ArrayRecordWriter(
          out, "group_size:1,uncompressed")
      for row in tfrecord_bytes(path):
        writer.write(row)
      writer.close()
    return array_record_data_source.ArrayRecordDataSource(out)

  sources = Kept(convert)
  rng = random.Random(3)

  def gather(path):
    source = sources(path)
    ids = [rng.randrange(len(source)) for _ in range(GATHERED)]
    return len(source.__getitems__(ids))

  return {"gather": gather}


PEERS = {"tensorflow": tensorflow_jobs, "tfrecord": tfrecord_jobs,
         "grain": grain_jobs, "dali": dali_jobs,
         "array_record": array_record_jobs}


def make_gzip(folder):
  """The GZIP file that everyone reads, as TensorFlow writes it."""
  target = f"{folder}/gzip-2048.tfrecord.gz"
  if not os.path.exists(target):
    tensorflow_jobs()["write_gzip"](f"{folder}/plain-2048.tfrecord:{target}.new")
    os.rename(f"{target}.new", target)


def serve(jobs, answers):
  """A job gives how many records it has had, or its whole answer."""
  warm = set()
  for line in sys.stdin:
    name, seconds, path = line.rstrip("\n").split(" ", 2)
    if (name, path) not in warm:
      answer = jobs[name](path)
      if isinstance(answer, dict):
        print(json.dumps(answer), file=answers, flush=True)
        continue
      warm.add((name, path))
    count = 0
    wall, cpu = time.monotonic(), time.process_time()
    while True:
      count += jobs[name](path)
      passed = time.monotonic() - wall
      if passed >= float(seconds):
        break
    cpu = time.process_time() - cpu
    print(f'{{"records":{count},"wall":{passed:.9f},"cpu":{cpu:.9f}}}',
          file=answers, flush=True)


def main():
  # What a peer prints is no answer.
  answers = os.fdopen(os.dup(1), "w")
  os.dup2(2, 1)
  if sys.argv[2:3] == ["make"]:
    make_gzip(sys.argv[3])
    return
  jobs = PEERS[sys.argv[1]]()
  print("ready", file=answers, flush=True)
  serve(jobs, answers)


if __name__ == "__main__":
  main()
