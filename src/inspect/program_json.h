#pragma once

#include <nlohmann/json.hpp>

#include "compile/program.h"
#include "layout/layout.h"
#include "placement/placement.h"

namespace cavs::inline v0_1 {

using OrderedJson = nlohmann::ordered_json;

/// Return the nodes of F and ∂F, the memory layout, and the placement of weights as JSON.
OrderedJson to_json(const TypeProgram& type);
OrderedJson to_json(const MemoryLayout& layout, const Program& program);
OrderedJson to_json(const WeightPlacement& placement, const Program& program);

}  // namespace cavs::inline v0_1
