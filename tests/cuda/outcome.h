#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "cuda/persistent_step.h"
#include "helpers/compare.h"

// Expected outcomes of a step of the persistent kernel.

namespace cavs::cuda {

inline StepOptions sgd(float clip_norm = 0) {
  StepOptions options;
  options.optimizer = optimizer_defaults("sgd");
  options.optimizer.lr = 0.1;
  options.clip_norm = clip_norm;
  return options;
}

inline void expect_same_bits(const StepOutcome& found, const StepOutcome& expected, const Parameters& parameters) {
  EXPECT_EQ(found.result.loss, expected.result.loss);
  EXPECT_EQ(found.result.norm, expected.result.norm);
  for (int p = 0; p < parameters.size(); ++p) {
    cavs::expect_same_bits(found.gradients.values(p), expected.gradients.values(p),
                           "gradient of " + parameters.info(p).name);
    cavs::expect_same_bits(found.parameters[p], expected.parameters[p], parameters.info(p).name);
  }
}

constexpr double kRounding = 0.1;  // for gradients of small networks in bf16

/// Norm of the difference divided by the norm of the expected values.
inline double error(std::span<const float> found, std::span<const float> expected) {
  double length = 0, difference = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    length += double{expected[i]} * double{expected[i]};
    difference += (double{found[i]} - double{expected[i]}) * (double{found[i]} - double{expected[i]});
  }
  return std::sqrt(length == 0 ? difference : difference / length);
}

/// Checks law 1. In bf16 the bound is the effect of rounding on the gradients of small networks.
inline void expect_numbers_of_reference(const StepOutcome& found, const Result& reference, std::size_t samples,
                                        const StepOptions& options, Precision precision, Parameters& parameters) {
  const bool is_bf16 = precision == Precision::kBf16;
  EXPECT_EQ(found.result.updated, 1U);
  EXPECT_NEAR(found.result.loss / static_cast<double>(samples), reference.loss,
              (is_bf16 ? kRounding : 1e-5) * std::abs(reference.loss));
  const std::vector<std::vector<float>> before = [&] {
    std::vector<std::vector<float>> all;
    for (int p = 0; p < parameters.size(); ++p)
      all.emplace_back(parameters.values(p).begin(), parameters.values(p).end());
    return all;
  }();
  Optimizer(options.optimizer, parameters).step(parameters, reference.gradients);
  for (int p = 0; p < parameters.size(); ++p) {
    const std::string& name = parameters.info(p).name;
    if (is_bf16) {
      EXPECT_LT(error(found.gradients.values(p), reference.gradients.values(p)), kRounding) << "gradient of " << name;
      EXPECT_LT(error(found.parameters[p], parameters.values(p)), kRounding) << name;
    } else {
      expect_close(found.gradients.values(p), reference.gradients.values(p), "gradient of " + name);
      expect_close(found.parameters[p], parameters.values(p), name);
    }
    std::ranges::copy(before[static_cast<std::size_t>(p)], parameters.values(p).begin());
  }
}

}  // namespace cavs::cuda
