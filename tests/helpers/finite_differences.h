#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "compile/plain_functions.h"
#include "execute/reference/interpreter.h"
#include "helpers/evaluate.h"

namespace cavs {

inline Minibatch packed(const BoundGraphs& graphs, std::span<const std::int32_t> samples) {
  Minibatch minibatch;
  minibatch.clear(graphs);
  for (std::int32_t sample : samples) minibatch.add(sample);
  return minibatch;
}

/// Compares the reference engine's float64 gradient of the loss with central differences along random directions in
/// each parameter. The reference engine evaluates the functions as they were declared.
inline void expect_gradients_match_differences(const Bench& bench, std::span<const std::int32_t> samples,
                                               const std::string& what, int directions = 2, double step = 1e-5) {
  const Minibatch minibatch = packed(*bench.bound, samples);
  const std::vector<Function> functions = plain_functions(*bench.program);
  reference::Interpreter run(functions, *bench.parameters, minibatch, {});
  const auto loss = [&] {
    run.forward(1.0 / static_cast<double>(samples.size()));
    return run.loss_sum() / static_cast<double>(samples.size());
  };
  const double scale = std::max(1.0, std::abs(loss()));
  ASSERT_TRUE(std::isfinite(scale)) << what;
  Gradients ignored(*bench.parameters);
  run.backward(ignored, {});
  const auto gradients = run.gradients();
  for (int p = 0; p < bench.parameters->size(); ++p)
    for (int k = 0; k < directions; ++k) {
      Numbers numbers(static_cast<std::uint64_t>(100 * p + k + 7));
      const std::vector<double> at = run.parameter(p);
      std::vector<double> up = at, down = at;
      double expected = 0;
      for (std::size_t i = 0; i < at.size(); ++i) {
        const double direction = numbers.uniform(-1, 1);
        up[i] += step * direction;
        down[i] -= step * direction;
        expected += gradients[p][i] * direction;
      }
      run.set_parameter(p, up);
      const double above = loss();
      run.set_parameter(p, down);
      const double difference = (above - loss()) / (2 * step);
      run.set_parameter(p, at);
      EXPECT_NEAR(expected, difference, 1e-6 * std::abs(difference) + 1e-8 * scale)
          << what << ", parameter '" << bench.parameters->info(p).name << "', direction " << k;
    }
}

}  // namespace cavs
