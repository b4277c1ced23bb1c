#include "schedule/policies.h"

namespace cavs {

// Cavs, section 3.2: breadth-first, a task a level and type.
Choice choose_frontier(const Frontier& frontier) {
  Choice choice{-1, 0, true};
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(frontier.types.size()); ++t) {
    const Frontier::Type& type = frontier.types[t];
    if (type.ready == 0) continue;
    if (choice.type < 0 || type.first_level < frontier.types[choice.type].first_level) choice.type = t;
  }
  return choice;
}

}  // namespace cavs
