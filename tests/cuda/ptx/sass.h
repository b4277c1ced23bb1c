#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cavs::cuda {

/// An instruction of a GPU's machine code.
struct SassInstruction {
  std::int64_t address = 0;
  std::string opcode;        // "LDG.E.CONSTANT", without its predicate
  std::int64_t target = -1;  // of a branch; -1: it is none

  /// "LDG" is "LDG.E"; "LD" is not.
  bool is(std::string_view name) const;
};

/// Why there is no disassembler; empty: there is one. It is taken from $CUDA_HOME/bin, /usr/local/cuda/bin or the PATH.
const std::string& missing_nvdisasm();

/// The kernel of a cubin. @throws std::runtime_error where nvdisasm fails
std::vector<SassInstruction> disassemble(const std::string& cubin);

/// How many instructions there are of a kind.
struct SassCounts {
  int all = 0, multiply_adds = 0, shuffles = 0, loads = 0, stores = 0, local = 0;
};
SassCounts count(const SassInstruction* begin, const SassInstruction* end);
SassCounts count(const std::vector<SassInstruction>& code);

/// Loads of single floats before the first store or barrier, which is where the persistent kernel reads its weights.
int weight_loads(const std::vector<SassInstruction>& code);

/// Loops without another one inside.
std::vector<SassCounts> innermost_loops(const std::vector<SassInstruction>& code);

}  // namespace cavs::cuda
