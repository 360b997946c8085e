"""Makes small tokenizer.json files, one for each thing that can go wrong."""

import json
import os

from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models,
                        normalizers, pre_tokenizers, processors, trainers)

SPECIALS = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
VOCABULARY_SIZE = 600


def corpus_of(paths):
    """Some of each text, a line each."""
    lines = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            lines += file.read().split("\n")[100:500]
    return lines


def trained(corpus, model, trainer, normalizer=None, splitter=None):
    tokenizer = Tokenizer(model)
    if normalizer:
        tokenizer.normalizer = normalizer
    if splitter:
        tokenizer.pre_tokenizer = splitter
    tokenizer.train_from_iterator(corpus, trainer)
    return tokenizer


def wordpiece(corpus, **kinds):
    return trained(
        corpus, models.WordPiece(unk_token="[UNK]"),
        trainers.WordPieceTrainer(vocab_size=VOCABULARY_SIZE,
                                  special_tokens=SPECIALS,
                                  show_progress=False), **kinds)


def bpe(corpus, trainer_flags=None, model_flags=None, **kinds):
    return trained(
        corpus, models.BPE(unk_token="[UNK]", **(model_flags or {})),
        trainers.BpeTrainer(vocab_size=VOCABULARY_SIZE,
                            special_tokens=SPECIALS, show_progress=False,
                            **(trainer_flags or {})), **kinds)


def unigram(corpus, **kinds):
    return trained(
        corpus, models.Unigram(),
        trainers.UnigramTrainer(vocab_size=5 * VOCABULARY_SIZE,
                                special_tokens=["<unk>", "<s>", "</s>"],
                                unk_token="<unk>", show_progress=False),
        **kinds)


def word_level(corpus, **kinds):
    return trained(
        corpus, models.WordLevel(unk_token="[UNK]"),
        trainers.WordLevelTrainer(vocab_size=VOCABULARY_SIZE,
                                  special_tokens=SPECIALS,
                                  show_progress=False), **kinds)


def some_normalizers(charsmap):
    n = normalizers
    yield "NFC", n.NFC()
    yield "NFD", n.NFD()
    yield "NFKC", n.NFKC()
    yield "NFKD", n.NFKD()
    yield "Lowercase", n.Lowercase()
    yield "Strip", n.Strip()
    yield "Strip left", n.Strip(left=True, right=False)
    yield "Strip right", n.Strip(left=False, right=True)
    yield "StripAccents", n.StripAccents()
    yield "NFD, StripAccents", n.Sequence([n.NFD(), n.StripAccents()])
    yield "NFKC, Lowercase, Strip", n.Sequence(
        [n.NFKC(), n.Lowercase(), n.Strip()])
    yield "Nmt", n.Nmt()
    yield "Nmt, NFKC", n.Sequence([n.Nmt(), n.NFKC()])
    yield "Replace", n.Replace("e", "é-")
    yield "Replace by nothing", n.Replace("th", "")
    yield "Replace regex", n.Replace(Regex(r"\s+|[0-9]{2,3}"), "_")
    yield "Replace spaces", n.Sequence([n.Prepend("▁"), n.Replace(" ", "▁")])
    yield "Prepend", n.Prepend("<x")
    yield "ByteLevel", n.ByteLevel()
    yield "NFC, ByteLevel", n.Sequence([n.NFC(), n.ByteLevel()])
    for clean in (True, False):
        for han in (True, False):
            for accents in (True, False, None):
                for lower in (True, False):
                    yield "Bert {} {} {} {}".format(clean, han, accents,
                                                    lower), n.BertNormalizer(
                        clean_text=clean, handle_chinese_chars=han,
                        strip_accents=accents, lowercase=lower)
    for name, data in charsmap:
        yield "Precompiled " + name, n.Precompiled(data)
        yield "Precompiled {}, Replace".format(name), n.Sequence(
            [n.Precompiled(data), n.Replace(Regex(" {2,}"), " ")])


BEHAVIOURS = ["removed", "isolated", "merged_with_previous",
              "merged_with_next", "contiguous"]

REGEXES = [
    r" ?[a-z]+", r"\p{L}+|\p{N}", r"[^\s\p{L}\p{N}]+", r"\d{1,3}",
    r"[\r\n]", r"\s+", r"[一-龥぀-ゟ゠-ヿ]+", r"(?:ab|a)+?", r"[^\S\r\n]+",
    r"[\p{P}\p{S}]", r"\P{L}", r".", r"[A-Za-z\u00e0-\u00ff\-]+", r"x*y|z",
    r" ?[^(\s|[.,!?…。，、।۔،])]+",
    r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+",
    r" ?[\p{L}\p{M}]+| ?\p{N}+| ?[^\s\p{L}\p{M}\p{N}]+|\s+(?!\S)|\s+",
]


def some_splitters():
    p = pre_tokenizers
    yield "none", None
    yield "Bert", p.BertPreTokenizer()
    yield "Whitespace", p.Whitespace()
    yield "WhitespaceSplit", p.WhitespaceSplit()
    for behaviour in BEHAVIOURS:
        yield "Punctuation " + behaviour, p.Punctuation(behaviour)
        for invert in (False, True):
            yield "Split {} {}".format(behaviour, invert), p.Split(
                " ", behaviour, invert)
            yield "Split regex {} {}".format(behaviour, invert), p.Split(
                Regex(r"[aeiou]+|\s"), behaviour, invert)
    yield "Digits", p.Digits(individual_digits=False)
    yield "Digits individual", p.Digits(individual_digits=True)
    for scheme in ("always", "first", "never"):
        for split in (True, False):
            yield "Metaspace {} {}".format(scheme, split), p.Metaspace(
                replacement="▁", prepend_scheme=scheme, split=split)
    yield "Metaspace _", p.Metaspace(replacement="_")
    yield "CharDelimiterSplit", p.CharDelimiterSplit("e")
    yield "FixedLength", p.FixedLength(length=3)
    yield "UnicodeScripts", p.UnicodeScripts()
    for prefix in (True, False):
        for regex in (True, False):
            yield "ByteLevel {} {}".format(prefix, regex), p.ByteLevel(
                add_prefix_space=prefix, use_regex=regex)
    yield "Digits, ByteLevel", p.Sequence(
        [p.Digits(individual_digits=True), p.ByteLevel()])
    yield "Whitespace, Punctuation", p.Sequence(
        [p.Whitespace(), p.Punctuation()])
    yield "Scripts, Metaspace", p.Sequence(
        [p.UnicodeScripts(), p.Metaspace(prepend_scheme="first")])
    yield "WhitespaceSplit, Metaspace", p.Sequence(
        [p.WhitespaceSplit(), p.Metaspace()])
    for number, regex in enumerate(REGEXES):
        yield "regex {}".format(number), p.Split(Regex(regex), "isolated")


def some_decoders():
    d = decoders
    yield "none", None
    yield "WordPiece", d.WordPiece()
    yield "WordPiece raw", d.WordPiece(prefix="##", cleanup=False)
    yield "ByteLevel", d.ByteLevel()
    yield "Metaspace", d.Metaspace()
    yield "Metaspace never", d.Metaspace(prepend_scheme="never")
    yield "ByteFallback", d.ByteFallback()
    yield "BPEDecoder", d.BPEDecoder(suffix="e")
    yield "CTC", d.CTC(pad_token="[PAD]", word_delimiter_token="t")
    yield "Fuse", d.Fuse()
    yield "Replace", d.Replace("e", " - ")
    yield "Replace regex", d.Replace(Regex("[aeo]"), "")
    yield "Llama", d.Sequence([d.Replace("▁", " "), d.ByteFallback(),
                               d.Fuse(), d.Strip(" ", 1, 0)])
    yield "Strip", d.Strip("e", 2, 0)


def some_added():
    yield "plain", [AddedToken("the", normalized=False), AddedToken(
        "日本", normalized=False), AddedToken("  ", normalized=False)]
    yield "normalized", [AddedToken("The"), AddedToken("É"), AddedToken(
        "Straße"), AddedToken("   ")]
    for single in (True, False):
        for left in (True, False):
            for right in (True, False):
                for normalized in (True, False):
                    flags = dict(single_word=single, lstrip=left,
                                 rstrip=right, normalized=normalized)
                    yield " ".join(k for k, v in flags.items() if v), [
                        AddedToken("<x>", special=True, **flags),
                        AddedToken("the", **flags),
                        AddedToken("_", **flags),
                        AddedToken(" a", **flags),
                        AddedToken("\u0301e", **flags)]


def with_charsmap(fixtures):
    try:
        import sentencepiece
        from sentencepiece import sentencepiece_model_pb2 as pb
    except ImportError:
        return
    for language in ("en", "ja"):
        model = pb.ModelProto()
        path = os.path.join(fixtures,
                            "sentencepiece-unigram-{}.model".format(language))
        with open(path, "rb") as file:
            model.ParseFromString(file.read())
        yield language, model.normalizer_spec.precompiled_charsmap


def changed(base, added=(), **parts):
    tokenizer = Tokenizer.from_str(base.to_str())
    for name, part in parts.items():
        if part is not None:
            setattr(tokenizer, name, part)
    tokenizer.add_tokens(list(added))
    return tokenizer


def documents(corpus, fixtures):
    charsmap = list(with_charsmap(fixtures))
    base = wordpiece(corpus, splitter=pre_tokenizers.BertPreTokenizer())
    for name, normalizer in some_normalizers(charsmap):
        yield "normalizer " + name, lambda: changed(
            base, normalizer=normalizer)
        if not name.startswith("Bert"):
            yield "normalizer {} Unigram".format(name), lambda: unigram(
                corpus, normalizer=normalizer,
                splitter=pre_tokenizers.Metaspace())
    for name, splitter in some_splitters():
        yield "splitter {} BPE".format(name), lambda: bpe(
            corpus, splitter=splitter)
        yield "splitter {} Unigram".format(name), lambda: unigram(
            corpus, splitter=splitter)
    whole = pre_tokenizers.WhitespaceSplit()
    yield "model WordLevel", lambda: word_level(corpus, splitter=whole)
    yield "model BPE prefix and suffix", lambda: bpe(
        corpus, {"continuing_subword_prefix": "##",
                 "end_of_word_suffix": "</w>"},
        {"continuing_subword_prefix": "##", "end_of_word_suffix": "</w>"},
        splitter=whole)
    yield "model BPE suffix", lambda: bpe(
        corpus, {"end_of_word_suffix": "</w>"},
        {"end_of_word_suffix": "</w>"}, splitter=whole)
    yield from bpe_documents(corpus, whole)
    yield from unigram_documents(corpus, whole)
    decoded = (("BPE", bpe(corpus, splitter=pre_tokenizers.Metaspace())),
               ("ByteLevel", bpe(corpus, splitter=pre_tokenizers.ByteLevel())),
               ("WordPiece", base))
    for name, decoder in some_decoders():
        for kind, tokenizer in decoded:
            yield "decoder {} {}".format(name, kind), lambda: changed(
                tokenizer, decoder=decoder)
    for name, tokens in some_added():
        for lower in (None, normalizers.BertNormalizer(),
                      normalizers.Sequence([normalizers.Prepend("▁"),
                                            normalizers.Replace(" ", "▁")])):
            yield "added {} {}".format(
                name, type(lower).__name__), lambda: changed(
                    base, added=tokens, normalizer=lower,
                    decoder=decoders.WordPiece())
    yield from framed_documents(base)


def bpe_documents(corpus, whole):
    tokenizer = bpe(corpus, splitter=whole)
    for changes in ({"fuse_unk": True}, {"unk_token": None},
                    {"ignore_merges": True}, {"byte_fallback": True},
                    {"byte_fallback": True, "fuse_unk": True},
                    {"byte_fallback": True, "unk_token": None}):
        for drop in (0, 40):
            document = json.loads(tokenizer.to_str())
            model = document["model"]
            model.update(changes)
            # Some characters are unknown, some bytes have tokens.
            if changes.get("byte_fallback"):
                for byte in range(256 if drop == 0 else 0xE5):
                    model["vocab"]["<0x{:02X}>".format(byte)] = len(
                        model["vocab"])
            if drop:
                kept = len(model["merges"]) - drop
                model["merges"] = model["merges"][:kept]
            document["pre_tokenizer"] = None if drop else document[
                "pre_tokenizer"]
            yield "model BPE {} {}".format(
                changes, drop), lambda: Tokenizer.from_str(
                    json.dumps(document))


def unigram_documents(corpus, whole):
    tokenizer = unigram(corpus, splitter=pre_tokenizers.Metaspace())
    for byte_fallback in (False, True):
        document = json.loads(tokenizer.to_str())
        model = document["model"]
        model["byte_fallback"] = byte_fallback
        if byte_fallback:
            model["vocab"] += [["<0x{:02X}>".format(b), -9.5]
                               for b in range(256)]
        # Ties, repetitions and integral scores.
        model["vocab"] += [["aa", -3.0], ["aaa", -4.5], ["aaaa", -6],
                           ["aa", -2.5], ["oo", -3.0], ["o", -1.5],
                           ["hello wor", -2.0]]
        for splitter in (document["pre_tokenizer"], None):
            document["pre_tokenizer"] = splitter
            yield "model Unigram {} {}".format(
                byte_fallback, splitter is None), lambda: Tokenizer.from_str(
                    json.dumps(document))


def framed_documents(base):
    frames = [
        ("Bert", processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))),
        ("Roberta", processors.RobertaProcessing(("[SEP]", 2), ("[CLS]", 1))),
        ("Roberta untrimmed", processors.RobertaProcessing(
            ("[SEP]", 2), ("[CLS]", 1), trim_offsets=False)),
        ("ByteLevel", processors.ByteLevel(trim_offsets=True)),
        ("Template", processors.TemplateProcessing(
            single="[CLS] $A [SEP] [SEP]", pair="$A $B",
            special_tokens=[("[CLS]", 1), ("[SEP]", 2)])),
        ("Template twice", processors.TemplateProcessing(
            single="$A [SEP] $A", pair="$A $B",
            special_tokens=[("[SEP]", 2)])),
        ("Sequence", processors.Sequence(
            [processors.ByteLevel(trim_offsets=True, add_prefix_space=False),
             processors.TemplateProcessing(
                 single="[CLS] $A", pair="$A $B",
                 special_tokens=[("[CLS]", 1)])])),
    ]
    for name, processor in frames:
        # Where a text comes twice the reference keeps every pair of what
        # truncation cut off, more than memory holds.
        for limits in (0, 4) if "twice" in name else range(6):
            tokenizer = Tokenizer.from_str(base.to_str())
            if name in ("ByteLevel", "Sequence") or "Roberta" in name:
                tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
            tokenizer.post_processor = processor
            if limits in (1, 3):
                tokenizer.enable_truncation(9)
            if limits == 2:
                tokenizer.enable_truncation(6, stride=1,
                                            strategy="only_first")
            if limits in (2, 3):
                tokenizer.enable_padding(length=12, pad_id=3,
                                         direction="left")
            if limits == 4:
                tokenizer.enable_padding(pad_to_multiple_of=8, pad_id=3)
            if limits == 5:
                tokenizer.enable_truncation(5, direction="left")
                tokenizer.enable_padding(length=7, pad_to_multiple_of=4)
            yield "frame {} {}".format(name, limits), lambda: tokenizer


def make_all(folder, corpora, fixtures, only):
    """Yields (name, path) of each file made."""
    for number, (name, make) in enumerate(
            documents(corpus_of(corpora), fixtures)):
        if only not in name:
            continue
        path = os.path.join(folder, "{}.json".format(number))
        make().save(path)
        yield name, path
