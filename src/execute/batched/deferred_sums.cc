#include "execute/batched/deferred_sums.h"

#include <algorithm>
#include <functional>

#include "support/unique_number.h"

namespace cavs::inline v0_1 {

/// Returns the operands of a sum, from the first row that it sums on.
DeferredSums::Operands DeferredSums::operands_of(Worker& worker, const DeferredSum& sum) const {
  worker.enter(*sum.step, program_);
  const RowRange rows = worker.range(sum.instruction->domain);
  return {worker.read_from(sum.instruction->in[0], rows.begin), worker.read_from(sum.instruction->in[1], rows.begin),
          rows.end - rows.begin};
}

void DeferredSums::mark(Execution& run, Gradients& gradients) const {
  DeferredGradients& deferred = run.deferred;
  deferred.number = gradients.deferred_by = deferred.sums.empty() ? 0 : unique_number();
  gradients.deferred = deferred.is_deferred;
  deferred.is_safe.assign(deferred.sums.size(), 0);
}

void DeferredSums::check(Execution& run, int worker) const {
  for (std::size_t k = worker; k < run.deferred.sums.size(); k += static_cast<std::size_t>(team_.size())) {
    const auto [x, dy, rows] = operands_of(*workers_[worker], run.deferred.sums[k]);
    run.deferred.is_safe[k] = is_bounded(x, dy, rows) ? 1 : 0;
  }
}

bool DeferredSums::is_safe(const Execution& run) {
  return std::ranges::all_of(run.deferred.is_safe, [](char safe) { return safe != 0; });
}

void DeferredSums::compute(Execution& run, Gradients& gradients) {
  DeferredGradients& deferred = run.deferred;
  deferred.is_deferred.assign(deferred.is_deferred.size(), 0);
  const auto work = [&](int w) {
    Worker& worker = *workers_[w];
    for (const DeferredSum& sum : deferred.sums) {
      worker.enter(*sum.step, program_);
      worker.wait();
      instructions_.run(worker, worker.shared(), *sum.instruction);
    }
  };
  team_.run(std::ref(work));
  deferred.sums.clear();
  mark(run, gradients);
}

const cpu::GradientRows& DeferredSums::summed_rows(Execution& run, int number, int parameter) {
  Worker& worker = *workers_[number];
  worker.run = &run;
  const Shape& shape = program_.parameters[parameter].shape;
  const auto widest = static_cast<std::size_t>(std::max(shape.dims[0], shape.dims[1]));
  float* const zeros = worker.scratch.floats(widest);
  std::fill_n(zeros, widest, 0.0F);
  worker.gradient_rows.ends.clear();
  for (const DeferredSum& sum : run.deferred.sums) {
    if (sum.parameter != parameter) continue;
    const auto [x, dy, rows] = operands_of(worker, sum);
    cpu::add_rows(worker.gradient_rows, x, dy, rows, zeros);
  }
  return worker.gradient_rows;
}

const float* DeferredSums::rows(Execution& run, int number, int parameter, std::int32_t begin, std::int32_t end) {
  Worker& worker = *workers_[number];
  worker.run = &run;
  const std::int32_t width = program_.parameters[parameter].shape.dims[1];
  float* const gradient = worker.tile_memory.floats(static_cast<std::size_t>(end - begin) * width);
  bool accumulate = false;
  for (const DeferredSum& sum : run.deferred.sums) {
    if (sum.parameter != parameter) continue;
    auto [x, dy, rows] = operands_of(worker, sum);
    x.base += begin;
    x.width = end - begin;
    cpu::matmul_tn(x, dy, rows, gradient, accumulate, 0, 1, worker.scratch, worker.precision);
    accumulate = true;
  }
  return gradient;
}

}  // namespace cavs::inline v0_1
