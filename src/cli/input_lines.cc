#include "cli/input_lines.h"

#include <iostream>

#include "data/text.h"

namespace cavs::cli {

std::vector<std::string> next_input_lines(std::int64_t most, std::int64_t read) {
  std::vector<std::string> lines;
  for (std::string line; std::ssize(lines) < most && std::getline(std::cin, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.emplace_back(checked_text(line, "stdin", read + std::ssize(lines) + 1));
  }
  return lines;
}

}  // namespace cavs::cli
