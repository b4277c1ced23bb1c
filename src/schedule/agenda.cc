#include "schedule/policies.h"

namespace cavs::inline v0_1 {
namespace {

// DyNet's agenda (Neubig et al., NIPS 2017, section 3.2): chooses the type whose remaining vertices have the lowest
// average depth.
class AgendaPolicy : public Policy {
 public:
  Choice choose(const Frontier& frontier) override {
    return {ready_type_of_most(
        frontier, [](const Frontier::Type& type) { return -static_cast<double>(type.level_sum) / type.left; })};
  }
};

}  // namespace

std::unique_ptr<Policy> make_agenda() { return std::make_unique<AgendaPolicy>(); }

}  // namespace cavs::inline v0_1
