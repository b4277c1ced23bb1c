#include "support/available_memory.h"

#include <unistd.h>

#include <fstream>
#include <string>

namespace cavs::inline v0_1 {

std::int64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string key, unit; file >> key;) {
    std::int64_t kib = 0;
    if (file >> kib; key == "MemAvailable:") return kib * 1024;
    std::getline(file, unit);
  }
  return std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
}

}  // namespace cavs::inline v0_1
