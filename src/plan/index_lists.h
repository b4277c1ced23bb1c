#pragma once

#include <cstdint>

#include "plan/edge_rows.h"
#include "plan/plan_draft.h"
#include "plan/ports.h"

namespace cavs::inline v0_1 {

/// Adds the lists of rows through which gathers, broadcasts and lookups of a type read (TypeProgram::indices). Equal
/// lists share memory. Before: the type's edges and ports are added.
void add_index_lists(PlanDraft& draft, std::int32_t type, EdgeRows& edges, const Ports& ports);

}  // namespace cavs::inline v0_1
