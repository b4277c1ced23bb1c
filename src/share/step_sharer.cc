#include "share/step_sharer.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "compile/passes.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::int32_t kNone = -1;

bool has_tasks(const TypeProgram& type) {
  return !type.at(false, Stage::kTask).empty() || !type.at(true, Stage::kTask).empty();
}

}  // namespace

StepSharer::StepSharer(const Program& program, int workers) : program_(program), workers_(workers) {
  if (!is_on(program.options, "task_parallel") || std::ranges::count_if(program.types, has_tasks) < 2) workers_ = 1;
}

/// Links every task with the tasks that it needs, each once. In F these are its children's, in ∂F its parents'.
void StepSharer::link(const Minibatch& m, const Schedule& schedule, bool backward) {
  const auto tasks = static_cast<std::int32_t>(schedule.tasks.size());
  task_of_row_.resize(m.vertices());
  for (std::int32_t t = 0; t < tasks; ++t) {
    const Task& task = schedule.tasks[t];
    std::int32_t* const row = task_of_row_.data() + schedule.type_begin[task.type];
    std::fill(row + task.begin, row + task.end, t);
  }
  links_.clear();
  seen_.assign(tasks, kNone);
  for (std::int32_t t = 0; t < tasks; ++t) {
    const Task& task = schedule.tasks[t];
    for (std::int32_t r = task.begin; r < task.end; ++r) {
      const std::int32_t v = schedule.vertex[schedule.type_begin[task.type] + r];
      for (std::int32_t k = m.child_begin[v]; k < m.child_begin[v + 1]; ++k) {
        if (m.children[k] < 0) continue;
        const std::int32_t child = task_of_row_[schedule.row[m.children[k]]];
        if (std::exchange(seen_[child], t) != t) links_.emplace_back(backward ? child : t, backward ? t : child);
      }
    }
  }
  link_begin_.assign(tasks + 1, 0);
  needed_.resize(links_.size());
  for (const auto& [task, needs] : links_) ++link_begin_[task];
  std::partial_sum(link_begin_.begin(), link_begin_.end(), link_begin_.begin());
  for (auto link = links_.rbegin(); link != links_.rend(); ++link) needed_[--link_begin_[link->first]] = link->second;
}

std::span<const std::int32_t> StepSharer::needed_by(std::int32_t task) const {
  return std::span(needed_).subspan(link_begin_[task], link_begin_[task + 1] - link_begin_[task]);
}

void StepSharer::begin_section(std::size_t step) {
  ++section_;
  begin_ = step;
  shared_ = 0;
  load_.assign(workers_, 0);
  worker_of_type_.assign(program_.types.size(), kNone);
}

/// Assigns step `s` to one worker. Returns false if no worker can run the step alone before the next barrier.
bool StepSharer::take(std::size_t s) {
  const Step& step = plan_->steps[s];
  const CodeCost& cost = program_.types[step.type].cost_at(step.backward, step.stage);
  if (cost.needs_team) return false;
  std::int32_t worker = worker_of_type_[step.type];
  for (const std::int32_t task : needed_by(step.task)) {
    if (section_of_[task] != section_) continue;
    if (worker != kNone && worker_of_[task] != worker) return false;
    worker = worker_of_[task];
  }
  if (worker == kNone) worker = static_cast<std::int32_t>(std::ranges::min_element(load_) - load_.begin());
  section_of_[step.task] = section_;
  worker_of_[step.task] = worker_of_type_[step.type] = worker;
  load_[worker] += step.flops;
  const bool is_shared = !(*shares_)[s].one_worker();  // false: worker 0 would run the step, because it is small
  shared_ += is_shared ? step.flops / workers_ + kFlopsInAWait * cost.waits : step.flops;
  return true;
}

/// Decides how the section's steps (all before step `end`) are run. Returns true if each is run by one worker.
bool StepSharer::end_section(std::size_t end) {
  const bool several = std::ranges::count_if(load_, [](double load) { return load > 0; }) > 1;
  if (!several || std::ranges::max(load_) + kFlopsInAWait >= shared_) return false;
  StepShares& shares = *shares_;
  for (std::size_t s = begin_; s < end; ++s) shares[s].worker = worker_of_[plan_->steps[s].task];
  shares[begin_].waits = true;
  if (end < shares.size()) shares[end].waits = true;
  return true;
}

bool StepSharer::share_out(const Minibatch& minibatch, const Schedule& schedule, bool backward) {
  const auto& steps = plan_->steps;
  std::size_t s = 0;
  const auto is_ours = [&] { return steps[s].backward == backward && steps[s].stage == Stage::kTask; };
  while (s < steps.size() && !is_ours()) ++s;
  if (s == steps.size()) return false;
  link(minibatch, schedule, backward);
  section_ = 0;
  section_of_.assign(schedule.tasks.size(), 0);
  worker_of_.resize(schedule.tasks.size());
  bool any = false;
  begin_section(s);
  for (; s < steps.size() && is_ours(); ++s) {
    if (take(s)) continue;
    any = end_section(s) || any;
    begin_section(s);
    if (!take(s)) begin_section(s + 1);  // the team shares step s
  }
  return end_section(s) || any;
}

bool StepSharer::share(const Minibatch& minibatch, const Schedule& schedule, const Plan& plan, StepShares& shares,
                       bool forward_beside) {
  shares.clear();
  for (const Step& step : plan.steps) {
    const CodeCost& cost = program_.types[step.type].cost_at(step.backward, step.stage);
    shares.push_back({.worker = is_small(cost, step.flops) ? 0 : StepShare::kTeam});
  }
  if (workers_ == 1) return false;
  plan_ = &plan;
  shares_ = &shares;
  share_out(minibatch, schedule, true);
  return forward_beside && share_out(minibatch, schedule, false);
}

}  // namespace cavs::inline v0_1
