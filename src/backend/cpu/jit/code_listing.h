#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace cavs::cpu {

/// Makes generated code known to perf (CAVS_PERF_MAP=1: /tmp/perf-PID.map) and to disassemblers (CAVS_DUMP_CODE=FOLDER:
/// FOLDER/name.bin). Does nothing without these, and ignores files that cannot be written.
void list_code(const std::string& name, std::span<const std::uint8_t> code);

}  // namespace cavs::cpu
