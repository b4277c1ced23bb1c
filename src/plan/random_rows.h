#pragma once

#include "plan/plan_draft.h"

namespace cavs {

/// Lists sample and vertex of every row, which random numbers are drawn by, where any type draws some.
void add_random_rows(PlanDraft& draft);

}  // namespace cavs
