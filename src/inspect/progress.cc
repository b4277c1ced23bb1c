#include <fmt/format.h>

#include <utility>

#include "cavs/fit.h"
#include "support/progress_bar.h"

namespace cavs::inline v0_1 {
namespace {

constexpr auto kPause = std::chrono::milliseconds(100);         // time between two drawings of the bar
constexpr auto kLongPause = std::chrono::milliseconds(10'000);  // time between two lines, if the output is no terminal

/// Returns text such as "1:05" or "2:03:09".
std::string clock_time(double seconds) {
  const auto s = static_cast<std::int64_t>(seconds + 0.5);
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace

Progress::Progress(std::int64_t steps_per_epoch, std::int64_t epochs, std::int64_t steps_done, ProgressOutput output)
    : steps_per_epoch_(steps_per_epoch),
      epochs_(epochs),
      done_(steps_done),
      first_(steps_done),
      output_(std::move(output)),
      start_(Clock::now()),
      last_shown_(output_.draw ? start_ - kPause : start_) {}

void Progress::step(const TrainStep& step) {
  ++done_;
  samples_ += step.samples;
  labels_ += step.labels;
  loss_sum_ += step.loss_sum;
  const auto now = Clock::now();
  if (now - last_shown_ < (output_.draw ? kPause : kLongPause)) return;
  last_shown_ = now;
  show(now);
}

void Progress::show(Clock::time_point now) {
  const std::int64_t in_epoch = (done_ - 1) % steps_per_epoch_ + 1;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double left =
      seconds / static_cast<double>(done_ - first_) * static_cast<double>(steps_per_epoch_ * epochs_ - done_);
  const std::string numbers =
      fmt::format("{:.0f} samples/s  loss {:.4f}  {} left", static_cast<double>(samples_) / seconds,
                  labels_ == 0 ? 0 : loss_sum_ / static_cast<double>(labels_), clock_time(left));
  const std::int64_t epoch = (done_ - 1) / steps_per_epoch_ + 1;
  if (!output_.draw)
    return output_.line(
        fmt::format("epoch {}/{}  step {}/{}  {}", epoch, epochs_, in_epoch, steps_per_epoch_, numbers));
  const double share = static_cast<double>(in_epoch) / static_cast<double>(steps_per_epoch_);
  output_.draw(
      fmt::format("epoch {}/{} ▕{}▏ {:3.0f} %  {}", epoch, epochs_, progress_bar(share), share * 100, numbers));
  shown_ = true;
}

void Progress::end_epoch() {
  clear();
  labels_ = 0;
  loss_sum_ = 0;
}

void Progress::clear() {
  if (shown_) output_.draw("");
  shown_ = false;
}

}  // namespace cavs::inline v0_1
