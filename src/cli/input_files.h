#pragma once

#include <string>

#include "cavs/checkpoint.h"
#include "cavs/policy.h"

namespace cavs::cli {

/// load_checkpoint() and load_policy(), but errors also name the command that writes such a file.
Checkpoint read_checkpoint(const std::string& path, Job* job = nullptr);  // of several ranks, rank 0 reads the file
LearnedPolicy read_policy(const std::string& path);

}  // namespace cavs::cli
