#pragma once

#include <string>

#include "cavs/checkpoint.h"
#include "cavs/policy.h"

namespace cavs::cli {

/// Like load_checkpoint() and load_policy(), but errors also name the command that writes such a file.
/// With a job, rank 0 reads the checkpoint for all ranks.
Checkpoint read_checkpoint(const std::string& path, Job* job = nullptr);
LearnedPolicy read_policy(const std::string& path);

}  // namespace cavs::cli
