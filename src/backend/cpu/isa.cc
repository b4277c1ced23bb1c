#include "backend/cpu/isa.h"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "support/check.h"

namespace cavs::cpu {

extern const Isa kPortableIsa;
#if defined(CAVS_X86_KERNELS)
extern const Isa kAvx2Isa, kAvx512Isa;
#endif
#if defined(CAVS_TEST_KERNELS)
extern const Isa kAvx2x2Isa;
#endif

namespace {

std::vector<const Isa*> detect() {
  std::vector<const Isa*> isas;
#if defined(CAVS_X86_KERNELS)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("fma"))
    isas.push_back(&kAvx512Isa);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    isas.push_back(&kAvx2Isa);
#if defined(CAVS_TEST_KERNELS)
    isas.push_back(&kAvx2x2Isa);
#endif
  }
#endif
  isas.push_back(&kPortableIsa);
  return isas;
}

const Isa* choose() {
  const char* const wanted = std::getenv("CAVS_ISA");
  if (wanted == nullptr || *wanted == '\0') return available_isas().front();
  const Isa* const found = find_isa(wanted);
  if (found == nullptr) {
    std::string known;
    for (const Isa* i : available_isas()) known += (known.empty() ? "" : ", ") + std::string(i->name);
    user_error("CAVS_ISA is '{}', which is unknown or cannot run on this processor; use one of {}, or unset it", wanted,
               known);
  }
  return found;
}

/// Returns the bytes of the data cache of level 1 or 2, as the system reports them; 0 or less if it reports none.
std::int64_t named_cache(int level) {
#if defined(_SC_LEVEL2_CACHE_SIZE)
  return sysconf(level == 1 ? _SC_LEVEL1_DCACHE_SIZE : _SC_LEVEL2_CACHE_SIZE);
#else
  return level * 0;
#endif
}

std::int64_t named_cache(int level, std::int64_t otherwise) {
  const std::int64_t named = named_cache(level);
  return named > 0 ? named : otherwise;
}

}  // namespace

std::span<const Isa* const> available_isas() {
  static const std::vector<const Isa*> isas = detect();
  return isas;
}

const Isa* find_isa(std::string_view name) {
  for (const Isa* i : available_isas())
    if (i->name == name) return i;
  return nullptr;
}

const Isa& isa() {
  static const Isa* const chosen = choose();
  return *chosen;
}

std::string_view instruction_set() { return isa().name; }

std::int64_t second_cache_bytes() {
  static const std::int64_t kBytes = named_cache(2, std::int64_t{1} << 20);
  return kBytes;
}

std::int64_t first_cache_bytes() {
  static const std::int64_t kBytes = named_cache(1, std::int64_t{32} << 10);
  return kBytes;
}

bool third_cache_feeds_tiles([[maybe_unused]] const Isa& isa) {
#if defined(CAVS_X86_KERNELS)
  return isa.native_lanes == 16 && __builtin_cpu_is("amd") != 0;
#else
  return false;
#endif
}

}  // namespace cavs::cpu
