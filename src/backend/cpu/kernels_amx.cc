// The only source that uses AMX. Its functions are called only if available_bf16_isas() found AMX, and only through
// pointers: the compiler then assumes that they access any memory, which the intrinsics do not tell it.

#if defined(__AVX512BF16__)  // compiled with these flags on x86-64 only (src/CMakeLists.txt)

#define CAVS_ISA amx
#define CAVS_TILE_ZERO(tile) _tile_zero(tile)
#define CAVS_TILE_LOAD(tile, from, bytes) _tile_loadd(tile, from, static_cast<std::size_t>(bytes))
#define CAVS_TILE_STORE(tile, to, bytes) _tile_stored(tile, to, static_cast<std::size_t>(bytes))
#define CAVS_TILE_MULTIPLY(sums, left, right) _tile_dpbf16ps(sums, left, right)

#include "backend/cpu/amx_product.h"

namespace cavs::cpu {
namespace CAVS_ISA {

inline void load_config() { _tile_loadconfig(&kTileConfig); }
inline void release_tiles() { _tile_release(); }

}  // namespace CAVS_ISA

extern const Bf16Isa kAmxBf16;
constinit const Bf16Isa kAmxBf16 = amx::make_amx("amx", amx::load_config, amx::release_tiles);

}  // namespace cavs::cpu

#endif
