#if defined(__AVX512F__)  // compiled with these flags on x86-64 only (src/CMakeLists.txt)

#define CAVS_ISA avx512
#include "backend/cpu/isa_kernels.h"

namespace cavs::cpu {

extern const Isa kAvx512Isa;
constinit const Isa kAvx512Isa = avx512::make_isa("avx512");

}  // namespace cavs::cpu

#endif
