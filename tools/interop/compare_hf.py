#!/usr/bin/env python3
"""Compares tools/tokenize with Hugging Face tokenizers, component by component.

Run in an environment that has the packages tokenizers and tiktoken:

  python tools/interop/compare_hf.py \\
      --tokenize-binary build/release/bin/tokenize --fixtures DIR

Takes the fixtures' tokenizer.json files, and files made here of small
vocabularies trained on a corpus: every model, normalizer, pre-tokenizer,
post-processor and decoder. Prints a line for each comparison; exits 1 on any
difference.
"""

import json
import os
import sys
import tempfile

import tokenizers

import hf_files
from compare_tokenizers import Generator
from comparing import (ids_of, options_parser, report, run_on_texts,
                       texts_of)


class Subject:
    """One tokenizer.json, in both libraries."""

    def __init__(self, binary, name, path, **flags):
        self.binary = binary
        self.name = name
        self.path = path
        self.reference = tokenizers.Tokenizer.from_file(path)
        self.reference.encode_special_tokens = flags.get("as_text", False)
        self.arguments = ["--tokenizer", path]
        if flags.get("as_text"):
            self.arguments += ["--special", "text"]
        with open(path, encoding="utf-8") as file:
            self.added = [t["content"]
                          for t in json.load(file).get("added_tokens", [])]

    def our_ids(self, texts):
        return ids_of(self.binary, self.arguments, texts)

    def our_origins(self, texts):
        out = run_on_texts(self.binary, self.arguments + ["--offsets"], texts)
        lines = out.replace(b":", b" ").split(b"\n")[:-1]
        return [list(map(int, line.split())) for line in lines]

    def our_texts(self, rows, *arguments):
        return [text.decode("utf-8", "replace") for text in texts_of(
            self.binary, self.arguments + list(arguments), rows)]


def origins_of(encoding):
    """id, begin, end, word of each token, characters; -1 for no word."""
    numbers = []
    for i, (begin, end), word in zip(
            encoding.ids, encoding.offsets, encoding.word_ids):
        numbers += i, begin, end, -1 if word is None else word
    return numbers


def compare_results(subject, what, texts, theirs, ours):
    return report("{} x {}".format(subject.name, what), texts, theirs, ours)


def compare_origins(subject, what, texts, encodings):
    return compare_results(subject, what + ", offsets", texts,
                  [origins_of(e) for e in encodings],
                  subject.our_origins(texts))


def compare(subject, what, texts):
    encodings = [subject.reference.encode(t) for t in texts]
    rows = [e.ids for e in encodings]
    equal = compare_results(subject, what + ", ids", texts, rows,
                   subject.our_ids(texts))
    if "--special" not in subject.arguments:
        equal &= compare_origins(subject, what, texts, encodings)
    equal &= compare_results(
        subject, what + ", decoded", rows,
        [subject.reference.decode(r, skip_special_tokens=False).replace(
            "\0", "") for r in rows],
        [t for t in subject.our_texts(rows)])
    equal &= compare_results(
        subject, what + ", decoded without specials", rows,
        [subject.reference.decode(r).replace("\0", "") for r in rows],
        [t for t in subject.our_texts(rows, "--no-special-tokens")])
    return equal


def lines_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [line.replace("\0", "") for line in file.read().split("\n")]


def every_character():
    """Each code point, between letters and by itself, many to a text."""
    points = [c for c in range(1, 0x110000) if not 0xD800 <= c < 0xE000]
    for start in range(0, len(points), 32):
        yield " ".join("a{0}b {0}{0}".format(chr(c))
                       for c in points[start:start + 32])


def main():
    parser = options_parser(__doc__, strings=100000)
    parser.add_argument("--small-strings", type=int, default=3000,
                        help="generated strings for each file made here")
    parser.add_argument("--only", default="",
                        help="files whose names contain this")
    options = parser.parse_args()
    print("tokenizers", tokenizers.__version__)
    corpora = os.path.join(options.fixtures, "corpora")
    names = sorted(os.listdir(corpora))
    everything = list(every_character())
    equal = True
    folder = os.path.join(options.fixtures, "tokenizers")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".json") or options.only not in name:
            continue
        for as_text in (False, True):
            subject = Subject(options.tokenize_binary,
                              name + (", specials as text" if as_text else ""),
                              os.path.join(folder, name), as_text=as_text)
            generated = Generator(options.seed, subject.added)
            count = options.strings if not as_text else options.small_strings
            equal &= compare(subject, "generated", generated.strings(count))
            if as_text:
                continue
            equal &= compare(subject, "every character", everything)
            for corpus in names:
                equal &= compare(subject, corpus,
                                 lines_of(os.path.join(corpora, corpus)))
    with tempfile.TemporaryDirectory() as made:
        for name, path in hf_files.make_all(
                made, [os.path.join(corpora, c) for c in names],
                os.path.join(options.fixtures, "tokenizers"), options.only):
            subject = Subject(options.tokenize_binary, name, path)
            generated = Generator(options.seed, subject.added)
            equal &= compare(subject, "generated",
                             generated.strings(options.small_strings))
            some = [lines_of(os.path.join(corpora, c))[:400] for c in names]
            equal &= compare(subject, "corpora", sum(some, []))
            if name.startswith(("normalizer", "splitter")) and (
                    "Unigram" not in name):
                equal &= compare(subject, "every character", everything)
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
