#pragma once

#include "cavs/trainer.h"

namespace cavs::inline v0_1 {

/// Returns the options. @throws UserError naming the first option out of range, or for fewer minibatches than ranks.
TrainOptions checked(TrainOptions options);

}  // namespace cavs::inline v0_1
