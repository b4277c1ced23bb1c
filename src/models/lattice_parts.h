#pragma once

#include "models/model_list.h"

namespace cavs::inline v0_1 {

/// Declares the vertex function "position" of a lattice. Its states are the means of the states of the arcs that end at
/// the position (the sums in ED-Batch's benchmark), and it predicts a tag. @param cells  True if arcs also scatter "c".
void declare_position(Model& m, const ModelConfig& config, bool cells);

}  // namespace cavs::inline v0_1
