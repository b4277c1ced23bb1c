#include "execute/batched/instruction_runner.h"

#include "execute/batched/lookup_gradients.h"
#include "execute/batched/products.h"
#include "execute/batched/profile.h"
#include "support/overloaded.h"

namespace cavs::inline v0_1 {

InstructionRunner::InstructionRunner(const Program& program, const PackedWeights& weights, std::uint64_t seed)
    : weights_(weights), rows_(program, weights, seed), groups_(program, rows_), reductions_(program) {}

void InstructionRunner::run(Worker& worker, const WorkPart& work, const Instruction& i) {
  const RowRange rows = worker.range(i.domain);
  if (rows.begin == rows.end && !i.is<SumRows, WeightGradient, LinearCrossEntropy>()) return;
  if (i.is<RowGroup>()) return groups_.run(worker, work, i, rows);  // the members have timers of their own
  const Timer timed(worker, i);
  std::visit(Overloaded{
                 [&](const Matmul& product) { run_product(weights_, worker, work, i, product, rows); },
                 [&](const WeightGradient& gradient) { reductions_.run(worker, work, i, gradient.matrix_rows, rows); },
                 [&](const SumRows&) { reductions_.run(worker, work, i, 1, rows); },
                 [&](const LookupGradient& lookup) { run_lookup_gradient(worker, work, i, lookup); },
                 [&](const LinearCrossEntropy& entropy) {
                   run_linear_cross_entropy(weights_, worker, work, i, entropy, rows);
                 },
                 [&](const auto&) { groups_.run(worker, work, i, rows); },
             },
             i.kind);
}

}  // namespace cavs::inline v0_1
