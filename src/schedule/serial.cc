#include "schedule/policies.h"

namespace cavs::inline v0_1 {
namespace {

// One vertex per task: the unbatched baseline on the same engine (Cavs, section 5.1).
class SerialPolicy : public Policy {
 public:
  Choice choose(const Frontier& frontier) override {
    const auto lowest = [](const Frontier::Type& type) { return -type.first_level; };
    return {ready_type_of_most(frontier, lowest), 1};
  }
};

}  // namespace

std::unique_ptr<Policy> make_serial() { return std::make_unique<SerialPolicy>(); }

}  // namespace cavs::inline v0_1
