#include "schedule/policies.h"

namespace cavs::inline v0_1 {
namespace {

// ED-Batch's sufficient condition for a shortest schedule, used as a heuristic (ED-Batch, Lemma 2.1 and section 5.3).
class RatioPolicy : public Policy {
 public:
  Choice choose(const Frontier& frontier) override { return {type_of_best_ratio(frontier)}; }
  bool needs_own_frontier() const override { return true; }
};

}  // namespace

std::unique_ptr<Policy> make_ratio() { return std::make_unique<RatioPolicy>(); }

}  // namespace cavs::inline v0_1
