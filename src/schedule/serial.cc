#include "schedule/policies.h"

namespace cavs {

// One vertex a task: the unbatched baseline on the same engine (Cavs, section 5.1).
Choice choose_serial(const Frontier& frontier) {
  Choice choice = choose_frontier(frontier);
  choice.limit = 1;
  return choice;
}

}  // namespace cavs
