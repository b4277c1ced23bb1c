#pragma once

#include "execute/batched/worker.h"

namespace cavs::inline v0_1 {

/// Adds the rows of a lookup's gradient to the rows of its table. All workers.
void run_lookup_gradient(Worker& worker, const WorkPart& who, const Instruction& instruction,
                         const LookupGradient& lookup);

/// Before ∂F: rows that the previous minibatch touched go back to zero; a table's gradient is zero everywhere else. All
/// workers.
void clear_tables(const Program& program, Gradients& gradients, int worker, int workers);

/// After ∂F: notes the rows of tables that have a gradient. One thread.
void note_touched_rows(const Plan& plan, Gradients& gradients);

}  // namespace cavs::inline v0_1
