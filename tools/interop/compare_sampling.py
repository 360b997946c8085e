#!/usr/bin/env python3
"""Compares what `tokenize --sample` draws from a tokenizer.json's Unigram with
what Hugging Face tokenizers draw: as often the same ids, as far as the number
of draws tells. Drawn from the n best, ways of the same pieces in another order
are one: which of them are among the best is left to chance.

Run in an environment that has the package:

  python tools/interop/compare_sampling.py \\
      --tokenize-binary build/release/bin/tokenize --fixtures DIR

Prints a line for each vocabulary; exits 1 on any difference.
"""

import collections
import json
import math
import os
import random
import sys
import tempfile

import tokenizers
from tokenizers import models

from comparing import ids_of, options_parser

DRAWS = 20000
# Of the number of standard deviations that all counts of a case together are
# off by: one case in three million has more by chance.
MOST = 5


def vocabulary(rng):
    """Pieces of three letters and their scores."""
    pieces = {"a", "b"} | ({"c"} if rng.random() < 0.5 else set())
    while len(pieces) < 10:
        pieces.add("".join(rng.choice("abc")
                           for _ in range(rng.randint(2, 4))))
    return [("<unk>", 0.0)] + [
        (piece, rng.uniform(-4, -0.5) * (1 + len(piece) / 4))
        for piece in sorted(pieces)]


def theirs(vocab, word, alpha, best):
    model = models.Unigram(vocab, unk_id=0, byte_fallback=False)
    model.alpha = alpha
    model.nbest_size = best
    return collections.Counter(
        tuple(token.id for token in model.tokenize(word))
        for _ in range(DRAWS))


def ours(binary, path, word, alpha, best, seed):
    """The word behind numbers: each text has draws of its own, and what is
    before the space is one unknown token."""
    arguments = ["--tokenizer", path, "--sample", str(seed), "--alpha",
                 repr(alpha)] + (["--nbest", str(best)] if best else [])
    rows = ids_of(binary, arguments,
                  ["{} {}".format(i, word) for i in range(DRAWS)])
    return collections.Counter(tuple(row[1:]) for row in rows)


def without_order(counts):
    merged = collections.Counter()
    for ids, count in counts.items():
        merged[tuple(sorted(ids))] += count
    return merged


def deviations(a, b):
    """How far two samples are apart, by the chi-square test of homogeneity and
    the approximation of Wilson and Hilferty (1931)."""
    chi, kinds, rare = 0.0, 0, [0, 0]
    for ids in a.keys() | b.keys():
        if a[ids] + b[ids] < 20:
            rare[0] += a[ids]
            rare[1] += b[ids]
            continue
        kinds += 1
        chi += (a[ids] - b[ids]) ** 2 / (a[ids] + b[ids])
    if sum(rare) > 0:
        kinds += 1
        chi += (rare[0] - rare[1]) ** 2 / sum(rare)
    if kinds < 2:
        return 0.0
    n = kinds - 1
    return ((chi / n) ** (1 / 3) - (1 - 2 / (9 * n))) / math.sqrt(2 / (9 * n))


def main():
    args = options_parser(__doc__).parse_args()
    print("sampling: tokenizers {}".format(tokenizers.__version__))
    rng = random.Random(args.seed)
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tokenizer.json")
        for case in range(60):
            vocab = vocabulary(rng)
            word = "".join(rng.choice("abc") for _ in range(rng.randint(3, 7)))
            # Far above 1 the reference comes to infinity, and ends the process.
            alpha = rng.choice([0.1, 0.3, 0.7, 1.0])
            best = rng.choice([None, None, 2, 3, 8, 64])
            with open(path, "w", encoding="utf8") as file:
                json.dump({"pre_tokenizer": {"type": "WhitespaceSplit"},
                           "model": {"type": "Unigram", "unk_id": 0,
                                     "vocab": vocab}}, file)
            a = theirs(vocab, word, alpha, best)
            b = ours(args.tokenize_binary, path, word, alpha, best, case)
            if best:
                a, b = without_order(a), without_order(b)
            off = deviations(a, b)
            different += off > MOST
            print("sampling {:7} alpha {} of {}: {} ways, {:.1f} deviations{}"
                  .format(word, alpha, best or "all", len(a | b), off,
                          " DIFFERENT" if off > MOST else ""))
    print("sampling: {} different".format(different))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
