#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cavs/inspect.h"
#include "cavs/policy.h"

namespace cavs::inline v0_1 {

/// What a policy makes of a minibatch.
struct PolicyFigures {
  std::string policy, encoding;  // encoding: of `fsm`
  std::int64_t tasks = 0;
  double ns_a_vertex = 0;  // to schedule: the best of several times
  double learn_seconds = 0;
  std::int64_t fallbacks = 0;  // tasks that `fsm` had not learned about
};

/// Every policy, and `fsm` with every encoding, learned on the data that the minibatch is of.
/// Cost: learning takes LearnOptions::trials schedules for each encoding.
std::vector<PolicyFigures> compare_policies(const std::string& model, const std::shared_ptr<const Program>& program,
                                            const std::shared_ptr<const BoundGraphs>& graphs,
                                            std::span<const std::int32_t> samples, const LearnOptions& options);

}  // namespace cavs::inline v0_1
