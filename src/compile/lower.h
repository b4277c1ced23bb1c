#pragma once

#include "compile/program.h"

namespace cavs::inline v0_1 {

/// Turns a function that has been through all passes into instructions. Gives every value memory (values that are
/// scattered, concatenated or accumulated are written to their final place), fuses element-wise nodes of one level and
/// domain, orders instructions by level and marks where the team must wait. Sizes of blocks, and what may be fused,
/// come from the program's target.
///
/// Fills the type's code, tensors, indices and outputs; appends to the program's sites and ports.
void lower(Program& program, std::int32_t type);

/// Sets Tensor::is_factor, State::is_factor and State::gradient_is_factor. Before: all types are lowered.
void mark_factors(Program& program);

}  // namespace cavs::inline v0_1
