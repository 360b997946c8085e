#!/usr/bin/env python3
"""Writes regex_vectors.json: what the references' regular expressions match.

Oniguruma as Hugging Face tokenizers 0.23.3 has it, fancy-regex as tiktoken
0.14.0 has it.

  pip install tokenizers==0.23.3 tiktoken==0.14.0
  python tests/tokenizer/patterns/generate_regex_vectors.py \\
      > tests/tokenizer/patterns/regex_vectors.json
"""

import json

import tiktoken
import tokenizers
from tokenizers import pre_tokenizers

TEXTS = [
    "Hello  world's 12345 caf\u00e9s\n", " a\n\n b\r\n\tc  ", "aaab abab bbba",
    "x1y22z333 1234567", "\u6f22\u5b57\u304b\u306a\u30ab\u30bf \uac00\uac01",
    "e\u0301\u00b2\u00bc_\u200dk\u212aS\u017fs", "'s'S'\u017f'll'LL don't",
    "\u1c89\ua7cb\u0897 \U0001f600\U0001f468\u200d\U0001f469", "foo food a.b",
    "line one\nline two\n", "a\u00a0\u3000\u2028 b", "aB cD-eF_gH", "\n", "ab",
]

BOTH = [
    # Look-around.
    r"\p{L}+(?=\s)", r"(?<=\s)\w+", r"(?<!\p{L})\p{N}+", r"a(?!b)|b+",
    r"\d{1,3}(?=(?:\d{3})*\b)", r"(?<=a|bb)b", r"(?<=^|\n)l\w+", r"\s+(?!\S)",
    r"\s+(?=\S)|\S+", r"(?=[a-f])\w+?(?=\b)", r"(?<!\w)'\w+",
    # Atomic groups and possessive repetition.
    r"(?>a+)b|a", r"a++b|b", r"\w*+ ", r"\p{L}?+a|\p{L}++", r"(?:ab)++|\w",
    # Borders, anchors of the text.
    r"\bfoo\b|\w+\B", r"\Aa|\w\z|\n\z", r"\b\w", r"\B\w",
    # Classes and properties.
    r"\w+", r"\W+", r"[\w]+", r"[\W]+", r"[^\w\s]+", r"[\p{L}&&[^\p{Han}]]+",
    r"\p{Han}+|\p{Hiragana}+|\p{Katakana}+|\p{Hangul}+", r"[a-z[0-9]]+",
    r"[^a-c&&\p{Ll}]+", r"\p{Lu}\p{Ll}*|\p{Letter}+", r"\h+", r"[\s\d]+",
    r"(?<=\p{Han})[\p{Hiragana}\p{Katakana}]+", r"\P{L}+",
    # Case.
    r"(?i:'s|'t|'ll|k)+(?=.)", r"(?i:[a-s]+)(?!x)", r"(?i)a(?=b)|[^s]",
    # Known models'.
    r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"\s?\p{L}+|\s?\p{N}+|\s?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s",
]
ONIGURUMA = [
    r"^\w+", r"\w+$", r"^.+$", r"\n$", r"\w\Z", r"(?m:o.+)", r"a{1,2}+",
    r"a{,2}b", r"[[:punct:]]+(?=\w)", r"[[:word:]]+(?!\n)", r"\p{^L}+(?=b)",
    r"(?<name>a)b(?!a)",
]
FANCY = [
    r"^\w+", r"\w+$", r"\w{1,3}+", r"\w{2}?(?=a|b)", r"(?s:o.+)", r"\pL+(?!\pN)",
    r"(?i:ss|ff|st)(?!x)|(?i:S\x{17f})",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
]


def oniguruma(regex, text):
    split = pre_tokenizers.Split(tokenizers.Regex(regex), "removed", invert=True)
    return [part for part, _ in split.pre_tokenize_str(text)]


def fancy(regex, text):
    """Ranks that have every part of the text make a token of each match."""
    data = text.encode()
    ranks = {bytes([i]): i for i in range(256)}
    for size in range(2, len(data) + 1):
        for begin in range(len(data) - size + 1):
            ranks.setdefault(data[begin:begin + size], len(ranks))
    encoding = tiktoken.Encoding("x", pat_str=regex, mergeable_ranks=ranks,
                                 special_tokens={})
    return [encoding.decode([token])
            for token in encoding.encode_ordinary(text)]


def main():
    cases = []
    for syntax, matches, regexes in (
            ("oniguruma", oniguruma, BOTH + ONIGURUMA),
            ("fancy-regex", fancy, BOTH + FANCY)):
        for regex in regexes:
            cases.append({"syntax": syntax, "regex": regex,
                          "matches": [matches(regex, t) for t in TEXTS]})
    rows = ",\n".join(json.dumps(case) for case in cases)
    print('{{"texts": {},\n"cases": [\n{}]}}'.format(json.dumps(TEXTS), rows))


if __name__ == "__main__":
    main()
