#include "cli/sample_progress.h"

#include <fmt/format.h>

#include "cli/terminal.h"
#include "support/progress_bar.h"

namespace cavs::cli {
namespace {

constexpr auto kBetweenBars = std::chrono::milliseconds(100);

}  // namespace

SampleProgress::SampleProgress()
    : terminal_(can_draw_progress()), start_(Clock::now()), last_shown_(start_ - kBetweenBars) {}

void SampleProgress::add(std::int64_t samples, double share) {
  samples_ += samples;
  const auto now = Clock::now();
  if (!terminal_ || now - last_shown_ < kBetweenBars) return;
  last_shown_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  redraw(fmt::format("▕{}▏ {:3.0f} %  {} samples  {:.0f} samples/s", progress_bar(share), share * 100, samples_,
                     static_cast<double>(samples_) / seconds));
  shown_ = true;
}

void SampleProgress::clear() {
  if (shown_) redraw("");
  shown_ = false;
}

}  // namespace cavs::cli
