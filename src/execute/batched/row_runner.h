#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "backend/cpu/jit/generated_loop.h"
#include "execute/batched/packed_weights.h"
#include "execute/batched/worker.h"

namespace cavs::inline v0_1 {

/// Runs a row-by-row instruction on given rows: an element-wise loop as machine code if possible (switch
/// "generate_code"), else with the interpreter; any other operator with its kernel, which is looked up once.
class RowRunner {
 public:
  RowRunner(const Program& program, const PackedWeights& weights, std::uint64_t seed);

  void run(Worker& worker, const Instruction& instruction, const RowShare& share) const;

 private:
  cpu::RowKernel kernel(OpId op) const { return kernels_[static_cast<std::size_t>(op)]; }
  void run_loop(Worker& worker, const Instruction& instruction, const Elementwise& loop, const RowShare& share) const;
  void run_kernel(Worker& worker, const Instruction& instruction, const RowOp& row, const RowShare& share) const;
  void run_gather(Worker& worker, const Instruction& instruction, const GatherGradient& gather,
                  const RowShare& share) const;
  void run_segment_sum(Worker& worker, const Instruction& instruction, const SegmentSum& sum,
                       const RowShare& share) const;

  const PackedWeights& weights_;
  std::vector<std::unique_ptr<cpu::GeneratedLoop>> loops_;  // indexed by Elementwise::loop; nullptr if interpreted
  std::array<cpu::RowKernel, static_cast<std::size_t>(OpId::kDefined) + 1> kernels_{};  // indexed by OpId
  std::uint64_t seed_;
};

}  // namespace cavs::inline v0_1
