#pragma once

#include "cavs/trainer.h"

namespace cavs::inline v0_1 {

/// The same options. @throws UserError naming the first that is out of range, or too few minibatches for the ranks
TrainOptions checked(TrainOptions options);

}  // namespace cavs::inline v0_1
