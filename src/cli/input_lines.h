#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cavs::cli {

/// The next lines of standard input, `most` or, at its end, fewer. `read`: lines before them.
/// @throws UserError naming the line that is not UTF-8.
std::vector<std::string> next_input_lines(std::int64_t most, std::int64_t read);

}  // namespace cavs::cli
