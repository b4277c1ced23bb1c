#include "cli/input_lines.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iostream>
#include <system_error>

#include "support/check.h"
#include "support/utf8.h"

namespace cavs::cli {

void check_input() {
  user_check(std::ferror(stdin) == 0, "stdin cannot be read: {}; expected one sample per line",
             std::generic_category().message(errno));
}

InputLines::InputLines() : in_(std::cin), name_("stdin") {}
InputLines::InputLines(const std::string& path, std::int64_t limit)
    : file_(std::make_unique<TextFile>(path)), in_(file_->stream()), name_(path), limit_(limit) {}

double InputLines::share() const { return file_ == nullptr ? 0 : file_->share(); }

std::vector<std::string> InputLines::next(std::int64_t most) {
  std::vector<std::string> errors, lines = next(most, errors);
  for (const std::string& error : errors) user_check(error.empty(), "{}", error);
  return lines;
}

std::vector<std::string> InputLines::next(std::int64_t most, std::vector<std::string>& errors) {
  if (limit_ > 0) most = std::min(most, limit_ - read_);
  std::vector<std::string> lines;
  errors.clear();
  for (std::string line; std::ssize(lines) < most && std::getline(in_, line);) {
    if (line.ends_with('\r')) line.pop_back();
    errors.emplace_back();
    try {
      lines.emplace_back(checked_text(line, name_, read_ + std::ssize(lines) + 1));
    } catch (const UserError& error) {
      lines.emplace_back();
      errors.back() = error.what();
    }
  }
  if (file_ == nullptr) check_input();
  read_ += std::ssize(lines);
  return lines;
}

}  // namespace cavs::cli
