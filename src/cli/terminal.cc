#include "cli/terminal.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
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

void redraw(const std::string& line) {
  fmt::print(stderr, "\r\x1b[K{}", line);
  std::fflush(stderr);
}

ProgressOutput progress_output() {
  ProgressOutput output{.draw = nullptr, .line = [](const std::string& line) { spdlog::info(line); }};
  if (can_draw_progress()) output.draw = redraw;
  return output;
}

}  // namespace cavs::cli
