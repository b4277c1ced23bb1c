#pragma once

#include <cstdint>
#include <string>

#include "cavs/checkpoint.h"

namespace cavs::cli {

/// True if the --save-best file exists and holds the best epoch of the resumed training.
/// @param resumed  the checkpoint that training resumes from   @param best  its best epoch, from 1; 0 means none yet
/// @throws UserError if the file is not a checkpoint, or is a checkpoint of another training (model, seed or losses
/// differ) or of another epoch; unless it may be overwritten.
bool has_best_file(const std::string& path, const Checkpoint& resumed, std::int64_t best, bool overwrite);

}  // namespace cavs::cli
