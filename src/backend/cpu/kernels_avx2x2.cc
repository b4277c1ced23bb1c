#if defined(__AVX2__) && defined(__FMA__)  // compiled with CAVS_TEST_KERNELS on x86-64 only (src/CMakeLists.txt)

#define CAVS_ISA avx2x2
#define CAVS_AVX2_PAIRS
#include "backend/cpu/isa_kernels.h"

namespace cavs::cpu {

extern const Isa kAvx2x2Isa;
constinit const Isa kAvx2x2Isa = avx2x2::make_isa("avx2x2");

}  // namespace cavs::cpu

#endif
