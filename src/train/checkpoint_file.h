#pragma once

#include "cavs/checkpoint.h"
#include "train/safetensors.h"

namespace cavs::inline v0_1 {

/// The checkpoint in a safetensors file. @throws UserError if it is none, was altered, or is of a newer version.
Checkpoint checkpoint_from(const Safetensors& file);

}  // namespace cavs::inline v0_1
