#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/cpu/isa.h"
#include "backend/cpu/kernels.h"
#include "tensor/scalar_program.h"

namespace cavs::cpu {

/// Machine code for one scalar program: the same bits as elementwise(), without memory between the operations.
class GeneratedLoop {
 public:
  virtual ~GeneratedLoop() = default;

  /// As elementwise() with the program that the code was made from; no output may lie on an input. Thread-safe.
  virtual void run(std::span<const ConstRows> in, std::span<const Rows> out, std::int32_t row_begin,
                   std::int32_t row_end, Scratch& scratch) const = 0;
  virtual std::span<const std::uint8_t> code() const = 0;
};

/// Code for the instruction set; `broadcast[i]` says that input i is one number beside wider outputs. nullptr where the
/// library has no generator for it (portable), or the system forbids new code; then elementwise() does the same.
/// With CAVS_PERF_MAP=1 in the environment the code has `name` in perf's reports; with CAVS_DUMP_CODE=FOLDER it is
/// written to FOLDER/name.bin (objdump -D -b binary -m i386:x86-64).
std::unique_ptr<GeneratedLoop> generate_loop(const Isa& isa, const ScalarProgram& program,
                                             const std::vector<bool>& broadcast, const std::string& name);

}  // namespace cavs::cpu
