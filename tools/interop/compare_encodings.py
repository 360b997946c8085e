#!/usr/bin/env python3
"""Compares all that tools/tokenize --json tells with the reference libraries.

Run in an environment that has tokenizers, tiktoken and sentencepiece:

  python tools/interop/compare_encodings.py \\
      --tokenize-binary build/release/bin/tokenize --fixtures DIR

Hugging Face: ids, tokens, offsets, words, types, masks, sequences and what
truncation cuts off, of single texts, pairs and batches, under every strategy of
truncation and padding and each kind of post-processor. tiktoken: offsets.
SentencePiece: begins and ends. Prints a line for each comparison; exits 1 on
any difference.
"""

import json
import os
import random
import sys
import tempfile

import sentencepiece
import tokenizers
from tokenizers import processors

from compare_tokenizers import Generator, tiktoken_encoding
from comparing import options_parser, report, run_on_texts

COLUMNS = ["ids", "tokens", "offsets", "word_ids", "type_ids",
           "special_tokens_mask", "attention_mask", "sequence_ids"]


def rows_of(binary, arguments, texts):
    return [json.loads(line) for line in run_on_texts(
        binary, ["--json"] + arguments, texts).splitlines()]


def compare_columns(name, texts, theirs, ours):
    return report(name, texts, theirs, ours, shown=900)


def columns_of(encoding):
    """The reference's encoding as we write ours; the parts of parts left
    out."""
    columns = {"ids": encoding.ids, "tokens": encoding.tokens,
               "offsets": [list(o) for o in encoding.offsets],
               "word_ids": encoding.word_ids, "type_ids": encoding.type_ids,
               "special_tokens_mask": encoding.special_tokens_mask,
               "attention_mask": encoding.attention_mask,
               "sequence_ids": encoding.sequence_ids}
    return [columns[c] for c in COLUMNS]


def all_of(encoding):
    return [columns_of(encoding)] + [columns_of(o)
                                     for o in encoding.overflowing]


def ours_of(row):
    return [[part[c] for c in COLUMNS]
            for part in [row] + row["overflowing"]]


def frames(tokenizer):
    """Settings of truncation and padding, each on its own tokenizer."""
    yield "plain", lambda t: None
    for strategy in ("longest_first", "only_first", "only_second"):
        for direction in ("right", "left"):
            for length, stride in ((16, 0), (17, 3), (9, 1)):
                yield "truncation {} {} {} {}".format(
                    strategy, direction, length, stride), lambda t: (
                        t.enable_truncation(length, stride=stride,
                                            strategy=strategy,
                                            direction=direction))
    for direction in ("right", "left"):
        yield "padding 24 " + direction, lambda t: t.enable_padding(
            length=24, direction=direction, pad_id=1, pad_type_id=5,
            pad_token=t.id_to_token(1))
        yield "padding batch {}, multiple of 8".format(
            direction), lambda t: t.enable_padding(
                direction=direction, pad_id=2, pad_to_multiple_of=8,
                pad_token=t.id_to_token(2))
        yield "truncation and padding " + direction, lambda t: (
            t.enable_truncation(12, stride=2, direction=direction),
            t.enable_padding(direction=direction, pad_id=2,
                             pad_token=t.id_to_token(2)))


def some_processors(tokenizer):
    cls, sep = (tokenizer.id_to_token(i) for i in (101, 102))
    special = [(cls, 101), (sep, 102)]
    quoted = [t.replace(":", "") for t in (cls, sep)]
    yield "as it is", tokenizer.post_processor
    yield "none", None
    yield "Bert", processors.BertProcessing((sep, 102), (cls, 101))
    yield "Roberta", processors.RobertaProcessing((sep, 102), (cls, 101))
    yield "ByteLevel", processors.ByteLevel(trim_offsets=True)
    if quoted != [cls, sep] or " " in cls + sep:
        return
    template = processors.TemplateProcessing(
        single="{0}:3 $A:4 {1}:5".format(cls, sep),
        pair="{0} $A:2 {1}:3 $B:4 {1}".format(cls, sep),
        special_tokens=special)
    yield "Template", template
    yield "Template turned", processors.TemplateProcessing(
        single="$A {1}".format(cls, sep), pair="$B:1 {1} $A".format(cls, sep),
        special_tokens=special)
    yield "ByteLevel, Template", processors.Sequence(
        [processors.ByteLevel(add_prefix_space=False), template])


def with_processor(tokenizer, processor):
    document = json.loads(tokenizer.to_str())
    document["post_processor"] = None
    made = tokenizers.Tokenizer.from_str(json.dumps(document))
    if processor is not None:
        made.post_processor = processor
    return made


def compare_frames(options, name, path, folder, texts):
    base = tokenizers.Tokenizer.from_file(path)
    base.no_truncation()
    base.no_padding()
    equal = True
    for processor_name, processor in some_processors(base):
        for frame_name, frame in frames(base):
            tokenizer = with_processor(base, processor)
            frame(tokenizer)
            made = os.path.join(folder, "frame.json")
            tokenizer.save(made)
            for kind in ("single", "pairs", "batch", "no specials"):
                what = "{}, {}, {}, {}".format(name, processor_name,
                                               frame_name, kind)
                if options.only not in what:
                    continue
                equal &= compare_frame(options, what, tokenizer, made, kind,
                                       texts)
    return equal


def try_encode(tokenizer, inputs, special):
    """What can be encoded, and that."""
    kept, encodings = [], []
    for text in inputs:
        try:
            pair = text if isinstance(text, tuple) else (text,)
            encodings.append(tokenizer.encode(
                *pair, add_special_tokens=special))
            kept.append(text)
        except BaseException as error:  # Truncation that cannot be done.
            assert "runcat" in str(error) or "stride" in str(error), error
    return kept, encodings


def compare_frame(options, what, tokenizer, path, kind, texts):
    arguments = ["--tokenizer", path]
    special = kind != "no specials"
    if kind == "single":
        inputs = texts
    else:
        inputs = list(zip(texts, texts[7:] + texts[:7]))
        arguments.append("--pairs")
    if not special:
        arguments.append("--no-special-tokens")
    inputs, encodings = try_encode(tokenizer, inputs, special)
    if kind == "batch":
        arguments += ["--batch", "16"]
        encodings = []
        for i in range(0, len(inputs), 16):
            encodings += tokenizer.encode_batch(inputs[i:i + 16])
    if not inputs:
        print(what + ": nothing can be encoded")
        return True
    lines = ["\t".join(t) if isinstance(t, tuple) else t for t in inputs]
    ours = rows_of(options.tokenize_binary, arguments, lines)
    return compare_columns(what, inputs, [all_of(e) for e in encodings],
                  [ours_of(row) for row in ours])


def compare_tiktoken(options, name, texts):
    encoding = tiktoken_encoding(name, options.fixtures)
    path = os.path.join(options.fixtures, "tokenizers", name + ".tiktoken")
    theirs = []
    for text in texts:
        ids = encoding.encode(text, allowed_special="all")
        theirs.append([ids, encoding.decode_with_offsets(ids)[1]])
    ours = rows_of(options.tokenize_binary, ["--tokenizer", path], texts)
    return compare_columns(name + ", offsets", texts, theirs,
                  [[row["ids"], [begin for begin, _ in row["offsets"]]]
                   for row in ours])


def compare_sentencepiece(options, name, path, texts):
    processor = sentencepiece.SentencePieceProcessor(model_file=path)
    theirs = [[[p.id, p.begin, p.end] for p in
               processor.encode(t, return_type="proto").pieces]
              for t in texts]
    ours = rows_of(options.tokenize_binary, ["--tokenizer", path], texts)
    return compare_columns(name + ", begins and ends", texts, theirs,
                  [[[i, begin, end] for i, (begin, end) in
                    zip(row["ids"], row["byte_offsets"])] for row in ours])


def sentencepiece_models(folder, corpora):
    for kind in ("unigram", "bpe", "word", "char"):
        for number, flags in enumerate((
                {}, {"byte_fallback": True} if kind in ("unigram", "bpe")
                else {"normalization_rule_name": "nfkc_cf"},
                {"remove_extra_whitespaces": False, "add_dummy_prefix": False,
                 "normalization_rule_name": "identity",
                 "user_defined_symbols": ["the", "▁x", "日本"]},
                {"treat_whitespace_as_suffix": True})):
            prefix = os.path.join(folder, "{}{}".format(kind, number))
            sentencepiece.SentencePieceTrainer.train(
                input=corpora, model_prefix=prefix, model_type=kind,
                vocab_size=900, character_coverage=0.98,
                hard_vocab_limit=False, minloglevel=2,
                input_sentence_size=3000, num_threads=1, **flags)
            yield "{} {}".format(kind, flags), prefix + ".model"


def main():
    parser = options_parser(__doc__, strings=100000)
    parser.add_argument("--frame-strings", type=int, default=60,
                        help="generated strings for each frame")
    parser.add_argument("--only", default="", help="what contains this")
    options = parser.parse_args()
    print("tokenizers {}, sentencepiece {}".format(
        tokenizers.__version__, sentencepiece.__version__))
    folder = os.path.join(options.fixtures, "tokenizers")
    corpora = os.path.join(options.fixtures, "corpora")
    lines = []
    for name in sorted(os.listdir(corpora)):
        with open(os.path.join(corpora, name), encoding="utf-8") as file:
            lines += random.Random(options.seed).sample(
                file.read().split("\n"), 400)
    equal = True
    for name in sorted(os.listdir(folder)):
        if name.startswith("."):
            continue  # a compiled form
        path = os.path.join(folder, name)
        texts = Generator(options.seed, ["<|endoftext|>", "[MASK]"]).strings(
            options.strings) + lines
        short = [t.replace("\t", " ")[:400]
                 for t in texts[:options.frame_strings] + lines[::20]]
        if options.only not in name and not name.endswith(".json"):
            continue
        if name.endswith(".tiktoken"):
            equal &= compare_tiktoken(options, name.split(".")[0], texts)
        elif name.endswith(".model"):
            equal &= compare_sentencepiece(options, name, path, texts)
        else:
            with tempfile.TemporaryDirectory() as made:
                equal &= compare_frames(options, name, path, made, short)
    if options.only in "sentencepiece":
        with tempfile.TemporaryDirectory() as made:
            files = [os.path.join(corpora, c) for c in os.listdir(corpora)]
            for name, path in sentencepiece_models(made, files):
                equal &= compare_sentencepiece(options, name, path,
                                               texts[:5000] + lines)
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
