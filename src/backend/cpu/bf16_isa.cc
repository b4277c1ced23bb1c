#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "backend/cpu/bf16.h"
#include "support/check.h"

#if defined(CAVS_X86_KERNELS)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace cavs::cpu {

#if defined(CAVS_X86_KERNELS)
extern const Bf16Isa kAmxBf16;
#endif

namespace {

void emulated_tile(const Bf16* a, std::int64_t a_stride, const Bf16* b, int steps, float* c) {
  std::fill_n(c, kTileSide * kTileSide, 0.0F);
  for (int s = 0; s < steps; ++s)
    for (int m = 0; m < kTileSide; ++m) {
      const Bf16* const row = a + m * a_stride + s * kTileDepth;
      const Bf16* right = b + s * kTileSide * kTileDepth;
      float even[kTileSide] = {}, odd[kTileSide] = {};
      for (int p = 0; p < kTileDepth / 2; ++p, right += 2 * kTileSide) {
        const float x = from_bf16(row[2 * p]), y = from_bf16(row[2 * p + 1]);
        std::uint32_t pairs[kTileSide];
        std::memcpy(pairs, right, sizeof(pairs));
        for (int n = 0; n < kTileSide; ++n) even[n] += x * std::bit_cast<float>(pairs[n] << 16);
        for (int n = 0; n < kTileSide; ++n) odd[n] += y * std::bit_cast<float>(pairs[n] & 0xFFFF0000U);
      }
      for (int n = 0; n < kTileSide; ++n) c[m * kTileSide + n] += even[n] + odd[n];
    }
}

void emulated_block(const Bf16Block& block) {
  for (int i = 0; i < block.row_tiles; ++i)
    for (int j = 0; j < block.column_tiles; ++j)
      emulated_tile(block.a + i * kTileSide * block.a_stride, block.a_stride, block.b[j], block.steps,
                    block.c + (2 * i + j) * kTileSide * kTileSide);
}

/// The processor has the instructions, and the system keeps the tiles of this process.
bool has_amx() {
#if defined(CAVS_X86_KERNELS) && defined(__linux__)
  constexpr unsigned kAmxBf16Bit = 1U << 22, kAmxTileBit = 1U << 24;
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  if ((d & kAmxBf16Bit) == 0 || (d & kAmxTileBit) == 0) return false;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

const Bf16Isa* choose_bf16() {
  const char* const wanted = std::getenv("CAVS_BF16");
  if (wanted != nullptr && *wanted != '\0') {
    user_check(std::string_view(wanted) == "emulate",
               "CAVS_BF16 is '{}'; set it to 'emulate', to run bf16 without AMX and slowly, or unset it", wanted);
    return &kEmulatedBf16;
  }
#if defined(CAVS_X86_KERNELS)
  if (has_amx()) return &kAmxBf16;
#endif
  return nullptr;
}

}  // namespace

const Bf16Isa kEmulatedBf16{"emulated", emulated_block};

std::string_view bf16_instruction_set() { return bf16_isa() == nullptr ? "" : bf16_isa()->name; }

const Bf16Isa* bf16_isa() {
  static const Bf16Isa* const chosen = choose_bf16();
  return chosen;
}

}  // namespace cavs::cpu
