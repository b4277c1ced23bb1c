#if defined(__AVX2__) && defined(__FMA__)  // compiled with these flags on x86-64 only (src/CMakeLists.txt)

#define CAVS_ISA avx2
#include "backend/cpu/isa_kernels.h"

namespace cavs::cpu {

extern const Isa kAvx2Isa;
constinit const Isa kAvx2Isa = avx2::make_isa("avx2");

}  // namespace cavs::cpu

#endif
