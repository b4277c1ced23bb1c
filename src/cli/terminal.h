#pragma once

#include <string>

#include "cavs/fit.h"

namespace cavs::cli {

/// True if standard error is a terminal on which a line can be erased, and --quiet was not given.
bool can_draw_progress();

/// Prints a line on standard error in place of the line that was printed last.
void redraw(const std::string& line);

/// Returns an output for progress on standard error: a bar if it can be drawn, else lines of the log.
ProgressOutput progress_output();

}  // namespace cavs::cli
