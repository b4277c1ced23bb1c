#include <cmath>

#include "update/optimizer_def.h"
#include "update/vectorised.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::string_view kAdagradOptions[] = {"eps", "lr_decay", "initial_accumulator"};
constexpr std::string_view kAdagradSlots[] = {"sum"};

CAVS_LOOP_BODY void adagrad(const StepScalars& s, const UpdateRange& r) {
  float* __restrict value = r.value;
  float* __restrict sum = r.slots[0];
  const float* __restrict gradient = r.gradient;
  const float scale = s.gradient_scale, rate = s.rate, decay = s.decay, eps = s.eps;
  for (std::int64_t i = 0; i < r.count; ++i) {
    const float g = gradient[i] * scale + decay * value[i];
    sum[i] += g * g;
    value[i] -= rate * g / (std::sqrt(sum[i]) + eps);
  }
}

}  // namespace

constinit const OptimizerDef kAdagrad{
    .name = "adagrad",
    .doc = "s += g * g, w -= lr / (1 + t * lr_decay) * g / (sqrt(s) + eps).",
    .options = kAdagradOptions,
    .set_defaults =
        [](OptimizerOptions& o) {
          o.lr = 1e-2;
          o.eps = 1e-10;
        },
    .slots = [](const OptimizerOptions&) { return std::span<const std::string_view>(kAdagradSlots); },
    .initial_state = [](const OptimizerOptions& o) { return static_cast<float>(o.initial_accumulator); },
    // Without eps, a zero gradient would give 0 / 0.
    .skips_zero_gradients =
        [](const OptimizerOptions& o) { return o.weight_decay == 0 && static_cast<float>(o.eps) > 0; },
    .scalars =
        [](const OptimizerOptions& o, double rate, std::int64_t step, StepScalars& s) {
          s.rate = static_cast<float>(rate / (1 + static_cast<double>(step - 1) * o.lr_decay));
          s.decay = static_cast<float>(o.weight_decay);
          s.eps = static_cast<float>(o.eps);
        },
    .update = vectorised<adagrad>,
};

}  // namespace cavs::inline v0_1
