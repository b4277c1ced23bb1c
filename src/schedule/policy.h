#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace cavs::inline v0_1 {

/// What a policy sees: the vertices that no task has taken yet, counted by type.
struct Frontier {
  struct Type {
    std::int32_t ready = 0;        // whose children are all done, in the order in which they became so
    std::int32_t first_level = 0;  // level of the first of these (their levels ascend under a level-wise policy)
    std::int32_t left = 0;         // all that remain
    std::int32_t own_ready = 0;    // of these: no child of the same type remains. Counted where a policy needs it
    std::int64_t level_sum = 0;    // of all that remain
  };
  std::span<const Type> types;
  std::int32_t vertices = 0;  // of the run so far
  std::int32_t left = 0;      // that no task has taken
};

/// The next task: the first vertices of one type's frontier.
struct Choice {
  std::int32_t type = 0;
  std::int32_t limit = 0;  // at most so many; 0: no limit
  bool one_level = false;  // only vertices of the first one's level
};

/// A batching policy: which of the vertices that are ready run together next. May keep state from task to task; used by
/// one scheduler at a time.
class Policy {
 public:
  virtual ~Policy() = default;
  /// At least one vertex is ready. Cost: independent of the number of vertices.
  virtual Choice choose(const Frontier& frontier) = 0;
  /// Whether Frontier::Type::own_ready is looked at, which costs a look at every edge.
  virtual bool needs_own_frontier() const { return false; }
  /// Choices so far that were left to `ratio`, as nothing was learned for the state.
  virtual std::int64_t fallbacks() const { return 0; }
  /// A task a level and type, lowest first: a closed run is sorted, nothing is chosen.
  virtual bool by_level() const { return false; }
};

/// One file and one line in policy_list.inc each.
struct PolicyDef {
  std::string_view name;
  std::string_view doc;
  std::unique_ptr<Policy> (*make)();  // null for what has to be learned
};

std::span<const PolicyDef> all_policies();
/// A policy that needs no learning. @throws UserError with a suggestion if there is none, or it has to be learned.
std::unique_ptr<Policy> make_policy(std::string_view name);

}  // namespace cavs::inline v0_1
