#include "cli/input_lines.h"

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <system_error>

#include "data/text.h"
#include "support/check.h"

namespace cavs::cli {

void check_input() {
  user_check(std::ferror(stdin) == 0, "stdin cannot be read: {}; expected samples, a line each",
             std::generic_category().message(errno));
}

std::vector<std::string> next_input_lines(std::int64_t max, std::int64_t read) {
  std::vector<std::string> lines;
  for (std::string line; std::ssize(lines) < max && std::getline(std::cin, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.emplace_back(checked_text(line, "stdin", read + std::ssize(lines) + 1));
  }
  check_input();
  return lines;
}

}  // namespace cavs::cli
