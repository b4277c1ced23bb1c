#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace cavs::cpu {

/// Registers generated code with perf (if CAVS_PERF_MAP=1, in /tmp/perf-PID.map) and writes it for disassemblers (if
/// CAVS_DUMP_CODE=FOLDER, to FOLDER/name.bin). Otherwise does nothing. Files that cannot be written are ignored.
void list_code(const std::string& name, std::span<const std::uint8_t> code);

}  // namespace cavs::cpu
