#pragma once

#include "cli/ranks.h"

namespace cavs::cli {

/// Does the work in every process of the training: in this process alone, in N copies of it (--launch N), or as one of
/// the processes that mpirun has started. If the training fails, one process prints the reason.
/// @throws UsageError if processes were started in another way than the options say; rethrows errors of the work
void in_all_ranks(TrainArguments& arguments, const Work& work);

}  // namespace cavs::cli
