#include <cstdlib>
#include <string_view>
#include <vector>

#include "backend/cpu/bf16.h"
#include "backend/cpu/isa.h"
#include "support/check.h"

#if defined(CAVS_X86_KERNELS)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace cavs::cpu {

#if defined(CAVS_X86_KERNELS)
extern const Bf16Isa kAmxBf16, kAvx512Bf16;
#endif

namespace {

void emulated_block(const Bf16Block& block) {
  for (int i = 0; i < block.row_tiles(); ++i)
    for (int j = 0; j < block.column_tiles; ++j)
      isa().bf16_tile(block.a + i * kTileSide * block.a_stride, block.a_stride, block.b[j], block.steps,
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

std::vector<const Bf16Isa*> detect_bf16() {
  std::vector<const Bf16Isa*> isas;
#if defined(CAVS_X86_KERNELS)
  if (has_amx()) isas.push_back(&kAmxBf16);
  if (__builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw")) isas.push_back(&kAvx512Bf16);
#endif
  isas.push_back(&kEmulatedBf16);
  return isas;
}

const Bf16Isa* choose_bf16() {
  const char* const wanted = std::getenv("CAVS_BF16");
  if (wanted != nullptr && *wanted != '\0') {
    user_check(std::string_view(wanted) == "emulate",
               "CAVS_BF16 is '{}'; set it to 'emulate', to run bf16 in plain code and slowly, or unset it", wanted);
    return &kEmulatedBf16;
  }
  const Bf16Isa* const best = available_bf16_isas().front();
  return best == &kEmulatedBf16 ? nullptr : best;
}

}  // namespace

const Bf16Isa kEmulatedBf16{"emulated", emulated_block};

std::span<const Bf16Isa* const> available_bf16_isas() {
  static const std::vector<const Bf16Isa*> isas = detect_bf16();
  return isas;
}

std::string_view bf16_instruction_set() { return bf16_isa() == nullptr ? "" : bf16_isa()->name; }

const Bf16Isa* bf16_isa() {
  static const Bf16Isa* const chosen = choose_bf16();
  return chosen;
}

}  // namespace cavs::cpu
