#pragma once

#include "cavs/trainer.h"

namespace cavs::inline v0_1 {

/// Returns the checked options. @throws UserError for the first option out of range, or if a rank has no minibatch.
TrainOptions checked(TrainOptions options);

}  // namespace cavs::inline v0_1
