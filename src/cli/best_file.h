#pragma once

#include <cstdint>
#include <string>

#include "cavs/checkpoint.h"

namespace cavs::cli {

/// Returns true if the --save-best file exists and has the best epoch of the resumed training.
/// @param resumed  the checkpoint that training resumes from   @param best  its best epoch, from 1; 0 means none yet
/// @throws UserError, unless the file may be overwritten, if it is not a checkpoint, or is a checkpoint of another
/// training (with another model, seed or losses) or of another epoch.
bool has_best_file(const std::string& path, const Checkpoint& resumed, std::int64_t best, bool overwrite);

}  // namespace cavs::cli
