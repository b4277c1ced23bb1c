#if defined(__AVX2__) && defined(__FMA__)  // compiled with CAVS_TEST_KERNELS on x86-64 only (src/CMakeLists.txt)

#define CAVS_ISA amx_model
#define CAVS_AVX2_PAIRS
#define CAVS_ROUND_TAKES_ZEROS
#define CAVS_TILE_ZERO(tile) zero(tile)
#define CAVS_TILE_LOAD(tile, from, bytes) load_tile(tile, from, bytes)
#define CAVS_TILE_STORE(tile, to, bytes) save_tile(tile, to, bytes)
#define CAVS_TILE_MULTIPLY(sums, left, right) multiply_tiles(sums, left, right)

#include "backend/cpu/amx_model.h"
#include "backend/cpu/vec.h"

namespace cavs::cpu::CAVS_ISA {
namespace {

constexpr int kTiles = 8, kRows = 16;

/// The state of AMX of one thread.
struct Processor {
  bool configured = false;  // true between configure() and release()
  std::uint16_t bytes_per_row[kTiles];
  std::uint8_t rows[kTiles];
  Bits tiles[kTiles][kRows];
};
thread_local Processor processor;
Counts all_counts;

void count(std::int64_t& instructions) { __atomic_fetch_add(&instructions, 1, __ATOMIC_RELAXED); }

/// Ends the process if an instruction is impossible in the current state.
void need(bool possible) {
  if (!possible) __builtin_trap();
}

void configure(const void* from) {
  const auto* const bytes = static_cast<const std::uint8_t*>(from);
  need(bytes[0] == 1 && bytes[1] == 0);  // palette 1 and start row 0 are expected
  __builtin_memcpy(processor.bytes_per_row, bytes + 16, sizeof(processor.bytes_per_row));
  __builtin_memcpy(processor.rows, bytes + 48, sizeof(processor.rows));
  for (int t = 0; t < kTiles; ++t) need(processor.bytes_per_row[t] == 4 * kLanes && processor.rows[t] == kRows);
  __builtin_memset(processor.tiles, 0, sizeof(processor.tiles));
  processor.configured = true;
  count(all_counts.configurations);
}

void release() {
  processor.configured = false;
  count(all_counts.releases);
}

inline void zero(int tile) {
  need(processor.configured);
  for (Bits& row : processor.tiles[tile]) row = Bits{};
}

inline void load_tile(int tile, const void* from, std::int64_t bytes) {
  need(processor.configured);
  count(all_counts.loads);
  for (int i = 0; i < kRows; ++i)
    __builtin_memcpy(&processor.tiles[tile][i], static_cast<const char*>(from) + i * bytes, sizeof(Bits));
}

/// If this were inlined, g++ 12 with a sanitizer would warn of impossible strides.
__attribute__((noinline)) void save_tile(int tile, void* to, std::int64_t bytes) {
  need(processor.configured);
  count(all_counts.stores);
  for (int i = 0; i < kRows; ++i)
    __builtin_memcpy(static_cast<char*>(to) + i * bytes, &processor.tiles[tile][i], sizeof(Bits));
}

/// Replaces denormals by zeros of the same sign.
inline Vec flush(Vec x) {
  const Bits b = bits(x);
  return select((Ints)((b & 0x7F800000U) == 0), from_bits(b & 0x80000000U), x);
}

inline void multiply_tiles(int sums, int left, int right) {
  need(processor.configured);
  count(all_counts.multiplications);
  for (int m = 0; m < kRows; ++m) {
    Vec even{}, odd{};
    for (int p = 0; p < kRows; ++p) {
      const Bits both = processor.tiles[right][p], a = Bits{} + processor.tiles[left][m][p];
      even = flush(fma(flush(from_bits(a << 16)), flush(from_bits(both << 16)), even));
      odd = flush(fma(flush(from_bits(a & 0xFFFF0000U)), flush(from_bits(both & 0xFFFF0000U)), odd));
    }
    Bits& c = processor.tiles[sums][m];
    c = bits(flush(flush(from_bits(c)) + flush(even + odd)));
  }
}

}  // namespace

Counts counts() {
  Counts now;
  __atomic_load(&all_counts.configurations, &now.configurations, __ATOMIC_RELAXED);
  __atomic_load(&all_counts.releases, &now.releases, __ATOMIC_RELAXED);
  __atomic_load(&all_counts.loads, &now.loads, __ATOMIC_RELAXED);
  __atomic_load(&all_counts.stores, &now.stores, __ATOMIC_RELAXED);
  __atomic_load(&all_counts.multiplications, &now.multiplications, __ATOMIC_RELAXED);
  return now;
}

}  // namespace cavs::cpu::CAVS_ISA

#include "backend/cpu/amx_product.h"

namespace cavs::cpu {
namespace CAVS_ISA {

inline void load_config() { configure(&kTileConfig); }
inline void release_tiles() { release(); }

}  // namespace CAVS_ISA

extern const Bf16Isa kAmxModelBf16;
constinit const Bf16Isa kAmxModelBf16 =
    amx_model::make_amx("amx_model", amx_model::load_config, amx_model::release_tiles);

}  // namespace cavs::cpu

#endif
