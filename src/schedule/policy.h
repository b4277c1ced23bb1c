#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace cavs::inline v0_1 {

/// Input of a policy: the vertices that no task has taken yet, counted by type.
struct Frontier {
  struct Type {
    std::int32_t ready = 0;        // number of vertices whose children are all done
    std::int32_t first_level = 0;  // level of the vertex that became ready first
    std::int32_t left = 0;         // number of untaken vertices, which no task has taken
    std::int32_t own_ready = 0;  // untaken vertices without an untaken child of the same type; see needs_own_frontier()
    std::int64_t level_sum = 0;  // sum of the levels of all untaken vertices
  };
  std::span<const Type> types;
  std::int32_t vertices = 0;  // number of vertices of the run so far
  std::int32_t left = 0;      // number of untaken vertices
};

/// The next task: the vertices of one type that became ready first.
struct Choice {
  std::int32_t type = 0;
  std::int32_t limit = 0;  // largest number of vertices of the task; 0 for no limit
  bool one_level = false;  // true to take only vertices on the level of the first vertex
};

/// A batching policy chooses which ready vertices run together next. It may keep state from task to task, and serves
/// one scheduler at a time.
class Policy {
 public:
  virtual ~Policy() = default;
  /// Chooses the next task. At least one vertex is ready. Cost: independent of the number of vertices.
  virtual Choice choose(const Frontier& frontier) = 0;
  /// True if the policy reads Frontier::Type::own_ready, whose counting visits every edge.
  virtual bool needs_own_frontier() const { return false; }
  /// Returns how often the policy chose as policy `ratio` does, because no rule was learned for the state.
  virtual std::int64_t fallbacks() const { return 0; }
  /// True if the policy takes one task per level and type, lowest level first. The schedule of graphs to which none is
  /// added is then made by sorting, without calls of choose().
  virtual bool by_level() const { return false; }
};

/// A policy: one file, and one line in policy_list.inc.
struct PolicyDef {
  std::string_view name;
  std::string_view doc;
  std::unique_ptr<Policy> (*make)();  // nullptr for a policy that has to be learned
};

std::span<const PolicyDef> all_policies();
/// Makes a policy that needs no learning. @throws UserError, with a suggestion, for an unknown policy or one that has
/// to be learned.
std::unique_ptr<Policy> make_policy(std::string_view name);

}  // namespace cavs::inline v0_1
