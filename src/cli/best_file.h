#pragma once

#include <cstdint>
#include <string>

#include "cavs/checkpoint.h"

namespace cavs::cli {

/// Whether the --save-best file is there, and resumed training goes on with it.
/// @param resumed  what training is resumed from   @param best  its best epoch, from 1; 0: none yet
/// @throws UserError if the file is no checkpoint, or one of another training (of another model, seed or losses) or
/// epoch; unless it may be overwritten.
bool has_best_file(const std::string& path, const Checkpoint& resumed, std::int64_t best, bool overwrite);

}  // namespace cavs::cli
