"""Loads a tokenizer and encodes documents with one peer, for
bench/peers/tokenizers: see tokenizer_peer.cc, which prints the same line.

  tokenizer_jobs.py PEER FILE [DOCUMENTS]

DOCUMENTS are texts with a NUL byte after each.
"""

import json
import os
import sys
import time
import zlib

WARM_PASSES = 3


def load_tokenizers(path):
  os.environ["TOKENIZERS_PARALLELISM"] = "false"
  import tokenizers
  yield
  tokenizer = tokenizers.Tokenizer.from_file(path)
  documents = yield
  while True:
    rows = tokenizer.encode_batch_fast(documents)
    documents = yield (row.ids for row in rows)


def load_tiktoken(path):
  import tiktoken
  import tiktoken.load
  from tiktoken_ext import openai_public
  yield
  ranks = tiktoken.load.load_tiktoken_bpe(path)
  openai_public.load_tiktoken_bpe = lambda *_, **__: ranks
  name = os.path.basename(path).split(".")[0]
  encoding = tiktoken.Encoding(**getattr(openai_public, name)())
  documents = yield
  while True:
    documents = yield [encoding.encode_to_numpy(text, allowed_special="all")
                       for text in documents]


def load_sentencepiece(path):
  import sentencepiece
  yield
  model = sentencepiece.SentencePieceProcessor(model_file=path)
  documents = yield
  while True:
    documents = yield model.encode(documents, num_threads=1)


def load_gigatoken(path):
  import awkward
  import gigatoken
  yield
  if path.endswith(".tiktoken"):
    tokenizer = gigatoken.Tokenizer.from_tiktoken(path)
  elif path.endswith(".model"):
    tokenizer = gigatoken.Tokenizer.from_sentencepiece(path)
  else:
    tokenizer = gigatoken.Tokenizer(path)
  documents = yield
  while True:
    rows = tokenizer.encode_batch(documents, parallel=False)
    documents = yield [awkward.to_numpy(awkward.flatten(rows))]


def load_fastokens(path):
  import fastokens
  import numpy
  yield
  if path.endswith(".tiktoken"):
    tokenizer = fastokens.Tokenizer.from_tiktoken(
        path, encoding=os.path.basename(path).split(".")[0])
  else:
    tokenizer = fastokens.Tokenizer.from_file(path)
  documents = yield
  while True:
    ids, _ = tokenizer.encode_batch_flat(documents)
    documents = yield [numpy.frombuffer(ids, numpy.uint32)]


def load_tokie(path):
  import numpy
  import tokie
  yield
  tokenizer = tokie.Tokenizer.from_json(path)
  documents = yield
  while True:
    ids = tokenizer.encode_batch_flat(documents)[0]
    documents = yield [numpy.asarray(ids, numpy.uint32)]


def measure(step, argument=None):
  begin = time.process_time()
  result = step(argument)
  return time.process_time() - begin, result


def main():
  import numpy
  peer, path = sys.argv[1:3]
  job = globals()["load_" + peer](path)
  next(job)  # imports
  seconds, _ = measure(job.send)
  out = {"load": seconds}
  if len(sys.argv) > 3:
    with open(sys.argv[3], encoding="utf8", newline="") as file:
      documents = file.read().split("\0")[:-1]
    half = len(documents) // 2
    first, rows = measure(job.send, documents[:half])
    ids = [numpy.asarray(row, numpy.uint32) for row in rows]
    out["onward"], rows = measure(job.send, documents[half:])
    out["cold"] = first + out["onward"]
    ids += [numpy.asarray(row, numpy.uint32) for row in rows]
    out["ids"] = sum(len(row) for row in ids)
    out["digest"] = zlib.crc32(numpy.concatenate(ids).tobytes())
    out["warm"] = min(measure(job.send, documents)[0]
                      for _ in range(WARM_PASSES))
  print(json.dumps(out))


if __name__ == "__main__":
  main()
