#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cavs::cuda {

/// An instruction of a GPU's machine code.
struct SassInstruction {
  std::int64_t address = 0;
  std::string opcode;        // such as "LDG.E.CONSTANT", without predicate
  std::int64_t target = -1;  // target of a branch, or -1

  /// True for the opcode with any suffix: "LDG" matches "LDG.E", "LD" does not.
  bool is(std::string_view name) const;
};

/// The reason why nvdisasm is missing, or empty. It is searched in $CUDA_HOME/bin, /usr/local/cuda/bin and the PATH.
const std::string& missing_nvdisasm();

/// Disassembles the kernel of a cubin. @throws std::runtime_error if nvdisasm fails
std::vector<SassInstruction> disassemble(const std::string& cubin);

/// Number of instructions of each kind.
struct SassCounts {
  int all = 0, multiply_adds = 0, shuffles = 0, loads = 0, stores = 0, local = 0;
};
SassCounts count(const SassInstruction* begin, const SassInstruction* end);
SassCounts count(const std::vector<SassInstruction>& code);

/// Loads of single floats before the first store or barrier, where the persistent kernel reads its weights.
int weight_loads(const std::vector<SassInstruction>& code);

/// Loops that contain no other loop.
std::vector<SassCounts> innermost_loops(const std::vector<SassInstruction>& code);

}  // namespace cavs::cuda
