#pragma once

#include <string>

#include "cavs/fit.h"

namespace cavs::cli {

/// Whether standard error is a terminal on which a line can be erased, and --quiet was not given.
bool can_draw_progress();

/// Shows a line on standard error in place of the one before.
void redraw(const std::string& line);

/// Standard error: a bar where that can be drawn, lines of the log elsewhere.
ProgressOutput progress_output();

}  // namespace cavs::cli
