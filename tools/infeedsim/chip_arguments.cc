#include "tools/infeedsim/chip_arguments.h"

#include "formats/files/file.h"

namespace penstock {

void ChipArguments::AddTo(ArgumentGroup& group) {
  constexpr double kMostFlops = 1e30;
  group
      .Option("--chip", chip, "NAME",
              "Cores are those of this TPU, v2, v3, v4, v5e, v5p, v6e or 7x: "
              "its memory, the tiles that arrays are padded to, its link; "
              "--explain prints its numbers and who says so")
      .Excludes({"--device"});
  group
      .Option("--chip-file", file, "FILE",
              "Takes the numbers of --chip from this table instead")
      .Needs("--chip");
  group
      .Number("--flops-per-token", flops_per_token, "N",
              "Floating point operations of a step for each token, by which "
              "--chip tells how long steps take; 6 times the parameters of a "
              "dense model")
      .Between(0, kMostFlops)
      .Needs("--chip")
      .Excludes({"--step-ns-per-token"});
  group
      .Number("--efficiency", efficiency, "PART",
              "Of the chip's peak that steps reach")
      .Between(1e-6, 1)
      .Needs("--flops-per-token");
  group
      .Bytes("--model-bytes", model_bytes,
             "Of each core's memory, for all but batches")
      .Needs("--chip");
}

StatusOr<std::optional<ChipFacts>> ChipArguments::Apply(
    SimulatedDeviceOptions& device, TimeArguments& times) const {
  if (chip.empty()) return std::nullopt;
  PENSTOCK_ASSIGN_OR_RETURN(
      const ChipFacts facts,
      file.empty() ? FindChip(chip) : ReadChip(LocalFiles(), file, chip));
  if (!times.gigabytes_per_second) {
    PENSTOCK_ASSIGN_OR_RETURN(const double bytes_per_second,
                              OfDevice(facts, &ChipFacts::host_bytes_per_second,
                                       "say how fast the link is with --link"));
    times.gigabytes_per_second = bytes_per_second * 1e-9;
  }
  if (flops_per_token > 0) {
    PENSTOCK_ASSIGN_OR_RETURN(
        const double flops_per_second,
        OfDevice(facts, &ChipFacts::flops_per_second,
                 "say how long steps take with --step-ns-per-token"));
    times.step_ns_per_token =
        flops_per_token * 1e9 / (flops_per_second * efficiency);
    if (!times.step_ms) times.step_ms = 0;
  }
  PENSTOCK_ASSIGN_OR_RETURN(
      const double memory_bytes,
      OfDevice(facts, &ChipFacts::hbm_bytes, "use another --chip-file"));
  device.memory_bytes = static_cast<uint64_t>(memory_bytes);
  device.model_bytes = model_bytes;
  if (!facts.generation) {
    return InvalidArgumentError("chip " + facts.name +
                                ": its generation, which tells tiles, is not "
                                "known: use another --chip-file");
  }
  device.tile_generation = static_cast<int>(facts.generation->value);
  return facts;
}

}  // namespace penstock
