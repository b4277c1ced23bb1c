// Sums over rows that make gradients of parameters.

#include <limits>

#include "execute/batched/work_share.h"
#include "execute/batched/worker.h"
#include "support/check.h"

namespace cavs {

void Executor::run_reduction(Worker& worker, const Instruction& i, std::int32_t matrix_rows, RowRange rows) {
  const Operand& to = i.out[0];
  const bool to_gradient = to.kind == StorageKind::kParameterGradient;
  if (to_gradient && worker.run->deferred.is_deferred[to.id] != 0) return;
  const std::int64_t all = std::int64_t{rows.end - rows.begin} * matrix_rows;
  user_check(all <= std::numeric_limits<std::int32_t>::max(),
             "the gradient of a parameter sums {} rows of matrices, at most 2^31 - 1 are possible; use a smaller batch "
             "size",
             all);
  const auto count = static_cast<std::int32_t>(all);
  const auto operand = [&](const Operand& o) {
    ConstRows x = worker.read_from(o, rows.begin);
    x.width /= matrix_rows, x.split = matrix_rows;
    return x;
  };
  // Rows of many small tasks would be added one by one to a sum that is far larger, and their last digits lost.
  const bool partial = to_gradient && worker.step->stage == Stage::kTask && count < cpu::kSumBlock;
  if (partial && count == 0) return;
  bool accumulate = false;
  if (to_gradient) {
    accumulate = partial ? worker.summed[to.id] > 0 : worker.touched[to.id] != 0;
    if (accumulate && !i.barrier) team_.barrier(worker.number);  // another instruction of this level wrote it
  }
  const ConstRows x = operand(i.in[0]);
  float* const sum = partial ? partial_sums_[to.id].data() : worker.base(to);
  if (i.is<SumRows>())
    cpu::sum_rows(x, count, sum, accumulate, worker.number, worker.workers);
  else
    cpu::matmul_tn(x, operand(i.in[1]), count, sum, accumulate, worker.number, worker.workers, worker.scratch,
                   precision_);
  if (partial && (worker.summed[to.id] += count) >= cpu::kSumBlock) join_partial_sum(worker, to.id);
  if (to_gradient && !partial) worker.touched[to.id] = 1;
}

void Executor::allocate_partial_sums() {
  partial_sums_.resize(program_->parameters.size());
  for (const TypeProgram& type : program_->types)
    for (const Instruction& i : type.at(true, Stage::kTask))
      for (const Operand& o : i.out)
        if (o.kind == StorageKind::kParameterGradient)
          partial_sums_[o.id].resize(static_cast<std::size_t>(program_->parameters[o.id].shape.size()));
}

/// All workers together.
void Executor::join_partial_sum(Worker& worker, std::int32_t parameter) const {
  team_.barrier(worker.number);
  const auto& sum = partial_sums_[parameter];
  float* const gradient = worker.gradients->values[parameter].data();
  const auto [begin, end] = split_range(0, static_cast<std::int32_t>(sum.size()), worker.number, worker.workers);
  for (std::int32_t k = begin; k < end; ++k) gradient[k] = sum[k] + (worker.touched[parameter] != 0 ? gradient[k] : 0);
  team_.barrier(worker.number);
  worker.touched[parameter] = 1, worker.summed[parameter] = 0;
}

}  // namespace cavs
