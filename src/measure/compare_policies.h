#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cavs/inspect.h"
#include "cavs/policy.h"

namespace cavs::inline v0_1 {

/// The results of one policy on a minibatch.
struct PolicyFigures {
  std::string policy, encoding;  // encoding of states, for policy `fsm`; else empty
  std::int64_t tasks = 0;
  double ns_per_vertex = 0;  // scheduling time per vertex in nanoseconds, best of several runs
  double learn_seconds = 0;
  std::int64_t fallbacks = 0;  // tasks that were chosen in states that `fsm` has not learned
};

/// Measures every policy, and policy `fsm` with every encoding, after learning on the data set of the minibatch.
/// Cost: LearnOptions::trials schedules per encoding.
std::vector<PolicyFigures> compare_policies(const std::string& model, const std::shared_ptr<const Program>& program,
                                            const std::shared_ptr<const BoundGraphs>& graphs,
                                            std::span<const std::int32_t> samples, const LearnOptions& options);

}  // namespace cavs::inline v0_1
