"""Runs the jobs of bench/peers/pipeline and prints the table."""

import argparse
import json
import pathlib
import subprocess
import sys

from formats import Best, Worker
from tokenizer_speed import documents_of

# Penstock's job, what of the files it takes, and against whom: (peer, its job,
# at least). "penstock" is a peer of itself where it has two ways.
TABLE = [
    ("bucket, pad", "bucket", "{files}/tokens.tfrecord",
     [("tensorflow", "bucket", 38), ("grain", "bucket", 60),
      ("numpy", "arrays", None), ("numpy", "lists", None)]),
    ("bucket, pad, no index", "bucket", "{files}/unindexed.tfrecord",
     [("tensorflow", "bucket", None), ("grain", "bucket", None)]),
    ("text to batches", "text", "{tokenizer}:{files}/texts.tfrecord",
     [("tensorflow", "text", 15), ("grain", "text", 15)]),
    ("100 sources", "sources_mixed", "{files}/source.tfrecord",
     [("penstock", "sources", 0.8)]),
] + [
    (f"samples of {workload}", "samples",
     f"{size}:{rows}:{{files}}/samples-{size}.tfrecord",
     [("tensorflow", "samples", None)])
    # MLPerf Storage's, as bench/infeed/storage_bench.cc has them; the first are
    # an eighth.
    for workload, size, rows in [
        ("unet3d / 8", 18325078, 7), ("cosmoflow", 2828486, 1),
        ("flux", 2164832, 48), ("retinanet", 322957, 24),
        ("resnet50", 114660, 400), ("bert", 2500, 48), ("dlrm", 761, 16384)]
]

PEER_NAMES = {
    ("tensorflow", "bucket"): "tf.data",
    ("tensorflow", "samples"): "tf.data",
    ("tensorflow", "text"): "tf.data, tokenizers",
    ("grain", "text"): "grain, tokenizers",
    ("numpy", "arrays"): "list of arrays, numpy",
    ("numpy", "lists"): "list of lists, numpy",
    ("penstock", "sources"): "one of 100 files",
}

DOCUMENT_BYTES = 1500  # no more than 1,024 tokens


def parse_arguments():
  parser = argparse.ArgumentParser(prog="bench/peers/pipeline",
                                   description=__doc__)
  parser.add_argument("--json", type=pathlib.Path, help="also write this file")
  parser.add_argument("--repetitions", type=int, default=5)
  parser.add_argument("--seconds", type=float, default=0.5,
                      help="of one job in one repetition, at least")
  parser.add_argument("--clock", choices=["wall", "cpu"], default="cpu")
  parser.add_argument("--only", default="", help="rows whose name holds this")
  for name in ("--worker", "--work", "--fixtures"):
    parser.add_argument(name, type=pathlib.Path, required=True,
                        help=argparse.SUPPRESS)
  return parser.parse_args()


def write_documents(folder, fixtures):
  """English and this project's own code, for the worker to make records of."""
  here = pathlib.Path(__file__).parent
  sources = [fixtures / "corpora/moby.txt", fixtures / "corpora/botchan.txt"]
  for floor in ("formats", "pipeline", "infeed", "tools"):
    sources += sorted((here.parent.parent / floor).rglob("*.cc"))
  with open(folder / "texts.documents", "w", encoding="utf8",
            newline="") as file:
    for source in sources:
      file.writelines(document + "\0"
                      for document in documents_of(source, DOCUMENT_BYTES))


def start_workers(worker, wanted):
  workers = {"penstock": Worker([worker])}
  script = pathlib.Path(__file__).parent / "pipeline_jobs.py"
  for peer in sorted(wanted - {"penstock"}):
    started = Worker([sys.executable, script, peer])
    if started.ready():
      workers[peer] = started
    else:
      print(f"skipped: {peer} is not installed or does not start")
  return workers


def do(workers, title, peer, job, seconds, path):
  answer = workers[peer].do(job, seconds, path)
  if answer is None:
    sys.exit(f"{title}: {peer} failed at {job} of {path}")
  return answer


def measure(arguments, row, workers, path):
  """The best of each, by (peer, job), taken in turn."""
  title, job, _, peers = row
  turns = [("penstock", job)] + [(p, j) for p, j, _ in peers if p in workers]
  best = {turn: Best() for turn in turns}
  given = {}
  for turn in turns:
    answer = do(workers, title, turn[0], turn[1] + "_content", 0, path)
    given[turn] = [answer[key] for key in ("records", "values", "sum")]
  if any(each != given[turns[0]] for each in given.values()):
    sys.exit(f"{title}: rows, tokens and their sum differ: {given}")
  rows, tokens, total = given[turns[0]]
  print(f"{title}: all give {rows} rows, {tokens} values, sum {total}")
  for _ in range(arguments.repetitions):
    for peer, peer_job in turns:
      best[peer, peer_job].take(
          do(workers, title, peer, peer_job, arguments.seconds, path),
          arguments.clock)
  return best


def report(row, best):
  """The lines of a row, as dicts."""
  title, job, _, peers = row
  ours = best["penstock", job]
  lines = []
  for peer, peer_job, least in peers:
    if (peer, peer_job) not in best:
      continue
    theirs = best[peer, peer_job]
    ratio = theirs.seconds / ours.seconds
    lines.append({
        "work": title, "peer": PEER_NAMES.get((peer, peer_job), peer),
        "penstock_rows_per_second": 1 / ours.seconds,
        "peer_rows_per_second": 1 / theirs.seconds,
        "ratio": ratio, "at_least": least,
        "holds": least is None or ratio >= least})
  return lines


def show(line):
  target = "" if line["at_least"] is None else f">= {line['at_least']:g}"
  verdict = "" if line["holds"] else "  MISSED"
  print(f"{line['work']:23}{line['peer']:23}"
        f"{line['penstock_rows_per_second'] / 1e3:12.4g} k/s"
        f"{line['peer_rows_per_second'] / 1e3:12.4g} k/s"
        f"{line['ratio']:9.2f}x  {target:8}{verdict}", flush=True)


def main():
  arguments = parse_arguments()
  rows = [row for row in TABLE if arguments.only in row[0]]
  files = arguments.work / "pipeline_files"
  files.mkdir(parents=True, exist_ok=True)
  tokenizer = arguments.fixtures / "tokenizers/gpt2.tokenizer.json"
  if tokenizer.exists():
    write_documents(files, arguments.fixtures)
  elif any(row[1] == "text" for row in rows):
    print(f"skipped: text to batches, without {tokenizer}")
    rows = [row for row in rows if row[1] != "text"]
  subprocess.run([arguments.worker, "--make", files], check=True)
  workers = start_workers(arguments.worker,
                          {peer for row in rows for peer, _, _ in row[3]})
  measured = [(row, measure(arguments, row, workers, row[2].format(
      files=files, tokenizer=tokenizer))) for row in rows]
  print(f"rows a second of {arguments.clock} time, page cache warm, best of "
        f"{arguments.repetitions} taken in turn; ratio = Penstock / peer")
  print(f"{'work':23}{'peer':23}{'Penstock':>16}{'peer':>16}{'ratio':>10}"
        "  target")
  lines = [line for row, best in measured for line in report(row, best)]
  for line in lines:
    show(line)
  if arguments.json:
    arguments.json.write_text(json.dumps(lines, indent=1) + "\n")
  missed = sum(not line["holds"] for line in lines)
  print(f"{len(lines) - missed} of {len(lines)} hold")


if __name__ == "__main__":
  main()
