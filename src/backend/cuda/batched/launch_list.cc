#include "backend/cuda/batched/launch_list.h"

#include <algorithm>
#include <bit>

#include "backend/cuda/entries/operand_numbers.h"
#include "support/check.h"

namespace cavs::cuda {

const Instruction& LaunchLister::instruction_of(const ScriptEntry& entry) const {
  const Step& step = plan_->steps[entry.step];
  return program_.types[step.type].at(step.backward, step.stage)[entry.instruction];
}

int LaunchLister::choose(const KernelsBySize& kernels, std::int64_t rows, std::int64_t units, int gates,
                         std::int64_t depth, TileSize last, TileUse& use) const {
  // A size without a kernel of its own has no costs, either.
  while (last > kSmallTile && kernels[last] == kernels[last - 1]) last = static_cast<TileSize>(last - 1);
  use = best_tile(costs_, rows, units, gates, depth, last, only_);
  return kernels[use.size];
}

/// Returns the kernel of an entry. @param rows  number of rows, to choose tiles   @param use  set for a product
int LaunchLister::kernel_of(const ScriptEntry& entry, std::int64_t rows, TileUse& use) const {
  const Step& step = plan_->steps[entry.step];
  const Instruction& instruction = instruction_of(entry);
  if (!instruction.is<RowGroup>() && script_->members[entry.members.begin].operands.count == 0)
    return BatchedKernels::kNone;  // a view
  const Code& code = tables_.at(step.type, step.backward, step.stage, entry.instruction);
  const auto* const product = members_of(instruction).front().as<Matmul>();
  const KernelsBySize kernels = kernels_.of(code, product != nullptr && product->transposed);
  if (product != nullptr) {
    std::int64_t units = 0, depth = 0;
    for (std::int32_t p = code.number; p < code.end; ++p) {
      units += std::int64_t{tables_.panels[p].units} * tables_.panels[p].gates;
      depth += tables_.panels[p].k;
    }
    const Panel& panel = tables_.panels[code.number];
    return code.operation == kGroup ? choose(kernels, rows, panel.units, panel.gates, depth, kMediumTile, use)
                                    : choose(kernels, rows, units, 1, panel.k, kLargeTile, use);
  }
  if (const auto* const gradient = instruction.as<WeightGradient>())
    return choose(kernels, instruction.in[0].width / gradient->matrix_rows,
                  instruction.in[1].width / gradient->matrix_rows, 1, rows * gradient->matrix_rows, largest_of(entry),
                  use);
  return kernels[kSmallTile];
}

void LaunchLister::list(const Plan& plan, const Script& script, LaunchList& launches, std::optional<TileSize> only) {
  only_ = only;
  plan_ = &plan;
  script_ = &script;
  list_ = &launches;
  launches.items.clear();
  launches.stretches.clear();
  tasks_.clear();
  deferred_.clear();
  for (std::int32_t begin = 0, end = 0; begin < script.update; begin = end) {
    if (begin == script.backward) {
      add_stretches();
      begin_backward();
    }
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
  list_->items.insert(list_->items.end(), deferred_.begin(), deferred_.end());
}

bool LaunchLister::has_branch() const { return script_->processors > 1; }

/// Returns the largest tile for an entry. A block with a large tile needs all registers of a processor. On a branch,
/// such blocks would keep out blocks of tasks.
TileSize LaunchLister::largest_of(const ScriptEntry& entry) const {
  return entry.processor != 0 ? kMediumTile : kLargeTile;
}

void LaunchLister::add(const ScriptEntry& entry) {
  const auto number = static_cast<int>(&entry - script_->entries.data());
  const Instruction& instruction = instruction_of(entry);
  const std::int32_t rows = entry.rows.end - entry.rows.begin;
  if (instruction.is<LinearCrossEntropy>()) return add_entropies(entry, number, instruction);
  TileUse use;
  const int kernel = kernel_of(entry, rows, use);
  const bool writes = rows > 0 || instruction.is<WeightGradient, SumRows>();  // a sum over no rows writes zeros
  if (kernel != BatchedKernels::kNone && writes)
    list_->items.push_back({.kernel = kernel,
                            .entry = number,
                            .use = use,
                            .joins = entry.waits.count > 0,
                            .on_branch = entry.processor != 0});
}

/// Adds the launches of tile after tile. The last tile's logits are kept, for gradients of its weights in ∂F.
void LaunchLister::add_entropies(const ScriptEntry& entry, int number, const Instruction& instruction) {
  const auto& entropy = *instruction.as<LinearCrossEntropy>();
  const Step& step = plan_->steps[entry.step];
  const std::int32_t height = program_.types[step.type].tensors[entropy.tile.id].max_rows;
  const auto [first, end] = plan_->range(step, instruction.domain);
  const std::int32_t rows = end - first;
  const std::int64_t classes = entropy.tile.width, depth = instruction.in[0].width;
  for (std::int32_t tile = (entry.rows.begin - first) / height; tile == 0 || first + tile * height < entry.rows.end;
       ++tile) {
    const std::int64_t count = std::min(height, rows - tile * height);
    const bool is_last = (tile + 1) * height >= rows;
    LaunchItem item{.entry = number, .tile = tile, .joins = entry.waits.count > 0, .on_branch = entry.processor != 0};
    const auto launch = [&](int kernel) {
      item.kernel = kernel;
      list_->items.push_back(item);
      item.use = {};
    };
    const auto multiply = [&](const KernelsBySize& kernels, std::int64_t down, std::int64_t across,
                              std::int64_t of_depth) {
      launch(choose(kernels, down, across, 1, of_depth, item.on_branch ? kMediumTile : kLargeTile, item.use));
    };
    if (rows > 0) {
      multiply(kernels_.logits, count, classes, depth);
      launch(kTileEntropies);
      if (entropy.dx >= 0) multiply(kernels_.dx, count, depth, classes);
    }
    if (entropy.dw < 0 && entropy.db < 0) continue;
    item.on_branch = is_last ? has_branch() : item.on_branch;
    multiply(kernels_.dw, depth, classes, count);
    if (is_last) {
      deferred_.push_back(list_->items.back());
      list_->items.pop_back();
    }
  }
}

/// Returns the mean rows per level of a level's entry `number`, weighted by rows, because large levels take longest.
/// @param of_level  entries per level
std::int64_t LaunchLister::rows_of_levels(Stretch entries, std::int32_t of_level, std::int32_t number) const {
  std::int64_t rows = 0, squares = 0;
  for (std::int32_t entry = entries.begin + number; entry < entries.end; entry += of_level) {
    const std::int64_t count = script_->entries[entry].rows.end - script_->entries[entry].rows.begin;
    rows += count;
    squares += count * count;
  }
  return rows == 0 ? 0 : (squares + rows - 1) / rows;
}

/// Makes stretches of the pending tasks. Each is the longest possible sequence of the first tasks in which types repeat
/// with a period. A single task has no stretch, since it would take longer as a graph.
void LaunchLister::add_stretches() {
  if (tasks_.size() == 1) {
    for (std::int32_t entry = tasks_[0].entries.begin; entry < tasks_[0].entries.end; ++entry)
      add(script_->entries[entry]);
    tasks_.clear();
  }
  for (std::span<const Task> left = tasks_; !left.empty();) {
    std::size_t period = 0, most = 0;
    for (std::size_t p = 1; p <= kMostTasks; ++p)
      if (const std::size_t length = repeats(left, p); length > most && (p == 1 || length >= 2 * p)) {
        period = p;
        most = length;
      }
    for (std::size_t rest = most; rest > 0;) {
      const std::size_t length = std::min(rest, kMostLevels * period);
      add_stretch(left.first(length), std::min(period, length));
      left = left.subspan(length);
      rest -= length;
    }
  }
  tasks_.clear();
}

/// Returns the number of first tasks in which each task has the same type as the task `period` positions before it.
std::size_t LaunchLister::repeats(std::span<const Task> tasks, std::size_t period) {
  std::size_t length = std::min(period, tasks.size());
  while (length < tasks.size() && tasks[length].type == tasks[length - period].type) ++length;
  return length;
}

/// Adds a stretch. @param period  number of tasks per level; the last level may have fewer
void LaunchLister::add_stretch(std::span<const Task> tasks, std::size_t period) {
  const Stretch stretch{tasks.front().entries.begin, tasks.back().entries.end};
  const std::int32_t of_level = tasks[period - 1].entries.end - stretch.begin;
  level_.clear();  // entries without a kernel (views) are the same in all levels of a plan
  TileUse use;
  for (std::int32_t k = 0; k < of_level; ++k)
    level_.push_back(kernel_of(script_->entries[stretch.begin + k], rows_of_levels(stretch, of_level, k), use));
  auto known = std::ranges::find(levels_, level_);
  if (known == levels_.end()) known = levels_.insert(levels_.end(), level_);
  list_->stretches.push_back(stretch);
  list_->items.push_back({.kernel = static_cast<int>(known - levels_.begin()),
                          .entry = stretch.begin,
                          .tile = 0,
                          .levels = graph_levels((tasks.size() + period - 1) / period)});
}

/// Returns the levels of the graph that runs `levels` levels. Up to a quarter more do nothing, so few graphs are made.
int LaunchLister::graph_levels(std::size_t levels) {
  const std::size_t step = std::max(std::bit_floor(levels) / 4, std::size_t{1});
  return static_cast<int>((levels + step - 1) / step * step);
}

}  // namespace cavs::cuda
