#pragma once

#include "execute/batched/worker.h"

namespace cavs::inline v0_1 {

/// Adds the rows of a lookup's gradient to the rows of its table. Called by all workers.
void run_lookup_gradient(Worker& worker, const WorkPart& work, const Instruction& instruction,
                         const LookupGradient& lookup);

/// Zeroes the rows that the previous minibatch touched, before ∂F; all other rows of a table's gradient are zero.
/// Called by all workers.
void clear_tables(const Program& program, Gradients& gradients, int worker, int workers);

/// Records the rows of tables that have a gradient, after ∂F. Called on one thread.
void note_touched_rows(const Plan& plan, Gradients& gradients);

}  // namespace cavs::inline v0_1
