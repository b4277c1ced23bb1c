#pragma once

#include "cli/report.h"
#include "compile/program.h"
#include "layout/layout.h"
#include "placement/placement.h"

namespace cavs::cli {

/// What `cavs inspect --json` prints: the nodes of F and ∂F; the layout in memory; where weights live.
Json to_json(const TypeProgram& type);
Json to_json(const MemoryLayout& layout, const Program& program);
Json to_json(const WeightPlacement& placement, const Program& program);

}  // namespace cavs::cli
