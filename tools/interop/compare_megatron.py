"""Megatron-LM's samples as megatron-core makes them.

Random token files are written by megatron-core's IndexedDatasetBuilder; each
case draws one, a sequence length, a seed and how many samples are asked for, of
which most take several epochs. The tokens of every sample of its GPTDataset,
made by its own index builders (helpers_cpp), are those of Penstock's rows in
PackKind::kMegatron. Prints a line and exits 1 if any differs.

megatron-core needs no GPU for this, and of torch only names: where torch is not
installed, stand-ins of some lines take its place, and that of megatron-core's
modules that models are made of.
"""

import argparse
import importlib.util
import json
import logging
import pathlib
import random
import shutil
import sys
import types

from comparing import report, run


def stand_in(name, **members):
  module = types.ModuleType(name)
  module.__dict__.update(members)
  sys.modules[name] = module
  return module


def without_torch():
  """Lets megatron.core.datasets be imported where there is no torch."""
  data = stand_in("torch.utils.data", Dataset=object)
  utils = stand_in("torch.utils", data=data)
  distributed = stand_in("torch.distributed", is_initialized=lambda: False)
  stand_in("torch", utils=utils, distributed=distributed, Tensor=object)
  folder = pathlib.Path(
      importlib.util.find_spec("megatron").submodule_search_locations[0])
  # The packages, without what their __init__ imports.
  for name, path in (("megatron", folder), ("megatron.core", folder / "core")):
    stand_in(name).__path__ = [str(path)]
  stand_in("megatron.core.utils", log_single_rank=lambda *_, **__: None)
  stand_in("megatron.core.tokenizers", MegatronTokenizerBase=object)


class Tokenizer:
  unique_identifiers = {"class": "none"}
  vocab_size = None
  pad = 0
  eod = 1


def write_files(rng, folder, number):
  """A pair of files; its path, and the tokens in all."""
  import numpy
  from megatron.core.datasets import indexed_dataset
  prefix = str(folder / f"tokens-{number}")
  dtype = rng.choice([numpy.uint16, numpy.int32])
  longest = rng.choice([4, 40, 400])
  builder = indexed_dataset.IndexedDatasetBuilder(prefix + ".bin", dtype=dtype)
  total = 0
  for _ in range(rng.choice([1, 2, 5, 60, 300])):
    length = rng.randint(rng.choice([0, 1]), longest)
    values = [rng.randrange(60000) for _ in range(length)]
    builder.add_document(numpy.array(values, dtype), [length])
    total += length
  builder.finalize(prefix + ".idx")
  return prefix, total


def draw_case(rng, files):
  """Path, sequence length, seed and samples; 0 is as many as there are."""
  while True:
    prefix, total = rng.choice(files)
    length = rng.choice([1, 2, 7, 16, 63, 128, 500])
    # Enough for a sample, and no more than some ten thousand tokens.
    if total < 2 or length * 2 > total * 20:
      continue
    most = max(1, min(20000 // length, 6 * total // length))
    samples = rng.choice([0, rng.randint(1, most), rng.randint(1, most)])
    if samples == 0 and total < length + 1:
      continue
    return prefix, length, rng.randrange(2 ** 32), samples


def samples_of(case):
  """As lists of tokens."""
  import numpy
  from megatron.core.datasets import gpt_dataset, indexed_dataset
  from megatron.core.datasets.utils import Split
  prefix, length, seed, samples = case
  config = gpt_dataset.GPTDatasetConfig(
      random_seed=seed, sequence_length=length, blend=([prefix], None),
      split="1,0,0", path_to_cache=prefix + "-cache", tokenizer=Tokenizer(),
      reset_position_ids=False, reset_attention_mask=False,
      eod_mask_loss=False)
  files = indexed_dataset.IndexedDataset(prefix)
  dataset = gpt_dataset.GPTDataset(
      files, prefix, numpy.arange(len(files), dtype=numpy.int32),
      samples or None, Split.train, config)
  wanted = samples or len(dataset)
  made = [dataset._query_document_sample_shuffle_indices(i)[0].tolist()
          for i in range(wanted)]
  epochs = len(dataset.document_index) // len(files)
  return made, epochs


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
  parser.add_argument("--binary", type=pathlib.Path, required=True)
  parser.add_argument("--work", type=pathlib.Path, required=True)
  parser.add_argument("--cases", type=int, default=400)
  parser.add_argument("--seed", type=int, default=17)
  arguments = parser.parse_args()
  with_torch = importlib.util.find_spec("torch") is not None
  if not with_torch:
    without_torch()
  logging.disable(logging.WARNING)
  shutil.rmtree(arguments.work, ignore_errors=True)
  arguments.work.mkdir(parents=True)
  rng = random.Random(arguments.seed)
  files = [write_files(rng, arguments.work, i) for i in range(40)]
  cases = [draw_case(rng, files) for _ in range(arguments.cases)]
  theirs = [samples_of(case) for case in cases]
  lines = "".join(" ".join(map(str, case)) + "\n" for case in cases)
  ours = [json.loads(line) for line in
          run(arguments.binary, data=lines.encode()).decode().splitlines()]
  several = sum(epochs > 1 for _, epochs in theirs)
  what = (f"Megatron's samples ({sum(len(made) for made, _ in theirs)} of "
          f"megatron-core's GPTDataset{'' if with_torch else ' without torch'}, "
          f"{several} cases of several epochs)")
  sys.exit(not report(what, cases, [made for made, _ in theirs], ours))


if __name__ == "__main__":
  main()
