#include "train/check_options.h"

#include <fmt/format.h>

#include <cmath>

#include "support/check.h"
#include "train/batches.h"

namespace cavs::inline v0_1 {
namespace {

/// Checks that every rank has at least one minibatch per step.
void check_shares(const TrainOptions& options) {
  const std::int64_t ranks = options.job == nullptr ? 1 : options.job->ranks(), samples = samples_per_step(options);
  if (ranks <= options.accumulate) return;
  const std::string as_now =
      samples % ranks == 0
          ? fmt::format(", or accumulate to {} and batch_size to {} ({}, as now)", ranks, samples / ranks, samples)
          : "";
  user_error(
      "a step has {} minibatch{}, but {} ranks share the minibatches of a step; set accumulate to {} ({} samples per "
      "step){}",
      options.accumulate, options.accumulate == 1 ? "" : "es", ranks, ranks, ranks * options.batch_size, as_now);
}

}  // namespace

TrainOptions checked(TrainOptions options) {
  user_check(options.batch_size >= 1, "the batch size is {}; expected at least 1", options.batch_size);
  user_check(options.buckets >= 0 && (options.buckets == 0 || options.shuffle),
             "buckets is {} with shuffle {}; expected 0 (none) or more, and shuffled samples", options.buckets,
             options.shuffle ? "on" : "off");
  user_check(std::isfinite(options.clip_norm) && options.clip_norm >= 0, "clip_norm is {}; expected 0 (none) or more",
             options.clip_norm);
  user_check(options.accumulate >= 1, "{} minibatches per step; expected at least 1", options.accumulate);
  check_shares(options);
  user_check(options.ema >= 0 && options.ema < 1, "the decay of averages is {}; expected 0 (none) to below 1",
             options.ema);
  return options;
}

}  // namespace cavs::inline v0_1
