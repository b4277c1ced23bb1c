#include "execute/persistent/this_cpu.h"

#include "backend/cpu/isa.h"

namespace cavs {

OnChipTarget this_cpu(int cores, bool transposed_copies) {
  return cpu_target(cores, cpu::second_cache_bytes(), transposed_copies);
}

}  // namespace cavs
