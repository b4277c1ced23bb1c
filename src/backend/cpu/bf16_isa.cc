#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "backend/cpu/bf16.h"
#include "support/check.h"

#if defined(CAVS_X86_KERNELS)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace cavs::cpu {

#if defined(CAVS_X86_KERNELS)
extern const Bf16Isa kAmxBf16, kAvx512Bf16, kAvx512Bf16Fma;
#endif
#if defined(CAVS_X86_KERNELS) && defined(CAVS_TEST_KERNELS)
extern const Bf16Isa kAmxModelBf16;
#endif

namespace {

#if defined(CAVS_X86_KERNELS)

/// True if the processor has AVX-512's instructions for bf16. AMX products need them too, to round operands.
bool has_avx512_bf16() { return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw"); }

/// True if AVX-512's instruction that multiplies bf16 is slow: on Intel processors designed for AMX. This matters in
/// virtual machines that hide AMX. On Cooper Lake, which is older than AMX, the instruction is fast.
bool is_slow_in_bf16() { return __builtin_cpu_is("intel") && !__builtin_cpu_is("cooperlake"); }

/// True if the processor has AMX, and the system permits this process to use tiles. Asks the system for permission.
bool has_amx() {
#if defined(__linux__)
  if (!has_avx512_bf16()) return false;
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

#endif

std::vector<const Bf16Isa*> detect_bf16() {
  std::vector<const Bf16Isa*> isas;
#if defined(CAVS_X86_KERNELS)
  if (has_amx()) isas.push_back(&kAmxBf16);
  if (has_avx512_bf16()) isas.insert(isas.end(), {&kAvx512Bf16, &kAvx512Bf16Fma});
#if defined(CAVS_TEST_KERNELS)
  if (find_isa("avx2x2") != nullptr) isas.push_back(&kAmxModelBf16);
#endif
#endif
  isas.push_back(&kEmulatedBf16);
  return isas;
}

#if defined(CAVS_X86_KERNELS)
bool is_available(const Bf16Isa& isa) {
  return std::ranges::find(available_bf16_isas(), &isa) != available_bf16_isas().end();
}
#endif

const Bf16Isa* choose_bf16() {
  const char* const wanted = std::getenv("CAVS_BF16");
  const std::string_view name = wanted == nullptr ? "" : wanted;
#if defined(CAVS_X86_KERNELS) && defined(CAVS_TEST_KERNELS)
  if (name == kAmxModelBf16.name && is_available(kAmxModelBf16)) return &kAmxModelBf16;
#endif
  if (!name.empty()) {
    user_check(name == "emulate",
               "CAVS_BF16 is '{}'; set it to 'emulate', which runs bf16 in plain code and is slow, or unset it", name);
    return &kEmulatedBf16;
  }
#if defined(CAVS_X86_KERNELS)
  const Bf16Isa* const on_vectors = is_slow_in_bf16() ? &kAvx512Bf16Fma : &kAvx512Bf16;
  for (const Bf16Isa* isa : {&kAmxBf16, on_vectors})
    if (is_available(*isa)) return isa;
#endif
  return nullptr;
}

}  // namespace

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
