#pragma once

#include <vector>

#include "cavs/inspect.h"
#include "compile/program.h"
#include "plan/plan.h"

namespace cavs::inline v0_1::inspect {

/// Implements ScheduledBatch::products.
std::vector<Product> list_products(const Program& program, const Plan& plan);

}  // namespace cavs::inline v0_1::inspect
