#include "measure/this_cpu.h"

#include "backend/cpu/isa.h"

namespace cavs {

OnChipTarget this_cpu(int cores) { return cpu_target(cores, cpu::second_cache_bytes()); }

}  // namespace cavs
