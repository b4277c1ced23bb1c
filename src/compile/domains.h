#pragma once

#include "ir/function.h"

namespace cavs::inline v0_1 {

/// Returns the domain of the rows that the operator of node `id` runs over.
Domain running_domain(const Function& f, ValueId id);

/// Returns the domain in which node `id` reads its input number `i`: the node reads one row of it per row of the
/// domain.
Domain reading_domain(const Function& f, ValueId id, int i);

/// True if a value has no memory of its own but is other memory read through a list of rows (a gather, a lookup, ...).
bool is_indexed(const Function& f, ValueId id);

/// True if an instruction computes the value into memory of its own.
bool is_computed(const Node& node);

/// Returns the node with the labels of node `loss` (a pull_index node), or -1 if every row has a loss. If there are
/// labels, a row whose label is absent has no loss.
ValueId label_of(const Function& f, ValueId loss);

}  // namespace cavs::inline v0_1
