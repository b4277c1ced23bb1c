#pragma once

#include <cmath>

#include "update/optimizer_def.h"
#include "update/vectorised.h"

/// The common part of Adam and AdamW, which differ only in the weight decay.
namespace cavs::inline v0_1 {

inline constexpr std::string_view kAdamOptions[] = {"beta1", "beta2", "eps"};
inline constexpr std::string_view kAdamSlots[] = {"exp_avg", "exp_avg_sq"};

template <bool decoupled>
CAVS_LOOP_BODY void adam_rule(const StepScalars& s, const UpdateRange& r) {
  float* __restrict value = r.value;
  float* __restrict mean = r.slots[0];
  float* __restrict square = r.slots[1];
  const float* __restrict gradient = r.gradient;
  const float scale = s.gradient_scale, rate = s.rate, decay = s.decay, eps = s.eps;
  const float beta1 = s.beta1, one_minus_beta1 = s.one_minus_beta1;
  const float beta2 = s.beta2, one_minus_beta2 = s.one_minus_beta2, root_correction2 = s.root_correction2;
  for (std::int64_t i = 0; i < r.count; ++i) {
    const float w = decoupled ? value[i] * decay : value[i];
    const float g = decoupled ? gradient[i] * scale : gradient[i] * scale + decay * w;
    mean[i] = beta1 * mean[i] + one_minus_beta1 * g;
    square[i] = beta2 * square[i] + one_minus_beta2 * g * g;
    value[i] = w - rate * mean[i] / (std::sqrt(square[i]) / root_correction2 + eps);
  }
}

inline void adam_scalars(const OptimizerOptions& o, double rate, std::int64_t step, StepScalars& s) {
  const double n = static_cast<double>(step);
  s.rate = static_cast<float>(rate / (1 - std::pow(o.beta1, n)));
  s.beta1 = static_cast<float>(o.beta1);
  s.one_minus_beta1 = static_cast<float>(1 - o.beta1);
  s.beta2 = static_cast<float>(o.beta2);
  s.one_minus_beta2 = static_cast<float>(1 - o.beta2);
  s.root_correction2 = static_cast<float>(std::sqrt(1 - std::pow(o.beta2, n)));
  s.eps = static_cast<float>(o.eps);
}

}  // namespace cavs::inline v0_1
