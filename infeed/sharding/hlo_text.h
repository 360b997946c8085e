// Shardings as HLO prints them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/files/status_or.h"
#include "infeed/sharding/sharding.h"

namespace penstock {

// "{devices=[4,1,2]0,1,2,3,4,5,6,7 last_tile_dim_replicate}" on one line,
// "{replicated}", "{manual}", "{maximal device=3}": every device by its id.
std::string HloText(const Sharding& sharding);

// The same with the devices as a reshaped and transposed row of numbers,
// "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}", as JAX prints it;
// as HloText() where they are none.
//
// A compiled program numbers devices by their places in the mesh: to compare
// with its text, make the sharding on Mesh::Places().
std::string HloIotaText(const Sharding& sharding);

// Reads either form. `devices` is how many the run has.
//
// Errors:  kInvalidArgument with the place in the text and what is wrong there;
//          kUnimplemented for tuples, {unknown}, {unreduced} and metadata,
//          which say nothing of where an input lies.
// Source:  XLA's hlo_sharding.cc and hlo_parser.cc.
StatusOr<Sharding> ParseHloSharding(std::string_view text, uint32_t devices);

}  // namespace penstock
