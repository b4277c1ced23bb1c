#include "execute/batched/reductions.h"

#include <algorithm>
#include <limits>

#include "support/check.h"

namespace cavs::inline v0_1 {

Reductions::Reductions(const Program& program) : program_(program), partial_sums_(program.parameters.size()) {
  for (const TypeProgram& type : program.types)
    for (const Instruction& i : type.at(true, Stage::kTask))
      for (const Operand& o : i.out)
        if (o.kind == StorageKind::kParameterGradient)
          partial_sums_[o.id].resize(static_cast<std::size_t>(program.parameters[o.id].shape.size()));
}

void Reductions::run(Worker& worker, const WorkPart& work, const Instruction& i, std::int32_t matrix_rows,
                     RowRange rows) {
  const Operand& to = i.out[0];
  const bool to_gradient = to.kind == StorageKind::kParameterGradient;
  if (to_gradient && worker.run->deferred.is_deferred[to.id] != 0) return;
  const std::int64_t all = std::int64_t{rows.end - rows.begin} * matrix_rows;
  user_check(
      all <= std::numeric_limits<std::int32_t>::max(),
      "the gradient of a parameter sums {} rows of matrices, but at most 2^31 - 1 are possible; use a smaller batch "
      "size",
      all);
  const auto count = static_cast<std::int32_t>(all);
  // If the rows of many small tasks were added one by one to a far larger sum, they would lose their last digits.
  const bool partial = to_gradient && worker.step->stage == Stage::kTask && count < cpu::kSumBlock;
  if (partial && count == 0) return;
  bool accumulate = false;
  if (to_gradient) {
    accumulate = partial ? worker.summed[to.id] > 0 : worker.touched[to.id] != 0;
    if (accumulate && !i.barrier) worker.wait();  // until an earlier instruction of this level has written the sum
  }
  run_on(worker, work, i, matrix_rows, rows, count, partial ? partial_sums_[to.id].data() : worker.written(to),
         accumulate);
  if (partial && (worker.summed[to.id] += count) >= cpu::kSumBlock) join_partial_sum(worker, to.id);
  if (to_gradient && !partial) worker.touched[to.id] = 1;
}

void Reductions::run_on(Worker& worker, const WorkPart& work, const Instruction& i, std::int32_t matrix_rows,
                        RowRange rows, std::int32_t count, float* sum, bool accumulate) const {
  const auto operand = [&](const Operand& o) {
    ConstRows x = worker.read_from(o, rows.begin);
    x.width /= matrix_rows;
    x.split = matrix_rows;
    return x;
  };
  const ConstRows x = operand(i.in[0]);
  if (i.is<SumRows>())
    cpu::sum_rows(x, count, sum, accumulate, work.part, work.parts);
  else
    cpu::matmul_tn(x, operand(i.in[1]), count, sum, accumulate, work.part, work.parts, worker.scratch,
                   worker.precision);
}

void Reductions::finish(Worker& worker) {
  for (std::size_t p = 0; p < program_.parameters.size(); ++p) {
    if (worker.summed[p] > 0) join_partial_sum(worker, static_cast<std::int32_t>(p));
    if (worker.touched[p] != 0 || program_.parameters[p].table || worker.run->deferred.is_deferred[p] != 0) continue;
    const std::span<float> values = worker.gradients->values(p);
    const auto [begin, end] = split_range(0, static_cast<std::int32_t>(values.size()), worker.shared());
    std::fill(values.begin() + begin, values.begin() + end, 0.0F);
  }
}

void Reductions::join_partial_sum(Worker& worker, std::int32_t parameter) const {
  worker.wait();
  const auto& sum = partial_sums_[parameter];
  float* const gradient = worker.gradients->values(parameter).data();
  const auto [begin, end] = split_range(0, static_cast<std::int32_t>(sum.size()), worker.shared());
  for (std::int32_t k = begin; k < end; ++k) gradient[k] = sum[k] + (worker.touched[parameter] != 0 ? gradient[k] : 0);
  worker.wait();
  worker.touched[parameter] = 1;
  worker.summed[parameter] = 0;
}

}  // namespace cavs::inline v0_1
