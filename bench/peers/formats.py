"""Runs the jobs of bench/peers/formats and prints the table."""

import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys

# Penstock's job, the file, and against whom: (peer, its job, at least).
# A floor is one of the peers: the bare loop over the same bytes.
TABLE = [
    ("read 300 B", "read", "plain-300.tfrecord",
     [("bare", "bare_read", 0.60), ("tensorflow", "read", 15)]),
    ("read 2 KB", "read", "plain-2048.tfrecord",
     [("bare", "bare_read", 0.60), ("tensorflow", "read", 6),
      ("grain", "read", 8), ("tfrecord", "read", None)]),
    ("read 100 KB", "read", "plain-100000.tfrecord",
     [("bare", "bare_read", 0.60), ("tensorflow", "read", 3)]),
    ("read, parse 2 KB", "read_and_parse", "text.tfrecord",
     [("dali", "read_and_parse", 8)]),
    ("read gzip 2 KB", "read_gzip", "gzip-2048.tfrecord.gz",
     [("bare", "bare_igzip", 0.90), ("tensorflow", "read_gzip", 2.3)]),
    ("write gzip 2 KB", "write_gzip", "plain-2048.tfrecord:memory",
     [("tensorflow", "write_gzip", 8)]),
    # Penstock syncs what it writes, and nobody else does.
    ("write 2 KB, disk", "write", "plain-2048.tfrecord:disk",
     [("bare", "bare_write", None), ("tensorflow", "write", 3)]),
    # Mostly the system's work on pages of memory, for everyone.
    ("write 2 KB, memory", "write", "plain-2048.tfrecord:memory",
     [("bare", "bare_write", 0.80), ("tensorflow", "write", None)]),
    ("gather 1024 x 2 KB", "gather", "plain-2048.tfrecord",
     [("bare", "bare_pread", 0.80), ("array_record", "gather", 10)]),
    ("Example text 2 KB", "parse_text", "text.tfrecord",
     [("tensorflow", "parse_text", 10), ("bare", "bare_protobuf", 5)]),
    ("Example 2048 ids", "parse_tokens", "tokens.tfrecord",
     [("tensorflow", "parse_tokens", 6), ("bare", "bare_protobuf", 3)]),
    ("index 2 KB", "index", "text.tfrecord", [("dali", "index", 20)]),
    ("JSONL field", "jsonl", "documents.jsonl",
     [("bare", "bare_simdjson", 0.60)]),
    ("tar.zst 2 KB", "tar_zst", "members.tar.zst",
     [("bare", "bare_libarchive", 0.90)]),
]

PEER_NAMES = {
    "bare_read": "plain read, 1 MiB", "bare_igzip": "bare igzip",
    "bare_write": "plain write, 1 MiB",
    "bare_pread": "bare pread loop", "bare_protobuf": "protobuf on an arena",
    "bare_simdjson": "bare simdjson DOM", "bare_libarchive": "bare libarchive",
    ("tensorflow", "read"): "tf.data", ("tensorflow", "read_gzip"): "tf.data",
    ("tensorflow", "write"): "TFRecordWriter",
    ("tensorflow", "write_gzip"): "TFRecordWriter",
    ("tensorflow", "parse_text"): "tf.io.parse_example",
    ("tensorflow", "parse_tokens"): "tf.io.parse_example",
    ("dali", "index"): "tfrecord2idx",
}

# The gzip file may be this much larger than TensorFlow's.
MOST_GZIP_SIZE = 1.25


class Worker:
  """A process that does jobs, on the core of its parent."""

  def __init__(self, command):
    self.process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True)

  def ready(self):
    return self.process.stdout.readline() == "ready\n"

  def do(self, job, seconds, path):
    print(job, seconds, path, file=self.process.stdin, flush=True)
    answer = self.process.stdout.readline()
    return json.loads(answer) if answer else None


@dataclasses.dataclass
class Best:
  """The fastest of some repetitions."""
  seconds: float = float("inf")  # a record, or a byte where there are none
  bytes_each: float = 1.0  # of a record

  def take(self, answer, clock):
    count = answer["records"] or answer["bytes"]
    self.seconds = min(self.seconds, answer[clock] / count)
    if "bytes" in answer:
      self.bytes_each = answer["bytes"] / count


def parse_arguments():
  parser = argparse.ArgumentParser(prog="bench/peers/formats",
                                   description=__doc__)
  parser.add_argument("--json", type=pathlib.Path, help="also write this file")
  parser.add_argument("--repetitions", type=int, default=5)
  parser.add_argument("--seconds", type=float, default=0.3,
                      help="of one job in one repetition, at least")
  parser.add_argument("--clock", choices=["wall", "cpu"], default="wall",
                      help="cpu: time of the processor, on a machine that has "
                      "other work")
  parser.add_argument("--only", default="", help="rows whose name holds this")
  parser.add_argument("--core", type=int, default=os.cpu_count() - 1)
  parser.add_argument("--worker", type=pathlib.Path, required=True,
                      help=argparse.SUPPRESS)
  parser.add_argument("--work", type=pathlib.Path, required=True,
                      help=argparse.SUPPRESS)
  return parser.parse_args()


def make_files(arguments, folder, jobs_script):
  folder.mkdir(parents=True, exist_ok=True)
  subprocess.run([arguments.worker, "--make", folder], check=True)
  subprocess.run([sys.executable, jobs_script, "tensorflow", "make", folder],
                 check=False, stderr=subprocess.DEVNULL)
  for path in folder.iterdir():
    read_back(path)


def read_back(path):
  """Has the page cache hold `path` as a reader brings it in: what was written
  in small pieces lies there in small pieces, and is read at half the speed."""
  with open(path, "rb") as file:
    os.fsync(file.fileno())
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    while file.read(1 << 20):
      pass


def start_workers(arguments, jobs_script):
  workers = {"penstock": Worker([arguments.worker])}
  workers["bare"] = workers["penstock"]
  for peer in ["tensorflow", "tfrecord", "grain", "dali", "array_record"]:
    worker = Worker([sys.executable, jobs_script, peer])
    if worker.ready():
      workers[peer] = worker
    else:
      print(f"skipped: {peer} is not installed or does not start")
  return workers


def target_folders(work):
  """Where writers write, by the word for it."""
  memory = pathlib.Path("/dev/shm")
  if not os.access(memory, os.W_OK):
    memory = work
  name = f"penstock_peers_{os.getuid()}"
  return {"memory": memory / name, "disk": work / name}


def measure(arguments, row, workers, files, folders):
  """Best of each, by (peer, job), taken in turn; and the sizes written."""
  _, job, name, peers = row
  source, _, target = name.partition(":")
  turns = [("penstock", job)] + [(p, j) for p, j, _ in peers if p in workers]
  best = {turn: Best() for turn in turns}
  sizes = {}
  for _ in range(arguments.repetitions):
    for turn in turns:
      peer, peer_job = turn
      path = str(files / source)
      if target:
        path += f":{folders[target]}/{peer}"
      answer = workers[peer].do(peer_job, arguments.seconds, path)
      if answer is None:
        print(f"skipped: {peer} failed at {row[0]}")
        workers.pop(peer)
        return measure(arguments, row, workers, files, folders)
      best[turn].take(answer, arguments.clock)
      if target:
        sizes[peer] = os.path.getsize(folders[target] / peer)
  without_records = {"bare_read", "bare_igzip", "bare_write"}
  for peer_job in without_records & {turn[1] for turn in turns}:
    best["bare", peer_job].seconds *= best["penstock", job].bytes_each
  return best, sizes


def report(row, best, sizes):
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
        "work": title,
        "peer": PEER_NAMES.get(peer_job,
                               PEER_NAMES.get((peer, peer_job), peer)),
        "penstock_records_per_second": 1 / ours.seconds,
        "penstock_bytes_per_second": ours.bytes_each / ours.seconds,
        "peer_records_per_second": 1 / theirs.seconds,
        "peer_bytes_per_second": ours.bytes_each / theirs.seconds,
        "ratio": ratio, "at_least": least,
        "holds": least is None or ratio >= least})
  if job == "write_gzip" and "tensorflow" in sizes:
    ratio = sizes["penstock"] / sizes["tensorflow"]
    lines.append({
        "work": "size, gzip", "peer": "TFRecordWriter",
        "penstock_bytes": sizes["penstock"],
        "peer_bytes": sizes["tensorflow"], "ratio": ratio,
        "at_most": MOST_GZIP_SIZE, "holds": ratio <= MOST_GZIP_SIZE})
  return lines


def show(line):
  if "at_most" in line:
    ours, theirs = (f"{line[w + '_bytes'] / 1e6:9.1f} MB          "
                    for w in ("penstock", "peer"))
    target = f"<= {line['at_most']:g}"
  else:
    ours, theirs = (
        f"{line[w + '_records_per_second'] / 1e3:9.1f} k/s"
        f"{line[w + '_bytes_per_second'] / 1e9:7.3f} GB/s"
        for w in ("penstock", "peer"))
    target = "" if line["at_least"] is None else f">= {line['at_least']:g}"
  verdict = "" if line["holds"] else "  MISSED"
  print(f"{line['work']:19}{line['peer']:21}{ours:>25}{theirs:>25}"
        f"{line['ratio']:8.2f}x  {target:7}{verdict}", flush=True)


def main():
  arguments = parse_arguments()
  os.sched_setaffinity(0, {arguments.core})
  here = pathlib.Path(__file__).parent
  jobs_script = here / "formats_jobs.py"
  files = arguments.work / "files"
  folders = target_folders(arguments.work)
  make_files(arguments, files, jobs_script)
  for folder in folders.values():
    folder.mkdir(exist_ok=True)
  workers = start_workers(arguments, jobs_script)
  print(f"one core, page cache warm, {arguments.clock} time, best of "
        f"{arguments.repetitions} taken in turn; ratio = Penstock / peer")
  print(f"{'work':19}{'peer':21}{'Penstock':>25}{'peer':>25}{'ratio':>9}  target")
  lines = []
  for row in TABLE:
    if arguments.only not in row[0]:
      continue
    for line in report(row, *measure(arguments, row, workers, files, folders)):
      show(line)
      lines.append(line)
  for folder in set(folders.values()):
    shutil.rmtree(folder)
  if arguments.json:
    arguments.json.write_text(json.dumps(lines, indent=1) + "\n")
  missed = sum(not line["holds"] for line in lines)
  print(f"{len(lines) - missed} of {len(lines)} hold")


if __name__ == "__main__":
  main()
