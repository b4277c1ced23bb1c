#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "cavs/policy.h"
#include "schedule/policy.h"

namespace cavs::inline v0_1 {

/// A state of the frontier: the types that have ready vertices, in the order that the encoding gives them, then the
/// number of the phase, or 0 if the encoding has no phases.
using FrontierState = std::vector<std::int32_t>;

struct FrontierStateHash {
  std::size_t operator()(const FrontierState& state) const;
};

/// Encodes frontiers as states (ED-Batch, section 2.3). Cost: quadratic in the ready types. In the steady state
/// allocates nothing.
class StateEncoder {
 public:
  explicit StateEncoder(const LearnOptions& options) : encoding_(options.encoding), phases_(options.phases) {}
  /// Returns the state of a frontier. The reference is valid until the next call.
  const FrontierState& encode(const Frontier& frontier);

 private:
  StateEncoding encoding_;
  std::int64_t phases_;
  FrontierState state_;
};

/// @throws UserError if an option is out of range; the message starts with `where`.
void check_learning(const LearnOptions& options, const std::string& where);

/// Executes a learned policy.
class FsmPolicy : public Policy {
 public:
  explicit FsmPolicy(const LearnedPolicy& policy);
  Choice choose(const Frontier& frontier) override;
  bool needs_own_frontier() const override { return true; }
  std::int64_t fallbacks() const override { return fallbacks_; }

 private:
  StateEncoder encoder_;
  std::unordered_map<FrontierState, std::int32_t, FrontierStateHash> next_;
  std::int64_t fallbacks_ = 0;
};

}  // namespace cavs::inline v0_1
