#include "schedule/policies.h"

namespace cavs::inline v0_1 {
namespace {

// Breadth-first batching (Cavs, section 3.2): one task per level and type.
class FrontierPolicy : public Policy {
 public:
  Choice choose(const Frontier& frontier) override {
    const auto lowest = [](const Frontier::Type& type) { return -type.first_level; };
    return {ready_type_of_most(frontier, lowest), 0, true};
  }
  bool by_level() const override { return true; }
};

}  // namespace

std::unique_ptr<Policy> make_frontier() { return std::make_unique<FrontierPolicy>(); }

}  // namespace cavs::inline v0_1
