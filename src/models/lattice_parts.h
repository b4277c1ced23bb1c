#pragma once

#include "models/model_list.h"

namespace cavs::inline v0_1 {

/// "position" of a lattice: its states are the means of those of the arcs that end there
/// (ED-Batch's benchmark: the sums), and it has a tag.
/// `cells`: arcs scatter "c", too.
void declare_position(Model& m, const ModelConfig& config, bool cells);

}  // namespace cavs::inline v0_1
