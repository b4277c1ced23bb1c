#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/cuda/batched/launch_list.h"
#include "backend/cuda/device/optimizer_step.h"
#include "cavs/session.h"
#include "script/script.h"

namespace cavs::cuda {

/// Returns the kind under which launches of a kernel are counted.
KernelKind kind_of(const BatchedKernels& kernels, int kernel);

/// Counts the operations and the memory traffic of launches, and predicts their times. A product is assumed to read its
/// left factor once per column of tiles, and its right factor once per row of tiles. Other kernels read operands once.
class WorkCounter {
 public:
  /// All arguments must outlive this object.
  WorkCounter(const Program& program, const Plan& plan, const DevicePeaks& peaks, const BatchedKernels& kernels,
              Precision precision, KernelWorks& works);

  /// Adds a launch of a single kernel, not of a graph.
  void add(const Script& script, const LaunchItem& item);
  /// Adds a launch for the update, or one that precedes F or ∂F. @param steps  [parameters], for the update
  /// @param slots  arrays per parameter that the optimiser keeps
  void add(SharedKernel kernel, const ParameterStep* steps, int slots);

 private:
  /// Operations and traffic of one launch: bytes that its tiles read and write (tile_bytes, through the L2), bytes from
  /// and to memory, and tiles of a product (0 for other kernels).
  struct Launch {
    const BatchedKernels::Kernel* kernel = nullptr;
    double flops = 0, tile_bytes = 0, bytes = 0, tiles = 0;
  };

  void add_product(Launch& launch, double rows, double columns, double depth, bool adds, std::int32_t weight = -1);
  void add_factors(Launch& launch, const Instruction& instruction, const Matmul& product, double rows);
  void add_tile(Launch& launch, const Step& step, const Instruction& instruction, const LinearCrossEntropy& entropy,
                const LaunchItem& item, double rows);
  /// @param earlier  members that precede the instruction in its group
  static void add_rows(Launch& launch, const TypeProgram& type, std::span<const Instruction> earlier,
                       const Instruction& instruction, double rows);
  void end(const Launch& launch, KernelKind kind);
  /// True if an earlier product has read the parameter. Marks the parameter as read.
  bool is_read(std::int32_t parameter);
  double bytes_of_rounding() const;

  const Program& program_;
  const Plan& plan_;
  const DevicePeaks& peaks_;
  const BatchedKernels& kernels_;
  KernelWorks& works_;
  const double of_factors_;       // bytes per number of a factor of a product
  const double of_tensor_cores_;  // speed of tensor cores compared with fp32
  std::vector<char> read_;        // [parameters] true if a product has read the parameter
};

}  // namespace cavs::cuda
