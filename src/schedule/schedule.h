#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pack/minibatch.h"
#include "schedule/policy.h"

namespace cavs::inline v0_1 {

/// Vertices of one type that are evaluated together: V_t in the Cavs paper. Each is a row of the type's tensors.
struct Task {
  std::int32_t type = 0;
  std::int32_t begin = 0, end = 0;  // [begin, end): its rows within the type
  bool operator==(const Task&) const = default;
};

/// The ordered tasks of a minibatch and the row of every vertex. A type's rows are contiguous and in task order, so
/// every task is a contiguous block of rows. Row in the states = type_begin[type] + row within the type.
struct Schedule {
  std::vector<Task> tasks;
  std::vector<std::int32_t> type_begin;  // [types + 1] first row of the type in the states
  std::vector<std::int32_t> row;         // [V] row of the vertex in the states
  std::vector<std::int32_t> vertex;      // [V] vertex of the row in the states
};

/// Makes a schedule task by task. Graphs may be added between tasks. Cost: linear in vertices + edges. Arrays are
/// reused from one minibatch to the next.
class Scheduler {
 public:
  /// Starts an empty run of `types` types. `own_frontier` must be true if a policy will read Frontier::Type::own_ready.
  void reset(std::int32_t types, bool own_frontier = false);
  /// Adds the minibatch's vertices from number `first` on. If no graph is added later, these are all vertices.
  void add(const Minibatch& minibatch, std::int32_t first = 0);
  /// Sets `task` to the next task. Returns false if no vertex is ready. `vertices(task)` lists the task's vertices.
  bool next(const Minibatch& minibatch, Policy& policy, Task& task);
  std::span<const std::int32_t> vertices(const Task& task) const;
  /// Marks a task as done: parents whose children are all done become ready.
  void retire(const Minibatch& minibatch, const Task& task);
  /// Returns the number of vertices that no task has taken.
  std::int32_t waiting() const { return left_; }
  std::int64_t tasks() const { return static_cast<std::int64_t>(tasks_.size()); }
  /// Writes the run so far to `schedule`.
  void record(Schedule& schedule) const;
  /// Makes the whole schedule of a policy that goes by levels, with two counting sorts, as all levels are known.
  void sort_by_level(const Minibatch& minibatch, Schedule& schedule);

 private:
  std::span<const Frontier::Type> offered(const Minibatch& m);
  void add_parents(const Minibatch& minibatch, std::int32_t first);
  void count_levels(const Minibatch& minibatch);
  void split_by_type(const Minibatch& minibatch, Schedule& schedule);
  void make_ready(const Minibatch& minibatch, std::int32_t vertex);
  void count_own_children(const Minibatch& minibatch, std::int32_t first);

  std::vector<std::vector<std::int32_t>> order_;  // [types] vertices in the order of becoming ready; position = row
  std::vector<std::int32_t> head_;  // [types] position in order_ of the first vertex that no task has taken
  std::vector<Frontier::Type> frontier_, offered_;
  std::vector<std::int32_t> pending_;      // [V] number of children that are not done
  std::vector<std::int32_t> own_pending_;  // [V] number of such children of the vertex' own type; empty if not needed
  std::vector<std::int32_t> parent_begin_, parents_;
  std::vector<std::int32_t> level_end_, by_level_, begun_, next_;  // work arrays of sort_by_level()
  std::vector<Task> tasks_;
  std::int32_t left_ = 0;
  bool own_frontier_ = false;
};

/// Runs a policy until no vertex is left, on a minibatch to which no graph is added. Returns the number of tasks.
std::int64_t run_policy(const Minibatch& minibatch, Policy& policy, Scheduler& scheduler);

/// Makes the whole schedule of a minibatch, in arrays of `scheduler`.
void make_schedule(const Minibatch& minibatch, Policy& policy, Scheduler& scheduler, Schedule& schedule);

/// Returns a lower bound of the number of tasks of any policy: the sum, over types, of the most vertices of that type
/// on any path (ED-Batch, equation 2). Cost: linear in types * (vertices + edges).
std::int64_t lower_bound(const Minibatch& minibatch);

/// Returns one line per task, such as "step 0: cell{0 1 3}". Vertices have their numbers in the minibatch.
std::string to_text(const Schedule& schedule, const std::vector<std::string>& types);

}  // namespace cavs::inline v0_1
