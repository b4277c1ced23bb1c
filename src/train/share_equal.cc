#include <algorithm>
#include <numeric>

#include "cavs/trainer.h"
#include "compile/program.h"
#include "plan/planner.h"
#include "schedule/policy.h"

namespace cavs {
namespace {

/// The least share of the floating-point operations that must be saved. Sharing costs as well: results of products are
/// written apart and read through lists of rows, gradients are summed before products (docs/engine.md#equal-vertices).
/// A sixth of them was measured to bring 5 % at best, and to lose 12 % with small states and two threads.
constexpr double kWorthwhile = 0.25;

/// Minibatches that are looked at.
constexpr std::int64_t kMinibatches = 8;

/// Floating-point operations of the data's first minibatches, in file order.
double flops_of(const Model& model, const GraphSet& data, const TrainOptions& options, bool training, bool share) {
  const auto program = compile(model, {.training = training,
                                       .share_equal = share,
                                       .pushes = std::vector<std::string>(),
                                       .disabled_passes = options.disabled_passes});
  const auto bound = bind_graphs(program, data);
  const auto policy = make_policy("frontier");
  Planner planner(*program);
  Scheduler scheduler;
  Schedule schedule;
  Minibatch minibatch;
  Plan plan;
  double flops = 0;
  const std::int64_t end = std::min<std::int64_t>(data.size(), kMinibatches * options.batch_size);
  for (std::int64_t first = 0; first < end; first += options.batch_size) {
    minibatch.clear(*bound, {}, share);
    const std::int64_t last = std::min<std::int64_t>(first + options.batch_size, end);
    for (std::int64_t s = first; s < last; ++s) minibatch.add(static_cast<std::int32_t>(s));
    make_schedule(minibatch, *policy, scheduler, schedule);
    planner.make(minibatch, schedule, plan);
    flops = std::accumulate(plan.steps.begin(), plan.steps.end(), flops,
                            [](double sum, const Step& step) { return sum + step.flops; });
  }
  return flops;
}

}  // namespace

bool shares_equal(const Model& model, const GraphSet& data, const TrainOptions& options, bool training) {
  if (options.share_equal != ShareEqual::kAuto) return options.share_equal == ShareEqual::kOn;
  if (options.session.engine == EngineKind::kReference) return false;
  const double once = flops_of(model, data, options, training, true);
  return once <= (1 - kWorthwhile) * flops_of(model, data, options, training, false);
}

}  // namespace cavs
