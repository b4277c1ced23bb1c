#include "update/adam_rule.h"

namespace cavs::inline v0_1 {

constinit const OptimizerDef kAdamW{
    .name = "adamw",
    .doc = "w *= 1 - lr * weight_decay, then as adam without weight decay.",
    .options = kAdamOptions,
    .set_defaults = [](OptimizerOptions& o) { o.weight_decay = 1e-2; },
    .slots = [](const OptimizerOptions&) { return std::span<const std::string_view>(kAdamSlots); },
    .initial_state = [](const OptimizerOptions&) { return 0.0F; },
    .skips_zero_gradients = [](const OptimizerOptions&) { return false; },
    .scalars =
        [](const OptimizerOptions& o, double rate, std::int64_t step, StepScalars& s) {
          adam_scalars(o, rate, step, s);
          s.decay = static_cast<float>(1 - rate * o.weight_decay);
        },
    .update = vectorised<adam_rule<true>>,
};

}  // namespace cavs::inline v0_1
