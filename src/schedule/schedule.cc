#include "schedule/schedule.h"

#include <algorithm>
#include <span>
#include <utility>

#include "support/check.h"

namespace cavs::inline v0_1 {

void Scheduler::reset(std::int32_t types, bool own_frontier) {
  order_.resize(types);
  for (auto& order : order_) order.clear();
  head_.assign(types, 0);
  frontier_.assign(types, {});
  pending_.clear();
  own_pending_.clear();
  tasks_.clear();
  parent_begin_.clear();
  parents_.clear();
  left_ = 0;
  own_frontier_ = own_frontier;
}

void Scheduler::make_ready(const Minibatch& m, std::int32_t vertex) {
  const std::int32_t type = m.types[vertex];
  if (frontier_[type].ready++ == 0) frontier_[type].first_level = m.levels[vertex];
  order_[type].push_back(vertex);
}

/// Lists the parents of each new vertex, from the last, so that each offset ends at the vertex' first parent.
void Scheduler::add_parents(const Minibatch& m, std::int32_t first) {
  const auto slots = std::span(m.children).subspan(m.child_begin[first]);
  auto total = static_cast<std::int32_t>(parents_.size());
  parent_begin_.resize(first);
  parent_begin_.resize(m.vertices() + 1, 0);
  for (std::int32_t child : slots)
    if (child >= 0) ++parent_begin_[child];
  for (std::int32_t v = first; v <= m.vertices(); ++v) parent_begin_[v] = total += parent_begin_[v];
  parents_.resize(total);
  for (std::int32_t v = m.vertices(); v-- > first;)
    for (std::int32_t k = m.child_begin[v + 1]; k-- > m.child_begin[v];)
      if (m.children[k] >= 0) parents_[--parent_begin_[m.children[k]]] = v;
}

void Scheduler::add(const Minibatch& m, std::int32_t first) {
  add_parents(m, first);
  pending_.resize(m.vertices());
  left_ += m.vertices() - first;
  for (std::int32_t v = first; v < m.vertices(); ++v) {
    std::int32_t children = 0;
    for (std::int32_t k = m.child_begin[v]; k < m.child_begin[v + 1]; ++k) children += m.children[k] >= 0;
    pending_[v] = children;
    Frontier::Type& type = frontier_[m.types[v]];
    ++type.left;
    type.level_sum += m.levels[v];
    if (children == 0) make_ready(m, v);
  }
  if (own_frontier_) count_own_children(m, first);
}

void Scheduler::count_own_children(const Minibatch& m, std::int32_t first) {
  own_pending_.resize(m.vertices());
  for (std::int32_t v = first; v < m.vertices(); ++v) {
    std::int32_t own = 0;
    for (std::int32_t k = m.child_begin[v]; k < m.child_begin[v + 1]; ++k)
      own += m.children[k] >= 0 && m.types[m.children[k]] == m.types[v];
    own_pending_[v] = own;
    frontier_[m.types[v]].own_ready += own == 0;
  }
}

/// Returns the counts that the policy reads. Vertices of a static net count as ready only when all of them are ready,
/// as they are one task.
std::span<const Frontier::Type> Scheduler::offered(const Minibatch& m) {
  if (m.one_task.empty()) return frontier_;
  offered_ = frontier_;
  for (std::size_t t = 0; t < offered_.size(); ++t)
    if (m.one_task[t] != 0 && offered_[t].ready < offered_[t].left) offered_[t].ready = 0;
  return offered_;
}

bool Scheduler::next(const Minibatch& m, Policy& policy, Task& task) {
  const auto types = offered(m);
  if (std::none_of(types.begin(), types.end(), [](const Frontier::Type& t) { return t.ready > 0; })) return false;
  CAVS_ASSERT(own_frontier_ || !policy.needs_own_frontier());
  const Choice choice = policy.choose({types, m.vertices(), left_});
  CAVS_ASSERT(choice.type >= 0 && frontier_[choice.type].ready > 0);
  Frontier::Type& type = frontier_[choice.type];
  const auto& order = order_[choice.type];
  task = {choice.type, head_[choice.type], static_cast<std::int32_t>(order.size())};
  if (choice.limit > 0) task.end = std::min(task.end, task.begin + choice.limit);
  if (choice.one_level) {
    std::int32_t end = task.begin;
    while (end < task.end && m.levels[order[end]] == type.first_level) ++end;
    task.end = end;
  }
  const std::int32_t count = task.end - task.begin;
  head_[choice.type] = task.end;
  type.ready -= count;
  type.left -= count;
  type.own_ready -= count;
  left_ -= count;
  for (std::int32_t v : vertices(task)) type.level_sum -= m.levels[v];
  if (type.ready > 0) type.first_level = m.levels[order[task.end]];
  tasks_.push_back(task);
  return true;
}

std::span<const std::int32_t> Scheduler::vertices(const Task& task) const {
  return std::span(order_[task.type]).subspan(task.begin, task.end - task.begin);
}

void Scheduler::retire(const Minibatch& m, const Task& task) {
  for (std::int32_t i = task.begin; i < task.end; ++i) {
    const std::int32_t v = order_[task.type][i];
    for (std::int32_t k = parent_begin_[v]; k < parent_begin_[v + 1]; ++k) {
      const std::int32_t parent = parents_[k];
      if (own_frontier_ && m.types[parent] == task.type && --own_pending_[parent] == 0)
        ++frontier_[task.type].own_ready;
      if (--pending_[parent] == 0) make_ready(m, parent);
    }
  }
}

void Scheduler::record(Schedule& schedule) const {
  schedule.tasks.assign(tasks_.begin(), tasks_.end());
  schedule.type_begin.assign(1, 0);
  schedule.row.assign(pending_.size(), -1);
  schedule.vertex.clear();
  for (std::size_t t = 0; t < order_.size(); ++t) {
    const auto base = schedule.type_begin.back();
    schedule.vertex.insert(schedule.vertex.end(), order_[t].begin(), order_[t].begin() + head_[t]);
    for (std::int32_t i = 0; i < head_[t]; ++i) schedule.row[order_[t][i]] = base + i;
    schedule.type_begin.push_back(base + head_[t]);
  }
}

/// Sets level_end_ to the number of vertices of each level.
void Scheduler::count_levels(const Minibatch& m) {
  level_end_.clear();
  const auto add = [&](const LevelRun& run) {
    if (run.level >= std::ssize(level_end_)) level_end_.resize(run.level + 1, 0);
    level_end_[run.level] += run.vertices;
  };
  if (m.bound == nullptr)
    for (const std::int32_t level : m.levels) add({level, 1});
  else
    for (const std::int32_t sample : m.samples)
      for (const LevelRun& run : m.bound->level_runs(sample)) add(run);
}

void Scheduler::sort_by_level(const Minibatch& m, Schedule& s) {
  count_levels(m);
  for (std::int32_t begin = 0; std::int32_t & end : level_end_) end = std::exchange(begin, begin + end);
  s.row.resize(m.vertices());
  s.vertex.resize(m.vertices());
  std::int32_t* const next = level_end_.data();
  const std::int32_t* const level = m.levels.data();
  const auto place = [vertex = s.vertex.data(), row = s.row.data()](std::int32_t v, std::int32_t r) {
    row[v] = r;
    vertex[r] = v;
  };
  for (std::size_t k = 0; k + 1 < m.vertex_begin.size(); ++k) {
    const std::int32_t first = m.vertex_begin[k], last = m.vertex_begin[k + 1];
    const bool ranked = m.bound != nullptr;
    const auto runs = ranked ? m.bound->level_runs(m.samples[k]) : std::span<const LevelRun>();
    if (!ranked || std::ssize(runs) == last - first) {  // in a chain every level has one vertex, so counting is fast
      for (std::int32_t v = first; v < last; ++v) place(v, next[level[v]]++);
      continue;
    }
    const std::int32_t* const rank = m.bound->level_ranks().data() + m.source(static_cast<std::int32_t>(k), first);
    for (std::int32_t v = first; v < last; ++v) place(v, next[level[v]] + rank[v - first]);
    for (const LevelRun& run : runs) next[run.level] += run.vertices;
  }
  s.type_begin.assign({0, m.vertices()});
  s.tasks.clear();
  for (std::int32_t begin = 0; std::int32_t end : level_end_) s.tasks.push_back({0, std::exchange(begin, end), end});
  if (m.type_count.size() > 1) split_by_type(m, s);
}

/// Turns a schedule with rows in level order into a schedule with rows in type order, with a task per level and type.
void Scheduler::split_by_type(const Minibatch& m, Schedule& s) {
  const auto types = static_cast<std::int32_t>(m.type_count.size());
  by_level_.swap(s.vertex);
  s.vertex.resize(m.vertices());
  begun_.assign(types, 0);
  next_.assign(types, 0);
  s.tasks.clear();
  s.type_begin.assign(1, 0);
  for (std::int32_t count : m.type_count) s.type_begin.push_back(s.type_begin.back() + count);
  std::int32_t i = 0;
  for (std::int32_t end : level_end_) {
    for (; i < end; ++i) {
      const std::int32_t v = by_level_[i], t = m.types[v], row = s.type_begin[t] + next_[t]++;
      s.vertex[row] = v;
      s.row[v] = row;
    }
    for (std::int32_t t = 0; t < types; ++t)
      if (const std::int32_t begin = std::exchange(begun_[t], next_[t]); begin < next_[t])
        s.tasks.push_back({t, begin, next_[t]});
  }
}

std::int64_t run_policy(const Minibatch& minibatch, Policy& policy, Scheduler& scheduler) {
  scheduler.reset(static_cast<std::int32_t>(minibatch.type_count.size()), policy.needs_own_frontier());
  scheduler.add(minibatch);
  for (Task task; scheduler.next(minibatch, policy, task);) scheduler.retire(minibatch, task);
  CAVS_ASSERT(scheduler.waiting() == 0);  // graphs are checked to be acyclic when they enter
  return scheduler.tasks();
}

void make_schedule(const Minibatch& minibatch, Policy& policy, Scheduler& scheduler, Schedule& schedule) {
  if (policy.by_level()) return scheduler.sort_by_level(minibatch, schedule);
  run_policy(minibatch, policy, scheduler);
  scheduler.record(schedule);
}

std::int64_t lower_bound(const Minibatch& m) {
  std::int64_t total = 0;
  Scheduler scheduler;
  Schedule order;
  scheduler.sort_by_level(m, order);
  std::vector<std::int32_t> on_path(m.vertices());
  for (std::size_t type = 0; type < m.type_count.size(); ++type) {
    std::fill(on_path.begin(), on_path.end(), 0);
    std::int32_t longest = 0;
    for (const Task& task : order.tasks)
      for (std::int32_t r = task.begin; r < task.end; ++r) {
        const std::int32_t v = order.vertex[order.type_begin[task.type] + r];
        for (std::int32_t k = m.child_begin[v]; k < m.child_begin[v + 1]; ++k)
          if (m.children[k] >= 0) on_path[v] = std::max(on_path[v], on_path[m.children[k]]);
        on_path[v] += task.type == static_cast<std::int32_t>(type);
        longest = std::max(longest, on_path[v]);
      }
    total += longest;
  }
  return total;
}

std::string to_text(const Schedule& schedule, const std::vector<std::string>& types) {
  std::string text;
  for (std::size_t step = 0; step < schedule.tasks.size(); ++step) {
    const Task& task = schedule.tasks[step];
    std::string vertices;
    for (std::int32_t r = task.begin; r < task.end; ++r)
      vertices += fmt::format("{}{}", r > task.begin ? " " : "", schedule.vertex[schedule.type_begin[task.type] + r]);
    text += fmt::format("step {}: {}{{{}}}\n", step, types[task.type], vertices);
  }
  return text;
}

}  // namespace cavs::inline v0_1
