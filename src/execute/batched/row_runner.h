#pragma once

#include <array>
#include <cstdint>

#include "execute/batched/loops.h"
#include "execute/batched/products.h"
#include "execute/batched/worker.h"

namespace cavs {

/// Runs one instruction that works row by row on the rows that it is given.
class RowRunner {
 public:
  RowRunner(const Program& program, const ProductRunner& products, std::uint64_t seed);

  void run(Worker& worker, const Instruction& instruction, const RowShare& share) const;

 private:
  void find_kernels(const Program& program);
  cpu::RowKernel kernel(OpId op) const { return kernels_[static_cast<std::size_t>(op)]; }
  void run_loop(Worker& worker, const Instruction& instruction, const Elementwise& loop, const RowShare& share) const;
  void run_kernel(Worker& worker, const Instruction& instruction, const RowOp& row, const RowShare& share) const;
  void run_gather(Worker& worker, const Instruction& instruction, const GatherGradient& gather,
                  const RowShare& share) const;
  void run_segment_sum(Worker& worker, const Instruction& instruction, const SegmentSum& sum,
                       const RowShare& share) const;

  const ProductRunner& products_;
  Loops loops_;
  std::array<cpu::RowKernel, static_cast<std::size_t>(OpId::kDefined) + 1> kernels_{};  // by OpId
  std::uint64_t seed_;
};

}  // namespace cavs
