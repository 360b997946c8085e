#!/usr/bin/env python3
"""Writes hf_vectors.json: what Hugging Face tokenizers 0.23.3 makes of small
tokenizer.json files, each a base with some components changed.

  pip install tokenizers==0.23.3 sentencepiece==0.2.3 protobuf
  python tests/tokenizer/files/generate_hf_vectors.py > tests/tokenizer/files/hf_vectors.json
"""

import base64
import json
import os
import tempfile

import sentencepiece
import tokenizers
from sentencepiece import sentencepiece_model_pb2

WORDS = ["[UNK]", "[CLS]", "[SEP]", "the", "cat", "##s", "##at", "c", "s", "a",
         "t", "##t", "b", "##b", "h", "##h", "e", "##e", ",", "_", "1", "##1",
         "日", "本", "##本", "é", "▁the", "▁c", "▁", "at", "d", "ḍ̇", "한"]


def wordpiece(**parts):
    return dict({
        "version": "1.0", "added_tokens": [], "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": None,
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]",
                  "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 6,
                  "vocab": {w: i for i, w in enumerate(WORDS)}}}, **parts)


def bpe(**model):
    tokens = ["<unk>", "a", "b", "c", "ab", "abc", "<0xE6>", "<0x97>",
              "<0xA5>", "##b", "a</w>", "##b</w>", "a##b", "bc", "cab"]
    return wordpiece(model=dict({
        "type": "BPE", "unk_token": "<unk>", "vocab": {
            w: i for i, w in enumerate(tokens)},
        "merges": ["a b", "ab c", "b c"]}, **model),
        decoder={"type": "Fuse"})


def unigram(**model):
    return wordpiece(
        model=dict({"type": "Unigram", "unk_id": 0, "vocab": [
            ["<unk>", 0.0], ["▁", -2.0], ["a", -1.5], ["aa", -3.0],
            ["b", -2.5], ["ab", -3.5], ["▁a", -2.0], ["aaa", -4.5]]}, **model),
        pre_tokenizer={"type": "Metaspace", "replacement": "▁",
                       "prepend_scheme": "always", "split": True},
        decoder={"type": "Metaspace", "replacement": "▁",
                 "prepend_scheme": "always", "split": True})


def byte_level(add_prefix_space, **parts):
    """The 256 bytes, id = value, and some merges."""
    spelled = {}
    extra = 0
    for byte in range(256):
        if 33 <= byte <= 126 or 161 <= byte <= 172 or byte >= 174:
            spelled[byte] = chr(byte)
        else:
            spelled[byte] = chr(256 + extra)
            extra += 1
    vocab = {c: byte for byte, c in spelled.items()}
    merges = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("Ġ", "Ġ"), ("Ġ", "c"),
              ("æ", "Ĺ"), ("Ġ", "æ"), ("s", "Ġ")]
    for left, right in merges:
        vocab[left + right] = len(vocab)
    return dict({
        "version": "1.0", "normalizer": None, "added_tokens": [
            {"id": len(vocab), "content": "<x>", "single_word": False,
             "lstrip": False, "rstrip": False, "normalized": False,
             "special": True}],
        "pre_tokenizer": {"type": "ByteLevel", "use_regex": True,
                          "add_prefix_space": add_prefix_space,
                          "trim_offsets": True},
        "post_processor": None, "decoder": {
            "type": "ByteLevel", "add_prefix_space": True,
            "trim_offsets": True, "use_regex": True},
        "model": {"type": "BPE", "vocab": vocab, "merges": [
            " ".join(m) for m in merges]}}, **parts)


def charsmap(rules):
    """sentencepiece's character map of rules, a line each, in base64."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "made")
        with open(path + ".tsv", "w", encoding="utf-8") as file:
            file.write(rules)
        with open(path + ".txt", "w", encoding="utf-8") as file:
            file.write("hello world a b c d\n" * 50)
        sentencepiece.SentencePieceTrainer.train(
            input=path + ".txt", model_prefix=path, vocab_size=20,
            hard_vocab_limit=False, minloglevel=2,
            normalization_rule_tsv=path + ".tsv")
        model = sentencepiece_model_pb2.ModelProto()
        with open(path + ".model", "rb") as file:
            model.ParseFromString(file.read())
    return base64.b64encode(
        model.normalizer_spec.precompiled_charsmap).decode()


def added(content, number, **flags):
    return dict({"id": number, "content": content, "single_word": False,
                 "lstrip": False, "rstrip": False, "normalized": False,
                 "special": False}, **flags)


BERT = {"type": "BertNormalizer", "clean_text": True,
        "handle_chinese_chars": True, "strip_accents": None,
        "lowercase": True}
FRAME = {"type": "TemplateProcessing", "single": [
    {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
    {"Sequence": {"id": "A", "type_id": 0}},
    {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}},
             {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {
        "[CLS]": {"id": "[CLS]", "ids": [1], "tokens": ["[CLS]"]},
        "[SEP]": {"id": "[SEP]", "ids": [2], "tokens": ["[SEP]"]}}}
TEXTS = ["The cats, at  the cat_1 日本", "", "  ", "cat cccccccc thé", "Cat\u0301S",
         "d\u0307\u0323 한", "é\x01é\ufffd", "ab abc cab", "日日ab", "a aaaa aab",
         "the\u3000cat\nsat"]


def sequence(name, *steps):
    return {"type": "Sequence", name: list(steps)}


def strips(*tokens):
    """Characters as tokens, and added ones that strip."""
    words = ["?", "a", "b", " ", "\n", "<", "|"]
    new = [content for content, *_ in tokens if content not in words]
    more = [added(content, (words + new).index(content),
                  **{flag: True for flag in flags})
            for content, *flags in tokens]
    return wordpiece(
        pre_tokenizer={"type": "FixedLength", "length": 1},
        decoder={"type": "Fuse"}, added_tokens=more,
        model={"type": "WordLevel", "unk_token": "?",
               "vocab": {w: i for i, w in enumerate(words)}})


STRIPPED = ["a<|end|>\nb", "a" + 6 * "\n" + "b", "a<|end|> \n b<|end|>",
            "  <|end|>  \n", "\n<|end|>\n\n", " a \n\n b "]


MAPPED = ["ab cat\nthe  \u200bat", "\u200bthe cat\u200b\u200b at\u200b", "e\u0301cat th",
          "\u65e5\u672c\u3042\u65e5\n\u672c", "\uac00\uac01 \ud7a3\u11a8ab \u1100\u1161a",
          "ca\u0301ts\u0301", "a\u0600 b\u0600\u0600c", "\ufb01\ufb01at \ufb01",
          "a\u0e33 b\u0e33c", "ab\r\ncd\r\u0301", "a \u0301b\u200d c\u200b\u200bd",
          "aaab \u200b aab", "a\n\nb \n a``a ``A ab`` aaa", "\U0001f468\u200d\U0001f469 a"]


FOUND = ["e\u0301  t <n>", "a   the    cat\n  \u1e0dt",
         "d\u0323t<r>d\u0323 t <n>",
         "d\u0307\u0323  h\u1e0d\u0307", "\u1100\u1161\u11a8   \u212b<r> <r>",
         "\u0301  <n>\u0301", "  <r>\u0301e<n>e\u0301"]


SPELLED = ["the cat's 12345 (the), <x>1234", "a\u00b2 \u03b212\u0664 1\u00bd2 \u00bc",
           "\u65e5\u672c\uff0c\u65e5\u20ac\u3002\u3002 \u00fe\u00b9", "  the1   $12.$\n\n123456 ",
           "\u0432\u0439\u043d\u0430 \u043c\u0438\u0440 3\u00b3\u00b3", "''s \u00b7 12\u00b2 _1"]


def cases():
    for name, tokens in (
            ("Behind", [("<|end|>", "rstrip"), ("\n", "lstrip")]),
            ("Both", [("\n\n", "lstrip", "rstrip")]),
            ("Before", [("<|end|>", "lstrip"), ("\n", "rstrip")]),
            ("SameSpace", [(" ", "lstrip", "rstrip"),
                           ("<|end|>", "lstrip", "rstrip")])):
        yield "StrippedTokensLeaveNothing" + name, strips(*tokens), STRIPPED
    yield "PrecompiledKnowsGraphemesOfUnicode17", wordpiece(
        normalizer={"type": "Precompiled",
                    "precompiled_charsmap": charsmap("AA\t61\nE9\t65 301\n")},
        pre_tokenizer={"type": "FixedLength", "length": 1},
        decoder={"type": "Fuse"}), [
            "\u00aa" + c + "b" for c in (
                "\u1ad7\u1acf\u1add\u1ae0\u1aeb\U0001e6e6\u0301\u200d")] + [
            "\u00e9\u1ad7", "\u00aab", "\u00aa"]
    runs = charsmap("A\t20\n200B\t\nFB01\t66 69\n65 301\tE9\n3042\t30A2\n")
    characters = dict(pre_tokenizer={"type": "FixedLength", "length": 1},
                      decoder={"type": "Fuse"})
    yield "PrecompiledLeavesRunsAlone", wordpiece(
        normalizer={"type": "Precompiled", "precompiled_charsmap": runs},
        **characters), MAPPED
    yield "PrecompiledLeavesRunsAloneBehindOthers", wordpiece(
        normalizer=sequence(
            "normalizers", {"type": "Prepend", "prepend": "\u200b"},
            {"type": "Precompiled", "precompiled_charsmap": runs}),
        **characters), MAPPED
    for scheme in ("always", "first"):
        yield "T5CutsBars" + scheme.title(), dict(
            unigram(), added_tokens=[added("<x>", 8)],
            pre_tokenizer={"type": "Metaspace", "replacement": "\u2581",
                           "prepend_scheme": scheme, "split": True},
            normalizer=sequence(
                "normalizers",
                {"type": "Precompiled", "precompiled_charsmap": runs},
                {"type": "Strip", "strip_left": False, "strip_right": True},
                {"type": "Replace", "pattern": {"Regex": " {2,}"},
                 "content": "\u2581"})), MAPPED + [
                     "<x>a  b ab  <x>ab a <x>  b ", "a<x>a\n", " a a<x>\u200b a"]
    for name, before in (("T5", []), ("Albert", [
            {"type": "Replace", "pattern": {"String": "``"}, "content": "a"},
            {"type": "NFKD"}, {"type": "StripAccents"},
            {"type": "Lowercase"}])):
        yield name + "Cuts", dict(unigram(), normalizer=sequence(
            "normalizers", *before,
            {"type": "Precompiled", "precompiled_charsmap": runs},
            {"type": "Replace", "pattern": {"Regex": " {2,}"},
             "content": " "})), MAPPED
    yield "WordPieceTakesTheLongestToken", wordpiece()
    yield "BertNormalizesAndSplits", wordpiece(
        normalizer=BERT, pre_tokenizer={"type": "BertPreTokenizer"},
        post_processor=FRAME)
    yield "BertMayKeepCaseAndAccents", wordpiece(normalizer=dict(
        BERT, lowercase=False))
    for kind in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents",
                 "Nmt", "ByteLevel"):
        yield "Normalizer" + kind, wordpiece(normalizer={"type": kind})
    yield "NormalizersFollowEachOther", wordpiece(normalizer=sequence(
        "normalizers", {"type": "NFD"}, {"type": "StripAccents"},
        {"type": "Strip", "strip_left": True, "strip_right": True},
        {"type": "Prepend", "prepend": "t"},
        {"type": "Replace", "pattern": {"String": "ca"}, "content": "th"},
        {"type": "Replace", "pattern": {"Regex": "[aeiou]+|\\s"},
         "content": "e"}))
    for kind in ("Whitespace", "BertPreTokenizer", "UnicodeScripts"):
        yield "Splitter" + kind, wordpiece(pre_tokenizer={"type": kind})
    for behavior in ("Removed", "Isolated", "MergedWithPrevious",
                     "MergedWithNext", "Contiguous"):
        yield "SplitLeavesDelimiters" + behavior, wordpiece(pre_tokenizer={
            "type": "Split", "pattern": {"Regex": "[ac]|\\s"},
            "behavior": behavior, "invert": False})
        yield "SplitInverted" + behavior, wordpiece(pre_tokenizer={
            "type": "Split", "pattern": {"String": "at"},
            "behavior": behavior, "invert": True})
    yield "PunctuationAndDigits", wordpiece(pre_tokenizer=sequence(
        "pretokenizers", {"type": "WhitespaceSplit"},
        {"type": "Punctuation", "behavior": "Isolated"},
        {"type": "Digits", "individual_digits": True}))
    yield "CharDelimiterAndFixedLength", wordpiece(pre_tokenizer=sequence(
        "pretokenizers", {"type": "CharDelimiterSplit", "delimiter": " "},
        {"type": "FixedLength", "length": 2}))
    yield "WordLevelIsWholeWords", wordpiece(model={
        "type": "WordLevel", "unk_token": "[UNK]",
        "vocab": {w: i for i, w in enumerate(WORDS)}}, decoder=None)
    yield "BpeMergesListedPairs", bpe()
    yield "BpeFusesUnknown", bpe(fuse_unk=True)
    yield "BpeDropsWithoutUnknown", bpe(unk_token=None)
    yield "BpeFallsBackToBytes", bpe(byte_fallback=True)
    yield "BpeIgnoresMerges", bpe(ignore_merges=True)
    yield "BpeHasAffixes", bpe(continuing_subword_prefix="##",
                               end_of_word_suffix="</w>", merges=[])
    yield "UnigramTakesTheBestSum", unigram()
    yield "UnigramFallsBackToBytes", unigram(
        byte_fallback=True, vocab=[["<unk>", 0.0], ["a", -1.5]] + [
            ["<0x{:02X}>".format(b), -9.0] for b in range(256)])
    yield "MetaspacePrependsFirst", dict(unigram(), pre_tokenizer={
        "type": "Metaspace", "replacement": "▁", "prepend_scheme": "first",
        "split": False}, added_tokens=[added("cat", 8)])
    yield "AddedTokensCutFirst", wordpiece(added_tokens=[
        added("at", 29), added("cat", 4), added("<x>", 33, special=True),
        added(" t", 34)])
    for flag in ("single_word", "lstrip", "rstrip", "normalized"):
        yield "AddedTokensMay_" + flag, wordpiece(
            normalizer=BERT, added_tokens=[
                added("Cat", 33, **{flag: True}), added("_", 19, **{
                    flag: True}), added(" S", 34)])
    yield "TruncationAndPaddingFrame", wordpiece(
        post_processor=FRAME,
        truncation={"direction": "Left", "max_length": 5,
                    "strategy": "LongestFirst", "stride": 0},
        padding={"strategy": {"Fixed": 7}, "direction": "Right",
                 "pad_to_multiple_of": 4, "pad_id": 9, "pad_type_id": 0,
                 "pad_token": "a"})
    for prefix in (False, True):
        for more in ([], [added("e\u0301\u0323", 270, normalized=True)]):
            name = "NormalizedTokensBehindNfc{}{}".format(
                "Prefix" if prefix else "", "Changed" if more else "")
            yield name, byte_level(
                prefix, normalizer={"type": "NFC"}, added_tokens=[
                    added("<r>", 264, special=True),
                    added("   ", 265, normalized=True),
                    added("  ", 266, normalized=True),
                    added("\u1e0dt", 267, normalized=True),
                    added("<n>", 268, normalized=True, special=True),
                    added("h\u1e0d", 269, normalized=True)] + more), FOUND
    punctuation = {"type": "Punctuation", "behavior": "Contiguous"}
    bytes_of = byte_level(False)["pre_tokenizer"]
    threes = {"type": "Split", "pattern": {"Regex": "[0-9][0-9][0-9]"},
              "behavior": "Isolated", "invert": False}
    digits = {"type": "Digits", "individual_digits": False}
    for name, *steps in (
            ("Falcon", punctuation, bytes_of, digits, threes),
            ("Alone", dict(punctuation, behavior="Isolated"), bytes_of,
             dict(digits, individual_digits=True)),
            ("Merged", dict(punctuation, behavior="MergedWithPrevious"),
             bytes_of),
            ("WithoutPattern", dict(bytes_of, use_regex=False), digits),
            ("BySpelledSpace", bytes_of, dict(
                threes, pattern={"Regex": "\u0120"}))):
        yield "StepsBehindByteLevel" + name, byte_level(
            False, pre_tokenizer=sequence("pretokenizers", *steps)), SPELLED
    yield "RobertaTrimsSpaces", wordpiece(
        pre_tokenizer={"type": "ByteLevel", "add_prefix_space": True,
                       "trim_offsets": True, "use_regex": True},
        post_processor={"type": "RobertaProcessing", "sep": ["[SEP]", 2],
                        "cls": ["[CLS]", 1], "trim_offsets": True,
                        "add_prefix_space": True})
    for kind, fields in (
            ("ByteFallback", {}), ("BPEDecoder", {"suffix": "t"}),
            ("CTC", {"pad_token": "the", "word_delimiter_token": "a",
                     "cleanup": True}),
            ("Strip", {"content": "c", "start": 1, "stop": 0}),
            ("Replace", {"pattern": {"String": "a"}, "content": "o"})):
        yield "Decoder" + kind, wordpiece(decoder=dict(type=kind, **fields))
    yield "DecodersFollowEachOther", wordpiece(decoder=sequence(
        "decoders", {"type": "Replace", "pattern": {"String": "##"},
                     "content": " "}, {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0}))
    yield "NothingIsFoundInNothing", wordpiece(
        normalizer=sequence(
            "normalizers",
            {"type": "Strip", "strip_left": True, "strip_right": True},
            {"type": "Replace", "pattern": {"Regex": "^"}, "content": "t"}),
        decoder=sequence("decoders", {"type": "Fuse"}, {
            "type": "Replace", "pattern": {"Regex": "x?"}, "content": "-"}))


def main():
    written = []
    for name, document, *own in cases():
        tokenizer = tokenizers.Tokenizer.from_str(json.dumps(document))
        rows = []
        for text in own[0] if own else TEXTS:
            try:
                e = tokenizer.encode(text)
            except BaseException:  # pyo3_runtime.PanicException
                continue
            rows.append({
                "text": text, "ids": e.ids,
                "offsets": [list(o) for o in e.offsets],
                "words": [-1 if w is None else w for w in e.word_ids],
                "decoded": tokenizer.decode(e.ids,
                                            skip_special_tokens=False)})
        written.append({"name": name, "document": document, "rows": rows})
    print(json.dumps({"tokenizers": tokenizers.__version__,
                      "cases": written}, ensure_ascii=True,
                     separators=(",", ":")).replace('{"name"', '\n{"name"'))


if __name__ == "__main__":
    main()
