#include "update/optimizer_def.h"
#include "update/vectorised.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::string_view kSgdOptions[] = {"momentum", "nesterov"};
constexpr std::string_view kSgdSlots[] = {"momentum"};

CAVS_LOOP_BODY void descend(const StepScalars& s, const UpdateRange& r) {
  float* __restrict value = r.value;
  const float* __restrict gradient = r.gradient;
  const float scale = s.gradient_scale, rate = s.rate, decay = s.decay;
  for (std::int64_t i = 0; i < r.count; ++i) value[i] -= rate * (gradient[i] * scale + decay * value[i]);
}

CAVS_LOOP_BODY void descend_with_momentum(const StepScalars& s, const UpdateRange& r) {
  float* __restrict value = r.value;
  float* __restrict velocity = r.slots[0];
  const float* __restrict gradient = r.gradient;
  const float scale = s.gradient_scale, rate = s.rate, decay = s.decay, momentum = s.momentum;
  const bool nesterov = s.nesterov;
  for (std::int64_t i = 0; i < r.count; ++i) {
    const float g = gradient[i] * scale + decay * value[i];
    velocity[i] = momentum * velocity[i] + g;
    value[i] -= rate * (nesterov ? g + momentum * velocity[i] : velocity[i]);
  }
}

CAVS_LOOP_BODY void sgd(const StepScalars& s, const UpdateRange& r) {
  if (r.slots[0] == nullptr)
    descend(s, r);
  else
    descend_with_momentum(s, r);
}

}  // namespace

constinit const OptimizerDef kSgd{
    .name = "sgd",
    .doc = "w -= lr * g; with momentum m: v = m * v + g, w -= lr * v (nesterov: w -= lr * (g + m * v)).",
    .options = kSgdOptions,
    .set_defaults = [](OptimizerOptions&) {},
    .slots = [](const OptimizerOptions& o) { return std::span(kSgdSlots).first(o.momentum == 0 ? 0 : 1); },
    .initial_state = [](const OptimizerOptions&) { return 0.0F; },
    .skips_zero_gradients = [](const OptimizerOptions& o) { return o.momentum == 0 && o.weight_decay == 0; },
    .scalars =
        [](const OptimizerOptions& o, double rate, std::int64_t, StepScalars& s) {
          s.rate = static_cast<float>(rate);
          s.decay = static_cast<float>(o.weight_decay);
          s.momentum = static_cast<float>(o.momentum);
          s.nesterov = o.nesterov;
        },
    .update = vectorised<sgd>,
};

}  // namespace cavs::inline v0_1
