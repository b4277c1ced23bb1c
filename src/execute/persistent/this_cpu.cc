#include "execute/persistent/this_cpu.h"

#include <unistd.h>

namespace cavs {

OnChipTarget this_cpu(int cores, bool transposed_copies) {
  std::int64_t bytes = 0;
#if defined(_SC_LEVEL2_CACHE_SIZE)
  bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
  return cpu_target(cores, bytes > 0 ? bytes : std::int64_t{1} << 20, transposed_copies);
}

}  // namespace cavs
