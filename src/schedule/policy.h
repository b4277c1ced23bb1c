#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cavs {

/// What a policy sees: for each type, the vertices whose children are all done, in the order in which they became so.
struct Frontier {
  struct Type {
    std::int32_t ready = 0;        // vertices
    std::int32_t first_level = 0;  // level of the first of them (their levels ascend under a level-wise policy)
  };
  std::span<const Type> types;
};

/// The next task: the first vertices of one type's frontier.
struct Choice {
  std::int32_t type = 0;
  std::int32_t limit = 0;  // at most so many; 0: no limit
  bool one_level = false;  // only vertices of the first one's level
};

/// A batching policy: which of the vertices that are ready run together next. One file and one line in the list each.
struct Policy {
  std::string_view name;
  std::string_view doc;
  Choice (*choose)(const Frontier& frontier);
  bool by_level = false;  // a task a level and type, lowest first: a closed run is sorted, nothing is chosen
};

std::span<const Policy> all_policies();
/// @throws UserError with a suggestion if there is none.
const Policy& find_policy(std::string_view name);

}  // namespace cavs
