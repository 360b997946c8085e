"""Does jobs with one peer for bench/peers/pipeline: epochs of batches, each
`tokens` [rows, length], padded with 0, and `lengths` [rows].

  pipeline_jobs.py PEER      serves jobs as formats_jobs.py does
"""

import bisect
import os
import sys

import numpy

import formats_jobs

BATCH = 256
LENGTHS = (128, 256, 512, 1024)
BATCHED_BEFORE_PARSED = 32 << 10  # bytes of a sample


def collate(rows, length):
  tokens = numpy.zeros((len(rows), length), numpy.int32)
  lengths = numpy.empty(len(rows), numpy.int32)
  for i, row in enumerate(rows):
    tokens[i, :len(row)] = row
    lengths[i] = len(row)
  return tokens, lengths


def bucketed(rows):
  """Batches of rows that are sequences, at last those that are not full."""
  waiting = [[] for _ in LENGTHS]
  for row in rows:
    bucket = bisect.bisect_left(LENGTHS, len(row))
    waiting[bucket].append(row)
    if len(waiting[bucket]) == BATCH:
      yield collate(waiting[bucket], LENGTHS[bucket])
      waiting[bucket] = []
  for bucket, rows_left in enumerate(waiting):
    if rows_left:
      yield collate(rows_left, LENGTHS[bucket])


def both(name, batches):
  """The job that is measured, and the one whose output is compared."""
  def count(path):
    return sum(len(lengths) for _, lengths in batches(path))

  def content(path):
    answer = {"records": 0, "values": 0, "sum": 0}
    for tokens, lengths in batches(path):
      answer["records"] += len(lengths)
      answer["values"] += int(lengths.sum())
      answer["sum"] += int(tokens.sum(dtype=numpy.int64))
    return answer

  return {name: count, name + "_content": content}


def encoder(path):
  import tokenizers
  return tokenizers.Tokenizer.from_file(path)


def tensorflow_jobs():
  os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
  import tensorflow as tf
  tf.config.threading.set_intra_op_parallelism_threads(1)
  tf.config.threading.set_inter_op_parallelism_threads(1)

  def records(path, buffer_bytes=8 << 20):
    options = tf.data.Options()
    options.threading.private_threadpool_size = 1
    return tf.data.TFRecordDataset(
        path, buffer_size=buffer_bytes).with_options(options)

  # One by one: on one thread faster than batches that come apart again.
  def bucket(path):
    feature = {"tokens": tf.io.RaggedFeature(tf.int64)}

    def parse(record):
      tokens = tf.io.parse_single_example(record, feature)["tokens"]
      return tf.cast(tokens, tf.int32), tf.size(tokens)

    return records(path).map(parse).bucket_by_sequence_length(
        lambda tokens, length: length,
        bucket_boundaries=[length + 1 for length in LENGTHS],
        bucket_batch_sizes=[BATCH] * (len(LENGTHS) + 1),
        pad_to_bucket_boundary=True)

  # `path` is "bytes of a sample:rows of a batch:file". Each way is the faster
  # one of its samples, and its own buffer is faster than a larger one.
  def samples(path):
    size, rows, file = path.split(":")
    size, rows = int(size), int(rows)
    feature = {"sample": tf.io.FixedLenFeature([], tf.string)}

    def parse(record):
      sample = tf.io.parse_single_example(record, feature)["sample"]
      return tf.ensure_shape(tf.io.decode_raw(sample, tf.uint8), [size])

    def parse_batch(batch):
      samples = tf.io.parse_example(batch, feature)["sample"]
      return tf.ensure_shape(tf.io.decode_raw(samples, tf.uint8), [None, size])

    read = records(file, buffer_bytes=None)
    if size < BATCHED_BEFORE_PARSED:
      return read.batch(rows).map(parse_batch)
    return read.map(parse).batch(rows)

  samples_dataset = formats_jobs.Kept(samples)

  def count_samples(path):
    # Its tensors: as numpy arrays they would be copied.
    return sum(len(batch) for batch in samples_dataset(path))

  def content_of_samples(path):
    answer = {"records": 0, "values": 0, "sum": 0}
    for batch in samples_dataset(path).as_numpy_iterator():
      sums = batch.sum(axis=1, dtype=numpy.int64)
      for number, total in enumerate(sums, answer["records"] + 1):
        answer["sum"] += number * int(total)
      answer["records"] += len(batch)
      answer["values"] += batch.size
    return answer

  bucket_dataset = formats_jobs.Kept(bucket)
  texts_dataset = formats_jobs.Kept(
      lambda path: records(path).batch(BATCH).map(
          lambda batch: tf.io.parse_example(
              batch, {"text": tf.io.FixedLenFeature([], tf.string)})["text"]))
  encoders = formats_jobs.Kept(encoder)

  def encoded(path):
    tokenizer, texts = path.split(":")
    encode = encoders(tokenizer).encode_batch_fast
    for batch in texts_dataset(texts).as_numpy_iterator():
      for found in encode([text.decode() for text in batch]):
        yield found.ids

  return {
      "samples": count_samples, "samples_content": content_of_samples,
      **both("bucket",
             lambda path: bucket_dataset(path).as_numpy_iterator()),
      **both("text", lambda path: bucketed(encoded(path)))}


def grain_jobs():
  import grain
  from grain import experimental
  from tensorflow.core.example import example_pb2

  def examples(path, parse):
    # Read in the calling thread, with no prefetch: its fastest on small rows.
    return experimental.TFRecordIterDataset(path).map(parse)

  def parse_tokens(record):
    example = example_pb2.Example.FromString(record)
    return numpy.array(example.features.feature["tokens"].int64_list.value,
                       numpy.int32)

  def parse_text(record):
    example = example_pb2.Example.FromString(record)
    return example.features.feature["text"].bytes_list.value[0].decode()

  encoders = formats_jobs.Kept(encoder)

  def encoded(path):
    tokenizer, texts = path.split(":")
    encode = encoders(tokenizer).encode_batch_fast
    batches = examples(texts, parse_text).batch(
        BATCH, drop_remainder=False, batch_fn=list)
    for batch in batches:
      for found in encode(batch):
        yield found.ids

  return {
      **both("bucket", lambda path: bucketed(examples(path, parse_tokens))),
      **both("text", lambda path: bucketed(encoded(path)))}


def numpy_jobs():
  from tensorflow.core.example import example_pb2

  def rows(make):
    return formats_jobs.Kept(lambda path: [
        make(example_pb2.Example.FromString(
            record).features.feature["tokens"].int64_list.value)
        for record in formats_jobs.tfrecord_bytes(path)])

  arrays = rows(lambda values: numpy.array(values, numpy.int32))
  lists = rows(list)
  return {**both("arrays", lambda path: bucketed(arrays(path))),
          **both("lists", lambda path: bucketed(lists(path)))}


PEERS = {"tensorflow": tensorflow_jobs, "grain": grain_jobs,
         "numpy": numpy_jobs}


def main():
  # What a peer prints is no answer.
  answers = os.fdopen(os.dup(1), "w")
  os.dup2(2, 1)
  jobs = PEERS[sys.argv[1]]()
  print("ready", file=answers, flush=True)
  formats_jobs.serve(jobs, answers)


if __name__ == "__main__":
  main()
