#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cavs::cli {

/// @throws UserError if standard input ended because it could not be read; right after a read.
void check_input();

/// The next lines of standard input, `max` or, at its end, fewer. `read`: lines before them.
/// @throws UserError naming the line that is not UTF-8, or if standard input cannot be read.
std::vector<std::string> next_input_lines(std::int64_t max, std::int64_t read);

}  // namespace cavs::cli
