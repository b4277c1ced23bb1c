#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cavs::cuda {

/// An instruction of a GPU's machine code.
struct SassInstruction {
  std::int64_t address = 0;
  std::string opcode;        // such as "LDG.E.CONSTANT", without predicate
  std::int64_t target = -1;  // address to which a branch goes; -1 for other instructions

  /// True for the opcode with any suffix: "LDG" matches "LDG.E", "LD" does not.
  bool is(std::string_view name) const;
};

/// Returns the reason why nvdisasm is missing, else an empty text. Searches $CUDA_HOME/bin, /usr/local/cuda/bin, PATH.
const std::string& missing_nvdisasm();

/// Disassembles the kernel of a cubin. @throws std::runtime_error if nvdisasm fails
std::vector<SassInstruction> disassemble(const std::string& cubin);

/// Numbers of instructions of some kinds.
struct SassCounts {
  int all = 0, multiply_adds = 0, shuffles = 0, loads = 0, stores = 0, local = 0;
};
SassCounts count(const SassInstruction* begin, const SassInstruction* end);
SassCounts count(const std::vector<SassInstruction>& code);

/// Returns the number of loads of single floats before the first store or barrier, which is where the persistent kernel
/// reads its weights.
int weight_loads(const std::vector<SassInstruction>& code);

/// Returns the counts of each loop that contains no other loop.
std::vector<SassCounts> innermost_loops(const std::vector<SassInstruction>& code);

}  // namespace cavs::cuda
