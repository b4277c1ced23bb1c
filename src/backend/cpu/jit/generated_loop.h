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

/// Machine code for one scalar program. It keeps values in registers. Results are bit-identical to elementwise().
class GeneratedLoop {
 public:
  virtual ~GeneratedLoop() = default;

  /// Like elementwise() with the code's program, but no output may overlap an input. Thread-safe.
  virtual void run(std::span<const ConstRows> in, std::span<const Rows> out, std::int32_t row_begin,
                   std::int32_t row_end, Scratch& scratch) const = 0;
  virtual std::span<const std::uint8_t> code() const = 0;  // the machine code
};

/// Generates code for a program. `broadcast[i]` is true if input i has one number per row and outputs are wider.
/// Returns nullptr if there is no generator for the instruction set (portable), or if the system forbids new code; then
/// use elementwise(). With CAVS_PERF_MAP=1 in the environment, perf shows the code as `name`. With
/// CAVS_DUMP_CODE=FOLDER, the code is written to FOLDER/name.bin (objdump -D -b binary -m i386:x86-64).
std::unique_ptr<GeneratedLoop> generate_loop(const Isa& isa, const ScalarProgram& program,
                                             const std::vector<bool>& broadcast, const std::string& name);

}  // namespace cavs::cpu
