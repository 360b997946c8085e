#include <zstd.h>

#include "tests/fuzz/seeds.h"

namespace penstock::testing {

std::vector<std::string> FuzzSeeds() {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "line " + std::to_string(i * i) + "\n";
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  packed.resize(ZSTD_compress2(context, packed.data(), packed.size(),
                               text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return {packed, std::string("\x50\x2a\x4d\x18\2\0\0\0ab", 10) + packed};
}

}  // namespace penstock::testing
