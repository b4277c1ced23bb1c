#pragma once

#include "compile/program.h"

namespace cavs::inline v0_1 {

/// Turns a function that has been through all passes into instructions: gives every value a place in memory (what is
/// scattered, concatenated or accumulated is written where it belongs), fuses element-wise nodes of one level and row
/// domain, orders instructions by level and marks where the team must wait.
/// Block sizes, and what may be fused, are those of the program's target.
/// Fills the type's code, tensors, indices and outputs; adds to the program's sites and ports.
void lower(Program& program, std::int32_t type);

/// Sets Tensor::is_factor and the same of states, of a program that is lowered.
void mark_factors(Program& program);

}  // namespace cavs::inline v0_1
