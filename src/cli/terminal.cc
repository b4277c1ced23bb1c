#include "cli/terminal.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace cavs::cli {

bool can_draw_progress() {
  const char* kind = std::getenv("TERM");
  return spdlog::should_log(spdlog::level::info) && isatty(STDERR_FILENO) == 1 && kind != nullptr &&
         kind != std::string_view("dumb");
}

namespace {

/// Returns the part of a UTF-8 line that fits on one line of the terminal. A longer line could not be erased.
std::string_view shown_part(std::string_view line) {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return line;
  std::size_t end = 0;
  for (int columns = 0; end < line.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(line[end]) & 0xC0) != 0x80;
    if (begins && columns++ == size.ws_col - 1) break;
  }
  return line.substr(0, end);
}

}  // namespace

void redraw(const std::string& line) {
  fmt::print(stderr, "\r\x1b[K{}", shown_part(line));
  std::fflush(stderr);
}

ProgressOutput progress_output() {
  ProgressOutput output{.draw = nullptr, .line = [](const std::string& line) { spdlog::info(line); }};
  if (can_draw_progress()) output.draw = redraw;
  return output;
}

}  // namespace cavs::cli
