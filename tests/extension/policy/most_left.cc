#include "schedule/policies.h"

namespace cavs::inline v0_1 {
namespace {

// Chooses the type with the most remaining vertices.
class MostLeftPolicy : public Policy {
 public:
  Choice choose(const Frontier& frontier) override {
    return {ready_type_of_most(frontier, [](const Frontier::Type& type) { return type.left; })};
  }
};

}  // namespace

std::unique_ptr<Policy> make_most_left() { return std::make_unique<MostLeftPolicy>(); }

}  // namespace cavs::inline v0_1
