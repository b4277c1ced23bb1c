#include "update/adam_rule.h"

namespace cavs::inline v0_1 {

constinit const OptimizerDef kAdam{
    .name = "adam",
    .doc =
        "m = b1 * m + (1 - b1) * g, v = b2 * v + (1 - b2) * g * g, w -= lr * m' / (sqrt(v') + eps), where ' divides "
        "by 1 - b^t.",
    .options = kAdamOptions,
    .set_defaults = [](OptimizerOptions&) {},
    .slots = [](const OptimizerOptions&) { return std::span<const std::string_view>(kAdamSlots); },
    .initial_state = [](const OptimizerOptions&) { return 0.0F; },
    .skips_zero_gradients = [](const OptimizerOptions&) { return false; },
    .scalars =
        [](const OptimizerOptions& o, double rate, std::int64_t step, StepScalars& s) {
          adam_scalars(o, rate, step, s);
          s.decay = static_cast<float>(o.weight_decay);
        },
    .update = vectorised<adam_rule<false>>,
};

}  // namespace cavs::inline v0_1
