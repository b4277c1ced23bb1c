#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/cpu/jit/generated_loop.h"
#include "compile/program.h"

namespace cavs {

/// The element-wise loops of a program: machine code where there can be (switch "generate_code"), else the interpreter.
class Loops {
 public:
  explicit Loops(const Program& program);

  /// Rows [row_begin, row_end) of such a loop. Thread-safe.
  void run(const Elementwise& loop, std::span<const ConstRows> in, std::span<const Rows> out, std::int32_t row_begin,
           std::int32_t row_end, cpu::Scratch& scratch) const;

 private:
  std::vector<std::unique_ptr<cpu::GeneratedLoop>> generated_;  // by Elementwise::loop; nullptr: interpreted
};

}  // namespace cavs
