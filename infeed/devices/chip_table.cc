#include "infeed/devices/chip_table.h"

namespace penstock {
namespace {

constexpr std::string_view kChips = R"json({"chips": {
  "v2": {
    "generation": {"value": 2, "source": "jax/_src/tpu_info.py"},
    "devices": {"value": 2,
      "source": "jax/_src/tpu_info.py: two cores, no megacore"},
    "flops_per_second": {"value": 46e12, "source": "jax/_src/tpu_info.py"},
    "hbm_bytes": {"value": 16e9, "source": "jax/_src/tpu_info.py"},
    "hbm_bytes_per_second": {"value": 716e9, "source": "jax/_src/tpu_info.py"}
  },
  "v3": {
    "generation": {"value": 3, "source": "jax/_src/tpu_info.py"},
    "devices": {"value": 2,
      "source": "jax/_src/tpu_info.py: two cores, no megacore"},
    "flops_per_second": {"value": 123e12,
      "source": "cloud.google.com/tpu/docs/v3 (tpu_info.py and the JAX scaling book say 140e12)"},
    "hbm_bytes": {"value": 34359738368,
      "source": "cloud.google.com/tpu/docs/v3: 32 GiB"},
    "hbm_bytes_per_second": {"value": 900e9,
      "source": "cloud.google.com/tpu/docs/v3 (tpu_info.py says 825e9)"}
  },
  "v4": {
    "generation": {"value": 4, "source": "jax/_src/tpu_info.py"},
    "devices": {"value": 1,
      "source": "jax/_src/tpu_info.py: two cores as a megacore"},
    "flops_per_second": {"value": 275e12,
      "source": "cloud.google.com/tpu/docs/v4"},
    "hbm_bytes": {"value": 34359738368,
      "source": "cloud.google.com/tpu/docs/v4: 32 GiB"},
    "hbm_bytes_per_second": {"value": 1200e9,
      "source": "cloud.google.com/tpu/docs/v4 (tpu_info.py says 1230e9)"},
    "host_bytes_per_second": {"value": 16e9,
      "source": "JAX scaling book, tpus.md"},
    "chips_per_host": {"value": 4, "source": "JAX scaling book, tpus.md: 2x2x1"}
  },
  "v5e": {
    "generation": {"value": 5, "source": "jax/_src/tpu_info.py"},
    "devices": {"value": 1, "source": "jax/_src/tpu_info.py: one core"},
    "flops_per_second": {"value": 197e12,
      "source": "cloud.google.com/tpu/docs/v5e"},
    "hbm_bytes": {"value": 16e9,
      "source": "cloud.google.com/tpu/docs/v5e: 16 GB (tpu_info.py says 17.2e9)"},
    "hbm_bytes_per_second": {"value": 819e9,
      "source": "cloud.google.com/tpu/docs/v5e (the page of v6e says 800e9)"},
    "host_bytes_per_second": {"value": 15e9,
      "source": "JAX scaling book, tpus.md: typical of PCIe"},
    "chips_per_host": {"value": 8,
      "source": "JAX scaling book, tpus.md: 4x2; virtual machines have 1, 4 or 8"}
  },
  "v5p": {
    "generation": {"value": 5, "source": "jax/_src/tpu_info.py"},
    "devices": {"value": 1,
      "source": "jax/_src/tpu_info.py: two cores as a megacore"},
    "flops_per_second": {"value": 459e12,
      "source": "jax/_src/tpu_info.py; JAX scaling book, tpus.md"},
    "hbm_bytes": {"value": 103e9,
      "source": "jax/_src/tpu_info.py (the JAX scaling book says 96 GB)"},
    "hbm_bytes_per_second": {"value": 2460e9,
      "source": "jax/_src/tpu_info.py (the JAX scaling book says 2.8e12)"},
    "host_bytes_per_second": {"value": 15e9,
      "source": "JAX scaling book, tpus.md: typical of PCIe"},
    "chips_per_host": {"value": 4, "source": "JAX scaling book, tpus.md: 2x2x1"}
  },
  "v6e": {
    "generation": {"value": 6, "source": "jax/_src/tpu_info.py"},
    "devices": {"value": 1, "source": "jax/_src/tpu_info.py: one core"},
    "flops_per_second": {"value": 918e12,
      "source": "docs.cloud.google.com/tpu/docs/v6e (tpu_info.py says 920e12)"},
    "hbm_bytes": {"value": 32e9,
      "source": "docs.cloud.google.com/tpu/docs/v6e: 32 GB (tpu_info.py says 34.4e9)"},
    "hbm_bytes_per_second": {"value": 1640e9,
      "source": "jax/_src/tpu_info.py (docs.cloud.google.com/tpu/docs/v6e says 1600e9)"},
    "host_bytes_per_second": {"value": 32e9,
      "source": "JAX scaling book, tpus.md"},
    "chips_per_host": {"value": 8,
      "source": "docs.cloud.google.com/tpu/docs/v6e"}
  },
  "7x": {
    "generation": {"value": 7, "source": "jax/_src/tpu_info.py"},
    "devices": {"value": 2,
      "source": "jax/_src/tpu_info.py: two cores, no megacore"},
    "flops_per_second": {"value": 2307e12,
      "source": "cloud.google.com/tpu/docs/tpu7x (tpu_info.py says 2310e12)"},
    "hbm_bytes": {"value": 206158430208,
      "source": "cloud.google.com/tpu/docs/tpu7x: 192 GiB"},
    "hbm_bytes_per_second": {"value": 7400e9, "source": "jax/_src/tpu_info.py"},
    "chips_per_host": {"value": 4,
      "source": "docs.cloud.google.com/kubernetes-engine/docs/concepts/tpu-ironwood"}
  }
}})json";

}  // namespace

std::string_view ChipTable() { return kChips; }

}  // namespace penstock
