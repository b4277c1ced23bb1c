#include "train/stop_training.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "support/check.h"

namespace cavs::inline v0_1 {

void stop_training(const TrainOptions& options, const Checkpoint::Position& position, double loss,
                   const std::optional<Run>& run, const Gradients& gradients, const Parameters& parameters) {
  std::string where = run ? run->find_not_finite() : "";
  for (int p = 0; where.empty() && p < parameters.size(); ++p)
    if (!gradients.is_deferred(p) &&
        !std::ranges::all_of(gradients.values(p), [](float x) { return std::isfinite(x); }))
      where = fmt::format("the gradient of parameter '{}' is not finite", parameters.info(p).name);
  user_error(
      "training stopped in epoch {}, minibatch {} (step {}): the loss is {}; {}; this step did not change the "
      "parameters; lower the learning rate, or clip gradients",
      position.epoch + 1, position.sample / options.batch_size + 1, position.step + 1,
      std::isnan(loss) ? std::numeric_limits<double>::quiet_NaN() : loss,  // a NaN may be negative
      where.empty() ? "a gradient is not finite" : where);
}

}  // namespace cavs::inline v0_1
