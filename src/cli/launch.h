#pragma once

#include <functional>
#include <memory>

#include "cavs/distributed.h"
#include "cli/training.h"

namespace cavs::cli {

/// Calls work(job) in every process of the training: in this one alone (null), in --launch N copies of it, or as one of
/// those that mpirun has started. One process prints why the training has failed.
/// @throws UsageError where several processes were started in another way than the options say; what work throws
void in_all_ranks(TrainArguments& arguments, const std::function<void(const std::shared_ptr<Job>&)>& work);

/// Processors that this process may use.
int available_processors();

}  // namespace cavs::cli
