#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/cuda/batched/launch_list.h"
#include "backend/cuda/device/optimizer_step.h"
#include "cavs/session.h"
#include "script/script.h"

namespace cavs::cuda {

KernelKind kind_of(const BatchedKernels& kernels, int kernel);

/// Counts what launches compute, read and write, and predicts how long they take. A product reads its operands once
/// per row or column of tiles; other kernels read theirs once.
class WorkCounter {
 public:
  /// All outlive it.
  WorkCounter(const Program& program, const Plan& plan, const DevicePeaks& peaks, const BatchedKernels& kernels,
              Precision precision, KernelWorks& works);

  /// A launch that is no graph.
  void add(const Script& script, const LaunchItem& item);
  /// A launch of the update, or of what comes before F or ∂F. @param steps  of each parameter
  void add(SharedKernel kernel, const ParameterStep* steps, int slots);

 private:
  /// One launch.
  struct Launch {
    const BatchedKernels::Kernel* kernel = nullptr;
    double flops = 0, tile_bytes = 0, bytes = 0, tiles = 0;
  };

  void add_product(Launch& launch, double rows, double columns, double depth, bool adds, std::int32_t weight = -1);
  void add_factors(Launch& launch, const Instruction& instruction, const Matmul& product, double rows);
  void add_tile(Launch& launch, const Step& step, const Instruction& instruction, const LinearCrossEntropy& entropy,
                const LaunchItem& item, double rows);
  /// @param earlier  members of its group
  static void add_rows(Launch& launch, const TypeProgram& type, std::span<const Instruction> earlier,
                       const Instruction& instruction, double rows);
  void end(const Launch& launch, KernelKind kind);
  bool is_read(std::int32_t parameter);
  double bytes_of_rounding() const;

  const Program& program_;
  const Plan& plan_;
  const DevicePeaks& peaks_;
  const BatchedKernels& kernels_;
  KernelWorks& works_;
  const double of_factors_;       // bytes of a number that products read
  const double of_tensor_cores_;  // how much faster these multiply than fp32
  std::vector<char> read_;        // [parameters] by an earlier product
};

}  // namespace cavs::cuda
