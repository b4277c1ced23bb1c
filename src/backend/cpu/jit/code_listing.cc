#include "backend/cpu/jit/code_listing.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <mutex>

namespace cavs::cpu {

void list_code(const std::string& name, std::span<const std::uint8_t> code) {
  static std::mutex one_at_a_time;
  const char* const map = std::getenv("CAVS_PERF_MAP");
  const char* const folder = std::getenv("CAVS_DUMP_CODE");
  if (map == nullptr && folder == nullptr) return;
  const std::lock_guard lock(one_at_a_time);
  if (map != nullptr)
    std::ofstream("/tmp/perf-" + std::to_string(getpid()) + ".map", std::ios::app)
        << std::hex << reinterpret_cast<std::uintptr_t>(code.data()) << ' ' << code.size() << ' ' << name << '\n';
  if (folder != nullptr)
    std::ofstream(std::string(folder) + "/" + name + ".bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(code.data()), static_cast<std::streamsize>(code.size()));
}

}  // namespace cavs::cpu
