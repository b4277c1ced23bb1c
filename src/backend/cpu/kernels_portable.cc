#define CAVS_ISA portable
#include "backend/cpu/isa_kernels.h"

namespace cavs::cpu {

extern const Isa kPortableIsa;
constinit const Isa kPortableIsa = portable::make_isa("portable");

}  // namespace cavs::cpu
