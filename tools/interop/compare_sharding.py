"""Shardings as JAX and XLA have them.

Random meshes, specs and shapes: what each device holds, shapes of shards, ranks
among copies and HLO texts are those of NamedSharding; HLO texts of random tile
assignments are read and written as XLA does; shards of sizes that do not divide
have the shapes of compiled programs. Prints a line for each comparison and exits
1 if any differs. Devices are forced ones of the CPU, for each number of them in a
process of its own.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys

from comparing import report, run


def factors(rng, devices):
  """Sizes of axes whose product is `devices`, some of them 1."""
  sizes = []
  while devices > 1:
    size = rng.choice([f for f in (2, 4, 8, 16) if devices % f == 0])
    sizes.append(size)
    devices //= size
  for _ in range(rng.randint(0, 1) if sizes else 1):
    sizes.insert(rng.randint(0, len(sizes)), 1)
  return sizes


class Case:
  """A mesh, a spec and a shape; even ones divide by their tiles."""

  def __init__(self, rng, devices, even):
    sizes = factors(rng, devices)
    self.axes = list(zip("abcdefgh", sizes))
    self.order = list(range(devices))
    if rng.random() < 0.5:
      rng.shuffle(self.order)
    rank = rng.randint(1, 4)
    self.spec = [()] * rank
    for name in rng.sample(self.axes, rng.randint(0, len(self.axes))):
      d = rng.randrange(rank)
      self.spec[d] += (name[0],)
    size = dict(self.axes)
    self.shape = []
    for names in self.spec:
      tiles = 1
      for name in names:
        tiles *= size[name]
      self.shape.append(tiles * rng.randint(1, 4) if even
                        else rng.randint(1, 4 * tiles + 3))

  def sharding(self):
    import jax
    import numpy as np
    devices = np.array(jax.devices())[self.order]
    mesh = jax.sharding.Mesh(devices.reshape([n for _, n in self.axes]),
                             [name for name, _ in self.axes])
    spec = [None if not names else names[0] if len(names) == 1 else names
            for names in self.spec]
    return jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*spec))

  def line(self, hlo=""):
    spec = ",".join("None" if not names else "({})".format(",".join(names))
                    for names in self.spec)
    return "\t".join((",".join("{}={}".format(*axis) for axis in self.axes),
                      ",".join(map(str, self.order)), spec,
                      ",".join(map(str, self.shape)), hlo))


def ours(binary, lines):
  output = run(binary, data="".join(line + "\n" for line in lines).encode())
  return [json.loads(line) for line in output.decode().splitlines()]


def ranges(index, shape):
  return [list(part.indices(size)[:2]) for part, size in zip(index, shape)]


def of_named_sharding(case):
  import jax
  import numpy as np
  sharding = case.sharding()
  shape = tuple(case.shape)
  held = sharding.devices_indices_map(shape)
  array = jax.device_put(np.zeros(shape, np.int8), sharding)
  replicas = {s.device.id: s.replica_id for s in array.addressable_shards}
  return {"hlo": str(sharding._to_xla_hlo_sharding(len(shape))),
          "shard": list(sharding.shard_shape(shape)),
          "ranges": [ranges(held[d], shape) for d in jax.devices()],
          "replicas": [replicas[d.id] for d in jax.devices()]}


def compare_named_shardings(options, rng):
  cases = [Case(rng, options.devices, even=True) for _ in range(options.cases)]
  theirs = [of_named_sharding(case) for case in cases]
  facts = ours(options.binary, [case.line() for case in cases])
  return report("NamedSharding on {} devices: slices, shards, copies, HLO"
                .format(options.devices), [case.line() for case in cases],
                theirs, [{key: fact.get(key) for key in theirs[0]}
                         for fact in facts])


def random_hlo(rng, devices):
  """A tile assignment made by XLA, as the text that XLA prints."""
  from jax._src.lib import xla_client
  kinds = xla_client.OpSharding.Type
  reshape = factors(rng, devices)
  order = list(range(len(reshape)))
  rng.shuffle(order)
  dims = factors(rng, devices)
  groups = rng.choice([[], [kinds.REPLICATED], [kinds.MANUAL],
                       [kinds.MANUAL, kinds.REPLICATED]])[:len(dims) - 1]
  return xla_client.HloSharding.iota_tile(dims, reshape, order, groups)


def compare_hlo_texts(options, rng):
  """XLA's text is read here and written again; the list of devices that we
  write for it is read by XLA as the same assignment."""
  from jax._src.lib import xla_client
  made = [random_hlo(rng, options.devices) for _ in range(options.cases)]
  texts = [str(sharding) for sharding in made]
  lines = ["a={}\t\t\t\t{}".format(options.devices, text) for text in texts]
  facts = ours(options.binary, lines)
  equal = report("HLO texts of {} devices, read and written".format(
      options.devices), texts, texts, [f.get("parsed", f) for f in facts])
  equal &= report("  the same through lists of devices", texts, texts,
                  [f.get("parsed_again", f) for f in facts])
  from_string = xla_client.HloSharding.from_string
  read = []
  for fact, sharding in zip(facts, made):
    listed = from_string(fact.get("parsed_listed", "{unknown}"))
    read.append(
        str(listed) == str(sharding) if sharding.is_replicated() else
        (listed.tile_assignment_dimensions() ==
         sharding.tile_assignment_dimensions() and
         listed.tile_assignment_devices() ==
         sharding.tile_assignment_devices() and
         listed.subgroup_types() == sharding.subgroup_types()))
  return equal & report("  XLA reads what is written here", texts,
                        [True] * len(made), read)


def compiled_shard(case):
  """Shape of a device's part of x * 2, read from the compiled program."""
  import jax
  import jax.numpy as jnp
  sharding = case.sharding()
  program = jax.jit(
      lambda x: jax.lax.with_sharding_constraint(x * 2, sharding) + 1).lower(
          jax.ShapeDtypeStruct(tuple(case.shape), jnp.float32)).compile()
  text = program.as_text()
  shards = set(re.findall(r"= f32\[([\d,]*)\]\S* dynamic-slice\(", text))
  if not shards:  # nothing is cut, so all of it is multiplied
    shards = set(re.findall(r"= f32\[([\d,]*)\]\S* multiply\(", text))
  return [[int(n) for n in shape.split(",")] for shape in sorted(shards)]


def compare_uneven(options, rng):
  cases = [Case(rng, options.devices, even=False)
           for _ in range(options.uneven)]
  facts = ours(options.binary, [case.line() for case in cases])
  theirs = [compiled_shard(case) for case in cases]
  uneven = sum(not fact["even"] for fact in facts)
  return report("shards of compiled programs on {} devices, {} of shapes that do not "
                "divide".format(options.devices, uneven),
                [case.line() for case in cases], theirs,
                [[fact["shard"]] for fact in facts])


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
  parser.add_argument("--binary", required=True, help="sharding_facts")
  parser.add_argument("--seed", type=int, default=17)
  parser.add_argument("--cases", type=int, default=200,
                      help="of each comparison, for each number of devices")
  parser.add_argument("--uneven", type=int, default=60,
                      help="compiled programs for each number of devices")
  parser.add_argument("--devices", type=int, help=argparse.SUPPRESS)
  options = parser.parse_args()
  if options.devices is None:
    failed = [subprocess.run([sys.executable] + sys.argv +
                             ["--devices", str(devices)]).returncode
              for devices in (8, 16)]
    sys.exit(1 if any(failed) else 0)
  os.environ["JAX_PLATFORMS"] = "cpu"
  os.environ["XLA_FLAGS"] = (
      "--xla_force_host_platform_device_count={}".format(options.devices))
  import jax
  if options.devices == 8:
    print("jax {}".format(jax.__version__), flush=True)
  rng = random.Random(options.seed + options.devices)
  equal = compare_named_shardings(options, rng)
  equal &= compare_hlo_texts(options, rng)
  equal &= compare_uneven(options, rng)
  sys.exit(0 if equal else 1)


if __name__ == "__main__":
  main()
