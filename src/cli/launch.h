#pragma once

#include "cli/ranks.h"

namespace cavs::cli {

/// Does the work in every process of the training: in this one alone, in --launch N copies of it, or as one of those
/// that mpirun has started. One process prints why the training has failed.
/// @throws UsageError where several processes were started in another way than the options say; what the work throws
void in_all_ranks(TrainArguments& arguments, const Work& work);

}  // namespace cavs::cli
