#pragma once

#include <string>

#include "cavs/checkpoint.h"
#include "cavs/policy.h"

namespace cavs::cli {

/// load_checkpoint and load_policy. Where the file is something else, the error also says which command writes one.
Checkpoint read_checkpoint(const std::string& path, Job* job = nullptr);  // with ranks, rank 0 reads it
LearnedPolicy read_policy(const std::string& path);

}  // namespace cavs::cli
