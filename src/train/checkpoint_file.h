#pragma once

#include "cavs/checkpoint.h"
#include "train/safetensors.h"

namespace cavs::inline v0_1 {

/// Reads the checkpoint of a safetensors file. @throws UserError if it is not a checkpoint, altered, or of a newer
/// version.
Checkpoint checkpoint_from(const Safetensors& file);

}  // namespace cavs::inline v0_1
