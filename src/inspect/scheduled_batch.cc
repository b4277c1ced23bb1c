#include <algorithm>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "backend/cpu/isa.h"
#include "cavs/inspect.h"
#include "compile/program.h"
#include "inspect/print_program.h"
#include "inspect/print_script.h"
#include "inspect/products.h"
#include "inspect/schedule_drawing.h"
#include "inspect/script_loads.h"
#include "pack/minibatch.h"
#include "placement/placement.h"
#include "plan/planner.h"
#include "schedule/resolve_policy.h"
#include "schedule/schedule.h"
#include "script/validate_script.h"
#include "script/write_script.h"
#include "share/step_sharer.h"
#include "support/check.h"

namespace cavs::inline v0_1::inspect {

struct ScheduledBatch::Impl {
  std::shared_ptr<const Program> program;
  std::shared_ptr<const BoundGraphs> graphs;
  Minibatch minibatch = {};
  Schedule schedule = {};
  Plan plan = {};
  std::int64_t fallbacks = 0;

  ScheduleDrawing drawing() const { return {minibatch, schedule, functions(*program)}; }
};

namespace {

struct PlannedScript {
  WeightPlacement placement;
  Plan plan;
  Script script;
};

int bytes_of(Precision precision) { return precision == Precision::kBf16 ? 2 : 4; }

PlannedScript script_of(const Program& program, const Minibatch& minibatch, const Schedule& schedule, int processors,
                        Precision precision = Precision::kFp32) {
  user_check(processors >= 1, "no script for {} processors; expected at least 1", processors);
  PlannedScript made{
      place_weights(program, cpu_target(processors, cpu::second_cache_bytes()), bytes_of(precision)), {}, {}};
  Planner(program).make(minibatch, schedule, made.plan);
  StepShares shares;
  StepSharer(program, processors).share(minibatch, schedule, made.plan, shares);
  ScriptWriter(program, made.placement).make(made.plan, shares, made.script);
  return made;
}

void pack(const Program& program, const BoundGraphs& graphs, std::span<const std::int32_t> samples,
          Minibatch& minibatch) {
  user_check(&graphs.program() == &program, "the graphs are bound to another program; bind them to this one");
  user_check(!samples.empty(), "no samples to schedule; expected at least one");
  minibatch.clear(graphs);
  const std::int32_t count = graphs.graphs().size();
  for (const std::int32_t s : samples) {
    user_check(0 <= s && s < count, "no sample {}; there are {}, numbered from 0", s, count);
    minibatch.add(s);
  }
}

}  // namespace

ScheduledBatch::ScheduledBatch(std::shared_ptr<const Program> program, std::shared_ptr<const BoundGraphs> graphs,
                               std::span<const std::int32_t> samples, const std::string& policy,
                               const LearnedPolicy* learned) {
  auto made = std::make_shared<Impl>(Impl{std::move(program), std::move(graphs)});
  pack(*made->program, *made->graphs, samples, made->minibatch);
  Scheduler scheduler;
  const auto chosen = resolve_policy(policy, learned, *made->program);
  make_schedule(made->minibatch, *chosen, scheduler, made->schedule);
  made->fallbacks = chosen->fallbacks();
  Planner(*made->program).make(made->minibatch, made->schedule, made->plan);
  impl_ = std::move(made);
}

std::vector<ScheduledBatch::Task> ScheduledBatch::tasks() const {
  std::vector<Task> tasks;
  for (const cavs::Task& task : impl_->schedule.tasks)
    tasks.push_back({impl_->program->types[task.type].function.name, task.end - task.begin});
  return tasks;
}

std::int64_t ScheduledBatch::vertices() const { return std::ssize(impl_->schedule.row); }
std::int64_t ScheduledBatch::lower_bound() const { return cavs::lower_bound(impl_->minibatch); }
std::int64_t ScheduledBatch::fallbacks() const { return impl_->fallbacks; }
std::int64_t ScheduledBatch::memory() const { return impl_->plan.bytes(); }

std::vector<Product> ScheduledBatch::products() const { return list_products(*impl_->program, impl_->plan); }

std::string ScheduledBatch::to_text() const { return tasks_to_text(*impl_->program, impl_->schedule, lower_bound()); }
std::string ScheduledBatch::to_json() const {
  using Json = nlohmann::ordered_json;
  Json steps = Json::array();
  for (const Task& task : tasks()) steps.push_back({{"type", task.type}, {"vertices", task.vertices}});
  const std::size_t count = steps.size();
  return Json{{"tasks", count},           {"lower_bound", lower_bound()}, {"vertices", vertices()},
              {"memory_bytes", memory()}, {"steps", std::move(steps)},    {"fallbacks", fallbacks()}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}
std::string ScheduledBatch::vertices_to_text() const {
  return cavs::to_text(impl_->schedule, functions(*impl_->program));
}
std::string ScheduledBatch::memory_to_text() const { return cavs::memory_to_text(*impl_->program, impl_->plan); }
std::string ScheduledBatch::to_dot() const { return cavs::to_dot(impl_->drawing()); }
std::string ScheduledBatch::to_svg(const std::string& title) const { return cavs::to_svg(impl_->drawing(), title); }

std::string ScheduledBatch::script_to_text(int processors) const {
  const PlannedScript made = script_of(*impl_->program, impl_->minibatch, impl_->schedule, processors);
  return cavs::to_text(made.script, *impl_->program, made.plan);
}
void ScheduledBatch::check_script(int processors) const {
  const PlannedScript made = script_of(*impl_->program, impl_->minibatch, impl_->schedule, processors);
  cavs::check_script(*impl_->program, made.placement, made.plan, made.script);
}
WeightLoads ScheduledBatch::script_loads(int processors, Precision precision) const {
  const PlannedScript made = script_of(*impl_->program, impl_->minibatch, impl_->schedule, processors, precision);
  return loads_of(*impl_->program, made.placement, made.plan, made.script, bytes_of(precision));
}

double scheduling_seconds(const Program& program, const BoundGraphs& graphs, std::span<const std::int32_t> samples,
                          const std::string& policy, const LearnedPolicy* learned) {
  constexpr int kRepeats = 10;
  Minibatch minibatch;
  pack(program, graphs, samples, minibatch);
  const auto chosen = resolve_policy(policy, learned, program);
  Scheduler scheduler;
  Schedule schedule;
  make_schedule(minibatch, *chosen, scheduler, schedule);  // a first time, so that the measured calls allocate nothing
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kRepeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    make_schedule(minibatch, *chosen, scheduler, schedule);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

}  // namespace cavs::inline v0_1::inspect
