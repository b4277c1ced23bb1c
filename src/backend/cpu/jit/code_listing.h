#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace cavs::cpu {

/// Makes generated code visible. With CAVS_PERF_MAP=1, it is registered with perf in /tmp/perf-PID.map. With
/// CAVS_DUMP_CODE=FOLDER, it is written to FOLDER/name.bin for disassemblers. Files that cannot be written are ignored.
void list_code(const std::string& name, std::span<const std::uint8_t> code);

}  // namespace cavs::cpu
