#!/usr/bin/env python3
"""Compares tools/tokenize with Hugging Face tokenizers on whole model families.

Run in an environment that has tokenizers, tiktoken and sentencepiece:

  python tools/interop/compare_families.py \\
      --tokenize-binary build/release/bin/tokenize --fixtures DIR

A tokenizer.json is trained here with the parts that RoBERTa's, BART's, ModernBERT's,
T5's (old and new), ALBERT's, DeBERTa's, Gemma's, Mistral's, Llama 2's, Whisper's,
Cohere's, Kimi's, Falcon's and CLIP's have: all that --json tells is compared, and ids
alone, of texts and of many in one. Then every code point of Unicode, alone and
behind each of ten letters, under a Precompiled normalizer, by ids, offsets and
words; the model falls back to bytes, so that no two characters look alike. Prints a line for each; exits 1 on any difference.
"""

import json
import os
import sys
import tempfile

import tokenizers
from tokenizers import (AddedToken, Tokenizer, decoders, models, normalizers,
                        pre_tokenizers, processors, trainers)

import hf_files
from compare_encodings import all_of, compare_columns, ours_of, rows_of
from compare_hf import Subject, origins_of
from compare_patterns import KIMI
from compare_tokenizers import Generator
from comparing import options_parser, report

# Bases that marks, vowel signs, jamo and joiners change.
LETTERS = "aeªｱアᄀ가कاﬁ"
CODE_POINTS_A_RUN = 50000


def byte_level_bpe(corpus, splitter, specials, normalizer=None):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = splitter
    tokenizer.decoder = decoders.ByteLevel()
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.train_from_iterator(corpus, trainers.BpeTrainer(
        vocab_size=3000, special_tokens=specials, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    return tokenizer


def roberta(corpus, normalized, mask):
    """`normalized` is what BART says of its special tokens."""
    def token(text, **flags):
        return AddedToken(text, normalized=normalized, **flags)

    tokenizer = byte_level_bpe(
        corpus, pre_tokenizers.ByteLevel(add_prefix_space=False),
        [token("<s>"), token("<pad>"), token("</s>"), token("<unk>"),
         token("<mask>", **mask)])
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False)
    return tokenizer


def t5(corpus, charsmap):
    tokenizer = hf_files.unigram(
        corpus, normalizer=normalizers.Precompiled(charsmap),
        splitter=pre_tokenizers.Sequence(
            [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]))
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens(
        ["<extra_id_{}>".format(i) for i in reversed(range(100))])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>",
        special_tokens=[("</s>", tokenizer.token_to_id("</s>"))])
    return tokenizer


def modernbert(corpus):
    tokenizer = byte_level_bpe(
        corpus, pre_tokenizers.ByteLevel(add_prefix_space=False),
        ["[UNK]", "[CLS]", "[SEP]", "[PAD]",
         AddedToken("[MASK]", lstrip=True, normalized=False)],
        normalizers.NFC())
    tokenizer.add_tokens([AddedToken(" " * i, normalized=True)
                          for i in range(24, 1, -1)])
    tokenizer.add_tokens([AddedToken("é", normalized=True),
                          AddedToken("the", single_word=True)])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)])
    return tokenizer


def t5_now(corpus, charsmap):
    """As transformers converts SentencePiece's files of late."""
    tokenizer = hf_files.unigram(
        corpus, splitter=pre_tokenizers.Metaspace(prepend_scheme="first"),
        normalizer=normalizers.Sequence([
            normalizers.Precompiled(charsmap),
            normalizers.Strip(left=False, right=True),
            normalizers.Replace(tokenizers.Regex(" {2,}"), "▁")]))
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="first")
    tokenizer.add_special_tokens(["<extra_id_0>", "<extra_id_1>"])
    return tokenizer


def albert(corpus, charsmap):
    n = normalizers
    tokenizer = hf_files.unigram(
        corpus, splitter=pre_tokenizers.Sequence(
            [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]),
        normalizer=n.Sequence([
            n.Replace("``", '"'), n.Replace("''", '"'), n.NFKD(),
            n.StripAccents(), n.Lowercase(), n.Precompiled(charsmap)]))
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens([AddedToken("[MASK]", lstrip=True)])
    return tokenizer


def deberta(corpus, charsmap):
    n = normalizers
    tokenizer = hf_files.unigram(
        corpus, splitter=pre_tokenizers.Sequence([pre_tokenizers.Metaspace()]),
        normalizer=n.Sequence([
            n.Strip(), n.Precompiled(charsmap),
            n.Replace(tokenizers.Regex(" {2,}"), " ")]))
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens(["[CLS]", "[SEP]", AddedToken("[MASK]")])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0",
        pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[(t, tokenizer.token_to_id(t))
                        for t in ("[CLS]", "[SEP]")])
    return tokenizer


def character_bpe(corpus, normalizer, splitter):
    """Merges of words, of which the tokenizer then cuts none."""
    trained = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True,
                                   byte_fallback=True))
    trained.pre_tokenizer = pre_tokenizers.Metaspace()
    trained.train_from_iterator(corpus, trainers.BpeTrainer(
        vocab_size=5000, show_progress=False, limit_alphabet=500,
        special_tokens=["<unk>", "<s>", "</s>"] + [
            "<0x{:02X}>".format(b) for b in range(256)]))
    document = json.loads(trained.to_str())
    document["added_tokens"] = document["added_tokens"][:3]
    tokenizer = Tokenizer.from_str(json.dumps(document))
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = splitter
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(),
         decoders.Fuse()])
    return tokenizer


def gemma(corpus, in_text):
    """With `in_text` tokens for runs of line feeds and of bars, as its file has
    them: they cut the text."""
    tokenizer = character_bpe(
        corpus, normalizers.Replace(" ", "▁"),
        pre_tokenizers.Split(" ", "merged_with_previous"))
    if in_text:
        tokenizer.add_tokens([AddedToken(token, normalized=False) for token in
                              ["\n" * i for i in range(1, 32)] +
                              ["▁" * i for i in range(2, 32)] +
                              ["<table>", "</table>", "<tr>", "<b>", "<i>"]])
    return tokenizer


def whisper(corpus):
    names = ["<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|de|>",
             "<|translate|>", "<|transcribe|>", "<|startofprev|>",
             "<|notimestamps|>"]
    tokenizer = byte_level_bpe(
        corpus, pre_tokenizers.ByteLevel(add_prefix_space=False), names)
    tokenizer.add_tokens([AddedToken("<|{:.2f}|>".format(i * 0.02),
                                     normalized=False) for i in range(1501)])
    used = [names[1], names[2], names[5], names[7]]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=" ".join(used) + " $A " + names[0],
        pair=" ".join(used) + " $A $B " + names[0],
        special_tokens=[(n, names.index(n)) for n in used + names[:1]])
    return tokenizer


def cohere(corpus):
    tokenizer = byte_level_bpe(
        corpus, pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True),
             pre_tokenizers.ByteLevel(add_prefix_space=False)]),
        ["<PAD>", "<UNK>", "<CLS>", "<SEP>", "<MASK_TOKEN>", "<BOS_TOKEN>",
         "<EOS_TOKEN>", "<EOP_TOKEN>"], normalizers.NFC())
    tokenizer.add_special_tokens(
        ["<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>",
         "<|USER_TOKEN|>", "<|CHATBOT_TOKEN|>"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<BOS_TOKEN> $A", pair="<BOS_TOKEN> $A <BOS_TOKEN>:1 $B:1",
        special_tokens=[("<BOS_TOKEN>", 5)])
    return tokenizer


def kimi(corpus):
    tokenizer = byte_level_bpe(
        corpus, pre_tokenizers.Sequence(
            [pre_tokenizers.Split(tokenizers.Regex(KIMI), "isolated"),
             pre_tokenizers.ByteLevel(add_prefix_space=False,
                                      use_regex=False)]),
        ["[BOS]", "[EOS]", "<|im_end|>", "<|im_user|>", "<|im_assistant|>",
         "<|im_system|>", "<|im_middle|>", "<|tool_calls_section_begin|>"])
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


def falcon(corpus):
    """What cuts behind ByteLevel cuts characters whose bytes it spelled."""
    p = pre_tokenizers
    tokenizer = byte_level_bpe(
        corpus, p.Sequence([
            p.Punctuation("contiguous"), p.ByteLevel(add_prefix_space=False),
            p.Digits(individual_digits=False),
            p.Split(tokenizers.Regex("[0-9][0-9][0-9]"), "isolated")]),
        [">>TITLE<<", ">>ABSTRACT<<", ">>QUESTION<<", "<|endoftext|>"])
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


def clip(corpus):
    names = ["<|startoftext|>", "<|endoftext|>"]
    tokenizer = Tokenizer(models.BPE(
        end_of_word_suffix="</w>", unk_token=names[1]))
    n, p = normalizers, pre_tokenizers
    tokenizer.normalizer = n.Sequence([
        n.NFC(), n.Replace(tokenizers.Regex("\\s+"), " "), n.Lowercase()])
    tokenizer.pre_tokenizer = p.Sequence([
        p.Split(tokenizers.Regex(
            "<\\|startoftext\\|>|<\\|endoftext\\|>|'s|'t|'re|'ve|'m|'ll|'d|"
            "[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+"), "removed", invert=True),
        p.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(corpus, trainers.BpeTrainer(
        vocab_size=3000, end_of_word_suffix="</w>", show_progress=False,
        special_tokens=[AddedToken(names[0], normalized=True, special=True),
                        AddedToken(names[1], normalized=False, special=True)],
        initial_alphabet=p.ByteLevel.alphabet()))
    tokenizer.post_processor = processors.RobertaProcessing(
        (names[1], 1), (names[0], 0), trim_offsets=False,
        add_prefix_space=False)
    return tokenizer


def families(corpus, charsmap):
    yield "RoBERTa", roberta(corpus, False, {"lstrip": True})
    yield "BART", roberta(corpus, True, {"lstrip": True, "rstrip": True})
    yield "ModernBERT", modernbert(corpus)
    yield "T5", t5(corpus, charsmap)
    yield "New T5", t5_now(corpus, charsmap)
    yield "ALBERT", albert(corpus, charsmap)
    yield "DeBERTa", deberta(corpus, charsmap)
    n = normalizers
    yield "Gemma", gemma(corpus, True)
    yield "Gemma without these", gemma(corpus, False)
    yield "Mistral", character_bpe(corpus, None, pre_tokenizers.Metaspace(
        prepend_scheme="first", split=False))
    yield "Llama 2", character_bpe(
        corpus, n.Sequence([n.Prepend("▁"), n.Replace(" ", "▁")]), None)
    yield "Whisper", whisper(corpus)
    yield "Cohere", cohere(corpus)
    yield "Kimi", kimi(corpus)
    yield "Falcon", falcon(corpus)
    yield "CLIP", clip(corpus)


def with_bytes(tokenizer):
    """The same, unknown characters as their bytes."""
    document = json.loads(tokenizer.to_str())
    document["model"]["byte_fallback"] = True
    size = len(document["model"]["vocab"])
    document["model"]["vocab"] += [["<0x{:02X}>".format(b), -9.5]
                                   for b in range(256)]
    document["added_tokens"] = [t for t in document["added_tokens"]
                                if t["id"] < size]
    return Tokenizer.from_str(json.dumps(document))


def compare_code_points(binary, name, path):
    subject = Subject(binary, name, path)
    points = [chr(c) for c in range(1, 0x110000)
              if not 0xD800 <= c < 0xE000]
    equal = True
    for start in range(0, len(points), CODE_POINTS_A_RUN):
        # No cluster of characters reaches over the end of a line.
        texts = ["\n".join([c] + [letter + c for letter in LETTERS])
                 for c in points[start:start + CODE_POINTS_A_RUN]]
        theirs = [origins_of(e) for e in subject.reference.encode_batch(texts)]
        ours = subject.our_origins(texts)
        if ours != theirs:
            equal &= report("{} x code points from U+{:04X}".format(
                name, ord(points[start])), texts, theirs, ours)
    print("{} x every code point, alone and behind each of {}: {}".format(
        name, LETTERS, "{} equal".format(len(points)) if equal else
        "different"), flush=True)
    return equal


def main():
    options = options_parser(__doc__, strings=20000).parse_args()
    print("tokenizers", tokenizers.__version__)
    corpora = os.path.join(options.fixtures, "corpora")
    corpus = hf_files.corpus_of(
        [os.path.join(corpora, c) for c in sorted(os.listdir(corpora))])
    # Both of the fixtures' models have the one of NMT with NFKC.
    _, charsmap = next(hf_files.with_charsmap(
        os.path.join(options.fixtures, "tokenizers")))
    equal = True
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "family.json")
        for name, tokenizer in families(corpus, charsmap):
            tokenizer.save(path)
            subject = Subject(options.tokenize_binary, name, path)
            texts = Generator(options.seed, subject.added).strings(
                options.strings)
            for what, some in (("ids", texts), ("many in one", [
                    " ".join(texts[i:i + 500])
                    for i in range(0, len(texts), 500)])):
                equal &= report(
                    "{}-like x generated, {}".format(name, what), some,
                    [e.ids for e in subject.reference.encode_batch(some)],
                    subject.our_ids(some))
            ours = rows_of(options.tokenize_binary, subject.arguments, texts)
            equal &= compare_columns(
                name + "-like x generated", texts,
                [all_of(e) for e in subject.reference.encode_batch(texts)],
                [ours_of(row) for row in ours])
            if name == "T5":
                with_bytes(tokenizer).save(path)
                equal &= compare_code_points(options.tokenize_binary,
                                             name + "-like, bytes", path)
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
