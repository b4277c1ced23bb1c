#include "backend/cuda/batched/launch_list.h"

#include <algorithm>
#include <bit>

#include "support/check.h"

namespace cavs::cuda {

int LaunchLister::kernel_of(const ScriptEntry& entry) const {
  if (script_->members[entry.members.begin].operands.count == 0) return BatchedKernels::kNone;  // a view
  const Step& step = plan_->steps[entry.step];
  return kernels_.of(tables_.at(step.type, step.backward, step.stage, entry.instruction));
}

void LaunchLister::list(const Plan& plan, const Script& script, LaunchList& launches) {
  plan_ = &plan, script_ = &script, list_ = &launches;
  launches.items.clear(), launches.stretches.clear(), tasks_.clear();
  for (std::int32_t begin = 0, end = 0; begin < script.update; begin = end) {
    if (begin == script.backward) add_stretches(), begin_backward();
    const std::int32_t number = script.entries[begin].step;
    while (end < script.update && script.entries[end].step == number) ++end;
    const Step& step = plan.steps[number];
    const cavs::Code& code = program_.types[step.type].at(step.backward, step.stage);
    const auto is_entropy = [](const Instruction& i) { return i.is<LinearCrossEntropy>(); };
    if (graphs_ && step.stage == Stage::kTask && std::ranges::none_of(code, is_entropy)) {
      CAVS_ASSERT(end - begin == std::ssize(code));
      tasks_.push_back({step.type, {begin, end}});
      continue;
    }
    add_stretches();
    for (std::int32_t entry = begin; entry < end; ++entry) add(script.entries[entry]);
  }
  add_stretches();
  if (script.backward == script.update) begin_backward();
}

void LaunchLister::begin_backward() {
  list_->backward = list_->items.size();
  list_->backward_stretch = list_->stretches.size();
}

void LaunchLister::add(const ScriptEntry& entry) {
  const auto number = static_cast<int>(&entry - script_->entries.data());
  const Step& step = plan_->steps[entry.step];
  const TypeProgram& type = program_.types[step.type];
  const Instruction& instruction = type.at(step.backward, step.stage)[entry.instruction];
  const std::int32_t rows = entry.rows.end - entry.rows.begin;
  if (const auto* const entropy = instruction.as<LinearCrossEntropy>())
    return add_entropies(type, *entropy, number, rows);
  const int kernel = kernel_of(entry);
  const bool writes = rows > 0 || instruction.is<WeightGradient, SumRows>();  // a sum of no rows is zeros
  if (kernel != BatchedKernels::kNone && writes) list_->items.push_back({.kernel = kernel, .entry = number});
}

/// Tile after tile.
void LaunchLister::add_entropies(const TypeProgram& type, const LinearCrossEntropy& entropy, int entry,
                                 std::int32_t rows) {
  const std::int32_t height = type.tensors[entropy.tile.id].max_rows;
  const bool has_gradients = entropy.dx >= 0 || entropy.dw >= 0 || entropy.db >= 0;
  for (std::int32_t tile = 0; tile == 0 || tile * height < rows; ++tile) {
    if (rows > 0)
      for (const SharedKernel kernel : {kTileLogits, kTileEntropies}) list_->items.push_back({kernel, entry, tile});
    if (has_gradients) list_->items.push_back({kTileGradients, entry, tile});
  }
}

/// Makes stretches of the tasks that have none yet: of the first ones as many as a period fits, again and again.
void LaunchLister::add_stretches() {
  for (std::span<const Task> left = tasks_; !left.empty();) {
    std::size_t period = 0, most = 0;
    for (std::size_t p = 1; p <= kMostTasks; ++p)
      if (const std::size_t length = repeats(left, p); length > most && (p == 1 || length >= 2 * p))
        period = p, most = length;
    for (std::size_t rest = most; rest > 0;) {
      const std::size_t length = std::min(rest, kMostLevels * period);
      add_stretch(left.first(length), std::min(period, length));
      left = left.subspan(length), rest -= length;
    }
  }
  tasks_.clear();
}

/// How many of these tasks, from the first on, have the type of the task that is `period` before them, if there is one.
std::size_t LaunchLister::repeats(std::span<const Task> tasks, std::size_t period) {
  std::size_t length = std::min(period, tasks.size());
  while (length < tasks.size() && tasks[length].type == tasks[length - period].type) ++length;
  return length;
}

/// @param period  tasks that each level has; the last level may lack some
void LaunchLister::add_stretch(std::span<const Task> tasks, std::size_t period) {
  level_.clear();  // views are the same in all of a plan
  for (std::int32_t entry = tasks.front().entries.begin; entry < tasks[period - 1].entries.end; ++entry)
    level_.push_back(kernel_of(script_->entries[entry]));
  auto known = std::ranges::find(levels_, level_);
  if (known == levels_.end()) known = levels_.insert(levels_.end(), level_);
  const Stretch stretch{tasks.front().entries.begin, tasks.back().entries.end};
  list_->stretches.push_back(stretch);
  list_->items.push_back({.kernel = static_cast<int>(known - levels_.begin()),
                          .entry = stretch.begin,
                          .tile = 0,
                          .levels = graph_levels((tasks.size() + period - 1) / period)});
}

/// Levels of the graph for a stretch of so many: at most a quarter more, so that few graphs are made.
int LaunchLister::graph_levels(std::size_t levels) {
  const std::size_t step = std::max(std::bit_floor(levels) / 4, std::size_t{1});
  return static_cast<int>((levels + step - 1) / step * step);
}

}  // namespace cavs::cuda
