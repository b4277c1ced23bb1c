#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "backend/cpu/kernels.h"
#include "cavs/parameters.h"
#include "cavs/session.h"
#include "compile/program.h"
#include "execute/batched/deferred_gradients.h"
#include "execute/batched/loops.h"
#include "execute/batched/packs.h"
#include "execute/engine.h"
#include "support/split_range.h"

namespace cavs {

/// Kinds of work that time is accounted to.
enum class TimeKind : std::uint8_t { kMemory, kCompute };

/// Memory and figures of one run of the executor.
struct Execution {
  const PreparedBatch* batch = nullptr;
  cpu::AlignedFloats arena;
  std::int64_t capacity = 0;  // floats
  float loss_gradient = 0;
  DeferredGradients deferred;
  bool went_back = false;           // the values of ∂F are there
  std::array<double, 2> seconds{};  // by TimeKind, of worker 0, when profiled
  std::int64_t streamed_rows = 0;   // of lazy steps, done while small tasks ran

  const Plan& plan() const { return batch->plan; }
};

/// The batched engine: the team shares every instruction of a step of the plan, or the step is one worker's; one
/// parallel region a direction.
class Executor {
 public:
  Executor(std::shared_ptr<const Program> program, std::shared_ptr<Parameters> parameters, Team& team,
           const SessionOptions& options, cpu::Precision precision, std::shared_ptr<Packs> packs);

  ~Executor();

  void forward(Execution& run);
  /// Gradients of pushes are in their tensors already.
  void backward(Execution& run, Gradients& gradients, bool defer = false);
  /// Rows [begin, end) of a gradient that backward has deferred, row-major, until the worker's next call.
  const float* deferred_gradient(Execution& run, int worker, int parameter, std::int32_t begin, std::int32_t end);

  const std::shared_ptr<Packs>& packs() const { return packs_; }

  /// Bytes of the tiles that row groups work on, of all workers.
  std::int64_t tile_bytes(const Plan& plan) const;

  /// Bytes that one step's gathers and other copies move, and floating-point operations of the whole plan.
  void count(const Plan& plan, std::int64_t& instructions, std::int64_t& bytes_moved, double& flops) const;

  /// First element of an operand's row 0 in a finished run.
  const float* base(const Execution& run, std::int32_t type, const Operand& operand) const;

 private:
  struct Worker;
  struct Timer;

  /// How far the run has come, written by worker 0, and the next of its plan's chunks.
  struct Stream {
    alignas(64) std::atomic<std::int32_t> steps{0};
    alignas(64) std::atomic<std::int32_t> chunk{0};
  };

  void find_row_kernels();
  cpu::RowKernel row_kernel(OpId op) const { return row_kernels_[static_cast<std::size_t>(op)]; }
  void run_steps(Execution& run, bool backward, Gradients* gradients, int worker);
  Timer timer(Worker& worker, const Instruction& instruction) const;
  void run_step(Worker& worker);
  void open_stream(Execution& run);
  void close_stream(Execution& run) const;
  bool run_chunk(Worker& worker);
  std::int32_t skip_streamed(Worker& worker);
  void run_instruction(Worker& worker, const Instruction& instruction);
  void run_rows(Worker& worker, const Instruction& instruction, RowRange rows);
  struct TileUse {
    std::int32_t type, rows;  // of a block
    std::array<std::int32_t, 2> widths;
    DomainId domain;
  };
  void find_tile_uses();
  void run_row_group(Worker& worker, const Instruction& instruction, const RowGroup& group, RowRange rows);
  void run_member(Worker& worker, const Instruction& instruction, RowRange rows);
  void run_elementwise(Worker& worker, const Instruction& instruction, const Elementwise& loop, RowRange rows);
  void run_product(Worker& worker, const Instruction& instruction, const Matmul& product, RowRange rows);
  void run_matmul(Worker& worker, const Instruction& instruction, const Matmul& product, RowRange rows);
  void run_row(Worker& worker, const Instruction& instruction, const RowOp& row, RowRange rows);
  void run_gather_gradient(Worker& worker, const Instruction& instruction, const GatherGradient& gather, RowRange rows);
  void run_reduction(Worker& worker, const Instruction& instruction, std::int32_t matrix_rows, RowRange rows);
  struct SumOperands {
    ConstRows x, dy;
    std::int32_t rows;
  };
  SumOperands operands_of(Worker& worker, const DeferredSum& sum) const;
  void settle_deferred(Execution& run, Gradients& gradients);
  void allocate_partial_sums();
  void join_partial_sum(Worker& worker, std::int32_t parameter) const;
  void run_segment_sum(Worker& worker, const Instruction& i, RowRange rows);
  void run_lookup_gradient(Worker& worker, const Instruction& instruction, const LookupGradient& lookup);
  void run_linear_cross_entropy(Worker& worker, const Instruction& instruction, const LinearCrossEntropy& entropy,
                                RowRange rows);
  void run_tile_loss(Worker& worker, const Instruction& instruction, const LinearCrossEntropy& entropy, RowRange rows);
  void run_tile_gradients(Worker& worker, const Instruction& instruction, const LinearCrossEntropy& entropy,
                          RowRange rows, bool accumulate);
  void clear_tables(const Plan& plan, Gradients& gradients, int worker) const;
  void finish_gradients(Worker& worker, Gradients& gradients) const;

  std::shared_ptr<const Program> program_;
  std::shared_ptr<Parameters> parameters_;
  Team& team_;
  cpu::Precision precision_;  // of products
  std::shared_ptr<Packs> packs_;
  Loops loops_;
  std::array<cpu::RowKernel, static_cast<std::size_t>(OpId::kDefined) + 1> row_kernels_{};  // by OpId
  std::vector<TileUse> tile_uses_;
  GradientDeferral deferral_;
  Stream stream_;
  std::uint64_t seed_;
  bool profile_;
  std::vector<std::vector<float>> partial_sums_;  // [parameters] of gradients that tasks add to, else empty
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace cavs
