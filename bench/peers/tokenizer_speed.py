"""Loads and encodes in turn with everyone for bench/peers/tokenizers."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
# The library whose ids are right comes first: ours must load faster than it.
PEERS = {
    ".json": ["tokenizers", "gigatoken", "fastokens", "tokie"],
    ".tiktoken": ["tiktoken", "gigatoken", "fastokens"],
    ".model": ["sentencepiece", "gigatoken"],
}
PASSES = ("load", "cold", "onward", "warm")


def documents_of(path, document_bytes):
  """Pieces of about so many bytes, cut at the ends of lines."""
  documents = []
  lines = []
  size = 0
  with open(path, encoding="utf8", newline="") as file:
    for line in file:
      lines.append(line.replace("\0", ""))
      size += len(line.encode())
      if size >= document_bytes:
        documents.append("".join(lines))
        lines = []
        size = 0
  if lines:
    documents.append("".join(lines))
  return documents


def write_corpora(fixtures, work, texts, document_bytes):
  """The texts, by name: those of the folder `texts`; without one English,
  Japanese, and this project's own code."""
  work.mkdir(parents=True, exist_ok=True)
  if texts is not None:
    found = sorted(texts.glob("*.txt"))
    return write_documents({path.stem: path for path in found}, work,
                           document_bytes)
  code = work / "code.txt"
  with open(code, "w", encoding="utf8") as file:
    for floor in ("formats", "pipeline", "infeed", "tools"):
      for source in sorted((HERE.parent.parent / floor).rglob("*.cc")):
        file.write(source.read_text(encoding="utf8"))
  return write_documents({"English": fixtures / "corpora/moby.txt",
                          "Japanese": fixtures / "corpora/neko.txt",
                          "code": code}, work, document_bytes)


def write_documents(texts, work, document_bytes):
  out = {}
  for name, path in texts.items():
    documents = documents_of(path, document_bytes)
    target = work / (name + ".documents")
    with open(target, "w", encoding="utf8", newline="") as file:
      file.writelines(document + "\0" for document in documents)
    out[name] = (target, target.stat().st_size - len(documents))
  return out


def run(command):
  done = subprocess.run(command, stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE, text=True)
  if done.returncode != 0:
    return {"failed": done.stderr.strip().splitlines()[-1:]}
  return json.loads(done.stdout.splitlines()[-1])


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument("--binary", required=True)
  parser.add_argument("--fixtures", type=pathlib.Path, required=True)
  parser.add_argument("--work", type=pathlib.Path, required=True)
  parser.add_argument("--texts", type=pathlib.Path)
  parser.add_argument("--tokenizers", type=pathlib.Path)
  parser.add_argument("--document-bytes", type=int, default=10_000)
  parser.add_argument("--only", default="")
  parser.add_argument("--peers", nargs="+", default=[])
  parser.add_argument("--repetitions", type=int, default=5)
  parser.add_argument("--core", type=int, default=os.cpu_count() - 1)
  options = parser.parse_args()
  os.sched_setaffinity(0, {options.core})

  corpora = write_corpora(options.fixtures, options.work, options.texts,
                          options.document_bytes)
  tokenizers = options.tokenizers or options.fixtures / "tokenizers"
  slower = False
  print("{:32} {:9} {:14} {:>9} {:>9} {:>11} {:>9} {:>29}".format(
      "vocabulary", "text", "program", "load ms", "cold MB/s", "onward MB/s",
      "warm MB/s", "ours / theirs: l c o w"))
  for vocabulary in sorted(tokenizers.iterdir()):
    peers = PEERS.get(vocabulary.suffix)
    if peers is None:
      continue
    for text, (documents, size) in corpora.items():
      label = vocabulary.name.removesuffix(".json").removesuffix(".tokenizer")
      if options.only not in label + " " + text:
        continue
      files = [str(vocabulary), str(documents)]
      commands = {"penstock": [options.binary] + files}
      compiled = options.work / "compiled"
      commands["compiled"] = [options.binary, "--compiled",
                              str(compiled)] + files
      run(commands["compiled"])  # makes what the others find
      for peer in peers:
        if options.peers and peer not in options.peers:
          continue
        commands[peer] = [sys.executable, str(HERE / "tokenizer_jobs.py"),
                          peer] + files
      results = {program: [] for program in commands}
      for _ in range(options.repetitions):
        for program, command in commands.items():
          results[program].append(run(command))
      ours = None
      for program, rows in results.items():
        if "failed" in rows[0]:
          print("{:32} {:9} {:14} {}".format(label, text, program,
                                             rows[0]["failed"]))
          continue
        # Loading and the first pass happen once a process: their median.
        best = {"load": statistics.median(row["load"] for row in rows),
                "cold": statistics.median(row["cold"] for row in rows),
                "onward": statistics.median(row["onward"] for row in rows),
                "warm": min(row["warm"] for row in rows)}
        ours = ours or {**best, "digest": rows[0]["digest"],
                        "ids": rows[0]["ids"]}
        note = ""
        if program != "penstock":
          note = " ".join("{:6.2f}".format(best[p] / ours[p]) for p in PASSES)
          if program == peers[0]:
            slower |= any(best[p] < ours[p] for p in PASSES)
          if rows[0]["digest"] != ours["digest"]:
            note += "  other ids: {} of {}".format(rows[0]["ids"], ours["ids"])
        print("{:32} {:9} {:14} {:9.1f} {:9.1f} {:11.1f} {:9.1f} {:>29}".format(
            label, text, program, best["load"] * 1e3, size / best["cold"] / 1e6,
            size / 2 / best["onward"] / 1e6, size / best["warm"] / 1e6, note),
              flush=True)
  return 1 if slower else 0


if __name__ == "__main__":
  sys.exit(main())
