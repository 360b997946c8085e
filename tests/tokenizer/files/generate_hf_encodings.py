#!/usr/bin/env python3
"""Writes hf_encodings.json: all columns that Hugging Face tokenizers 0.23.3 gives
for texts, pairs and batches, under post-processors, truncation and padding.

  pip install tokenizers==0.23.3
  python tests/tokenizer/files/generate_hf_encodings.py > tests/tokenizer/files/hf_encodings.json
"""

import json

import tokenizers

from generate_hf_vectors import byte_level, unigram, wordpiece


def mask(flags):
    return dict({"id": 264, "content": "<m>", "single_word": False,
                 "lstrip": False, "rstrip": False, "normalized": False,
                 "special": True}, **{flag: True for flag in flags.split()})


def spaced_unigram(processor):
    """Where the space is unknown, and text."""
    return dict(unigram(vocab=[["<unk>", 0.0], ["a", -1.5], ["b", -2.5]]),
                pre_tokenizer=None, post_processor=processor)


def special(token, number):
    return {"id": token, "ids": [number], "tokens": [token]}


def piece(kind, name, type_id):
    return {kind: {"id": name, "type_id": type_id}}


def pieces(text):
    """"[CLS]:0 A:1" as in a tokenizer.json."""
    made = []
    for part in text.split():
        name, type_id = part.split(":")
        made.append(piece("Sequence" if name in "AB" else "SpecialToken", name,
                          int(type_id)))
    return made


def template(single, pair):
    return {"type": "TemplateProcessing", "single": pieces(single),
            "pair": pieces(pair), "special_tokens": {
                "[CLS]": special("[CLS]", 1), "[SEP]": special("[SEP]", 2)}}


BERT = {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]}
ROBERTA = {"type": "RobertaProcessing", "sep": ["[SEP]", 2],
           "cls": ["[CLS]", 1], "trim_offsets": True,
           "add_prefix_space": True}
TEMPLATE = template("[CLS]:3 A:4 [SEP]:5", "[CLS]:0 A:2 [SEP]:3 B:4 [SEP]:1")
TURNED = template("A:0 [SEP]:1", "B:1 [SEP]:0 A:0")


def truncation(length, stride=0, strategy="LongestFirst", direction="Right"):
    return {"max_length": length, "stride": stride, "strategy": strategy,
            "direction": direction}


def padding(strategy, direction="Right", multiple=None):
    return {"strategy": strategy, "direction": direction, "pad_id": 3,
            "pad_to_multiple_of": multiple, "pad_type_id": 7,
            "pad_token": "the"}


def trim(add_prefix_space):
    return {"type": "ByteLevel", "add_prefix_space": add_prefix_space,
            "trim_offsets": True, "use_regex": True}


def cases():
    for name, processor in (("None", None), ("Bert", BERT),
                            ("Roberta", ROBERTA), ("Template", TEMPLATE),
                            ("Turned", TURNED)):
        yield name, wordpiece(post_processor=processor)
        yield name + "Cut", wordpiece(post_processor=processor,
                                      truncation=truncation(8, 1))
        yield name + "CutLeft", wordpiece(
            post_processor=processor,
            truncation=truncation(9, 0, direction="Left"))
        yield name + "CutSecondPadded", wordpiece(
            post_processor=processor,
            truncation=truncation(12, 2, "OnlySecond"),
            padding=padding("BatchLongest", "Left", 4))
        yield name + "CutFirstPadded", wordpiece(
            post_processor=processor,
            truncation=truncation(12, 0, "OnlyFirst", "Left"),
            padding=padding({"Fixed": 14}))
        yield name + "Padded", wordpiece(
            post_processor=processor, padding=padding({"Fixed": 10}, "Left", 3))
    for prefix in (False, True):
        name = "Prefix" if prefix else "NoPrefix"
        yield "ByteLevel" + name, byte_level(prefix)
        yield "ByteLevelTrimmed" + name, byte_level(
            prefix, post_processor=trim(prefix))
        yield "ByteLevelCut" + name, byte_level(
            prefix, post_processor=trim(prefix), truncation=truncation(6, 2))
        for flags in ("lstrip", "rstrip", "lstrip rstrip"):
            yield "AddedTokens{}Trimmed{}".format(
                "".join(f.title() for f in flags.split()), name), byte_level(
                    prefix, post_processor=dict(ROBERTA, cls=["æ", 0xe6],
                                                sep=["s", 0x73]),
                    added_tokens=[mask(flags)], truncation=truncation(16))
    for processor in ("ByteLevel", "Roberta"):
        yield "UnigramUnknownTrimmed" + processor, spaced_unigram(
            trim(True) if processor == "ByteLevel" else dict(
                ROBERTA, cls=["a", 1], sep=["b", 2]))
    template = dict(TEMPLATE, special_tokens={
        "[CLS]": special("<cls>", 1), "[SEP]": {
            "id": "[SEP]", "ids": [2, 5], "tokens": ["<sep>", "##s"]}})
    for name, processor in (
            ("Template", template),
            ("Bert", dict(BERT, cls=["<cls>", 1], sep=["<sep>", 2])),
            ("Roberta", dict(ROBERTA, cls=["<cls>", 1], sep=["<sep>", 2]))):
        yield "TextsAroundAreTheFiles" + name, wordpiece(
            post_processor=processor,
            padding=dict(padding({"Fixed": 12}), pad_token="<pad>"))
    yield "TextsAroundAreTheFilesByteLevel", byte_level(
        False, padding=dict(padding({"Fixed": 12}), pad_token="<pad>"),
        post_processor=dict(ROBERTA, cls=["<cls>", 264], sep=["s", 0x73]))
    yield "AddedTokenHasAnIdOfTheModel", wordpiece(
        added_tokens=[{"id": 2, "content": "a<m>", "single_word": False,
                       "lstrip": False, "rstrip": False, "normalized": False,
                       "special": False}],
        model={"type": "WordLevel", "unk_token": "the", "vocab": {
            "the": 0, "cat": 2}})
    yield "UnknownTokenIsRespelled", dict(
        unigram(vocab=[["<UNK>", 0.0], ["a", -1.5], ["the", -2.5]]),
        normalizer={"type": "Lowercase"},
        added_tokens=[{"id": 0, "content": "<UNK>", "single_word": False,
                       "lstrip": False, "rstrip": False, "normalized": True,
                       "special": False}])


TEXTS = [("a<m>   a", "Paris is  <m> city"), ("a b", " <m>"),
         ("the cat sat", None), ("the cats sat, a cat bat", "cat the"),
         ("the", "the cats sat, a bat at the cat"), ("", ""), ("a", "b"),
         ("the  日本 é<x> the\n  cat ", " the 日 the")]


def parts_of(encoding):
    return [[e.ids, e.tokens, e.offsets, e.word_ids, e.type_ids,
             e.special_tokens_mask, e.attention_mask, e.sequence_ids]
            for e in [encoding] + encoding.overflowing]


def main():
    written = []
    for name, document in cases():
        tokenizer = tokenizers.Tokenizer.from_str(json.dumps(document))
        rows = []
        for first, second in TEXTS:
            for special_tokens in (True, False):
                row = {"first": first, "second": second,
                       "special": special_tokens}
                try:
                    row["parts"] = parts_of(tokenizer.encode(
                        first, second, add_special_tokens=special_tokens))
                except BaseException as error:
                    assert "runcat" in str(error) or "stride" in str(error)
                rows.append(row)
        try:
            batch = [parts_of(e) for e in tokenizer.encode_batch(
                [t for t in TEXTS if t[1]])]
        except BaseException as error:
            batch = None
        written.append({"name": name, "document": document, "rows": rows,
                        "batch": batch})
    print(json.dumps({"tokenizers": tokenizers.__version__, "cases": written},
                     separators=(",", ":")).replace('{"name"', '\n{"name"'))


if __name__ == "__main__":
    main()
