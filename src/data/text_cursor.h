#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/check.h"
#include "support/utf8.h"

namespace cavs::inline v0_1 {

/// Reads a text token by token, and counts lines, for readers of bracketed formats.
class TextCursor {
 public:
  TextCursor(std::string_view text, std::string_view brackets, const std::string& name, std::int64_t first_line)
      : text_(text), brackets_(brackets), name_(name), line_(first_line) {}

  /// Skips blanks. A byte order mark counts as a blank, because concatenated files have such marks inside.
  void skip_space() {
    for (;;) {
      while (at_ < text_.size() && is_space(text_[at_])) line_ += text_[at_++] == '\n' ? 1 : 0;
      if (!text_.substr(at_).starts_with(kByteOrderMark)) return;
      at_ += kByteOrderMark.size();
    }
  }
  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return text_[at_]; }
  bool at_bracket() const { return brackets_.find(peek()) != brackets_.npos; }
  void skip() { ++at_; }
  std::int64_t line() const { return line_; }

  /// Consumes and returns the text up to the next space or bracket.
  std::string_view take_token() {
    const std::size_t begin = at_;
    while (!at_end() && !is_space(peek()) && !at_bracket()) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  template <typename... Args>
  [[noreturn]] void fail_at(std::int64_t line, fmt::format_string<Args...> format, Args&&... args) const {
    throw UserError(fmt::format("{}:{}: {}", name_, line, fmt::format(format, std::forward<Args>(args)...)));
  }
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    fail_at(line_, format, std::forward<Args>(args)...);
  }

 private:
  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  std::string_view text_, brackets_;
  const std::string& name_;
  std::int64_t line_;
  std::size_t at_ = 0;
};

}  // namespace cavs::inline v0_1
