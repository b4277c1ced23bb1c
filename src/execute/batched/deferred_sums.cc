#include "execute/batched/deferred_sums.h"

#include <algorithm>
#include <atomic>
#include <functional>

namespace cavs {

/// From the first row of the sum on.
DeferredSums::Operands DeferredSums::operands_of(Worker& worker, const DeferredSum& sum) const {
  worker.enter(*sum.step, program_);
  const RowRange rows = worker.range(sum.instruction->domain);
  return {worker.read_from(sum.instruction->in[0], rows.begin), worker.read_from(sum.instruction->in[1], rows.begin),
          rows.end - rows.begin};
}

bool DeferredSums::is_safe(const DeferredSum& sum) const {
  const auto [x, dy, rows] = operands_of(*workers_.front(), sum);
  return is_bounded(x, dy, rows);
}

void DeferredSums::settle(Execution& run, Gradients& gradients) {
  DeferredGradients& deferred = run.deferred;
  deferred.number = gradients.deferred_by = 0;
  if (deferred.sums.empty()) return;
  if (std::ranges::all_of(deferred.sums, [&](const DeferredSum& sum) { return is_safe(sum); })) {
    static std::atomic<std::uint64_t> number{0};
    gradients.deferred = deferred.is_deferred;
    deferred.number = gradients.deferred_by = ++number;
    return;
  }
  deferred.is_deferred.assign(deferred.is_deferred.size(), 0);
  run_all(run);
  deferred.sums.clear();
}

void DeferredSums::run_all(const Execution& run) {
  const auto work = [&](int w) {
    for (const DeferredSum& sum : run.deferred.sums) {
      workers_[w]->enter(*sum.step, program_);
      workers_[w]->wait();
      instructions_.run(*workers_[w], *sum.instruction);
    }
  };
  team_.run(std::ref(work));
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
    x.base += begin, x.width = end - begin;
    cpu::matmul_tn(x, dy, rows, gradient, accumulate, 0, 1, worker.scratch, precision_);
    accumulate = true;
  }
  return gradient;
}

}  // namespace cavs
