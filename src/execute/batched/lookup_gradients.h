#pragma once

#include "execute/batched/worker.h"

namespace cavs::inline v0_1 {

/// Adds the rows of a lookup's gradient to the gradient of its table. Called by all workers.
void run_lookup_gradient(Worker& worker, const WorkPart& work, const Instruction& instruction,
                         const LookupGradient& lookup);

/// Before ∂F, zeroes the rows of tables' gradients that the previous minibatch touched. Called by all workers.
void clear_tables(const Program& program, Gradients& gradients, int worker, int workers);

/// After ∂F, records the table rows that have a gradient. Called on one thread.
void note_touched_rows(const Plan& plan, Gradients& gradients);

}  // namespace cavs::inline v0_1
