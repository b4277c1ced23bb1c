#pragma once

#include "ir/function.h"

namespace cavs::inline v0_1 {

/// The domain whose rows an operator runs over.
Domain running_domain(const Function& f, ValueId id);

/// The domain in which node `id` reads its input number `i`: it sees one row of the input for each row of this domain.
Domain reading_domain(const Function& f, ValueId id, int i);

/// Whether a value is memory seen through a row index (a gather, a lookup, ...).
bool is_indexed(const Function& f, ValueId id);

/// Whether a value is computed into memory of its own, by an instruction.
bool is_computed(const Node& node);

/// The labels of a loss (a pull_index): a row without one has no loss. -1: every row has a loss.
ValueId label_of(const Function& f, ValueId loss);

}  // namespace cavs::inline v0_1
