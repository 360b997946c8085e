#!/usr/bin/env python3
"""Writes csv_cases.inc: CSV texts and what Python's csv module makes of them.

Where a text is not in the grammar of RFC 4180 (with \\n as a line end, too),
Python often guesses; those are marked as errors.
"""
import csv
import random
import re

FIELD = r'(?:"(?:[^"]|"")*"|[^",\r\n]*)'
ROW = rf"{FIELD}(?:,{FIELD})*"
GRAMMAR = re.compile(rf"{ROW}(?:\r?\n{ROW})*")


def rows_of(text):
    if not GRAMMAR.fullmatch(text):
        return None
    # csv splits what it is given into lines itself only in an iterator that
    # keeps line ends.
    return [row for row in csv.reader(text.splitlines(keepends=True), strict=True) if row]


def c_string(text):
    out = ""
    for c in text:
        out += {"\n": "\\n", "\r": "\\r", '"': '\\"', "\t": "\\t"}.get(c, c)
    return f'"{out}"'


def main():
    random.seed(4180)
    parts = ["a", "b c", ",", ",", '"', '"', '""', "\n", "\r\n", '",', ',"', "é", "\r"]
    weights = [4, 2, 4, 2, 1, 2, 2, 3, 2, 2, 2, 1, 0.1]
    texts = ["", "a", "a,b\n", '""', '"",""\r\n', "\n\n", ",", '"a""b"\n', '"\n"', '"a']
    while len(texts) < 400:
        text = "".join(random.choices(parts, weights, k=random.randint(1, 14)))
        # Python takes a lone \r inside quotes apart in the same way.
        if text not in texts and "\x0b" not in text:
            texts.append(text)
    print("// Made by make_csv_cases.py from Python's csv module.")
    for text in texts:
        rows = rows_of(text)
        if rows is None:
            print(f"  {{{c_string(text)}, std::nullopt}},")
        else:
            # One row of two fields must not be taken for a pair of iterators.
            inner = ", ".join(
                "std::vector<std::string>{" + ", ".join(map(c_string, row)) + "}" for row in rows
            )
            print(f"  {{{c_string(text)}, CsvRows{{{inner}}}}},")


main()
