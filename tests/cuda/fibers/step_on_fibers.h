#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "backend/cuda/persistent/kernel_source.h"
#include "backend/cuda/persistent/pack_script.h"
#include "cuda/fibers/compiled_kernel.h"
#include "helpers/evaluate.h"
#include "helpers/finite_differences.h"
#include "pack/minibatch.h"
#include "placement/placement.h"
#include "plan/planner.h"
#include "script/validate_script.h"
#include "script/write_script.h"
#include "update/optimizer_def.h"

namespace cavs::cuda {

/// What a launch needs besides program, placement and minibatch.
struct StepOptions {
  OptimizerOptions optimizer;
  float clip_norm = 0;
  std::uint64_t seed = 1;  // of dropout
  std::uint32_t epoch = 0;
  std::uint64_t order = 0;  // of fibers and blocks
};

/// What it left behind.
struct StepOutcome {
  StepResult result{};
  Gradients gradients;
  std::vector<std::vector<float>> parameters;
};

/// A model compiled for the persistent kernel, and the kernel for fibers. Blocks are small, for fibers are slow.
class KernelOnFibers {
 public:
  static constexpr KernelOptions kOptions{.warps = 2};

  KernelOnFibers(const Model& model, const OnChipTarget& target, const CompileOptions& options = {})
      : program_(compile(model, options, persistent_target())),
        placement_(place_weights(*program_, target)),
        kernel_(persistent_kernel_source(*program_, placement_, kOptions)) {}

  const Program& program() const { return *program_; }

  /// One step from the first of its kind: state of the optimiser as it begins.
  StepOutcome run(const GraphSet& graphs, std::span<const std::int32_t> samples, const Parameters& parameters,
                  const StepOptions& options) const {
    const auto bound = bind_graphs(program_, graphs);
    const Minibatch minibatch = packed(*bound, samples);
    Scheduler scheduler;
    Schedule schedule;
    Plan plan;
    Script script;
    std::vector<std::int32_t> words;
    make_schedule(minibatch, *make_policy("frontier"), scheduler, schedule);
    Planner(*program_, Streaming::kOff, placement_.target.processors).make(minibatch, schedule, plan);
    ScriptWriter(*program_, placement_).make(plan, script);
    check_script(*program_, placement_, plan, script);
    ScriptPacker(*program_, placement_, kOptions)
        .pack(plan, script, {1.0F / static_cast<float>(samples.size()), options.seed, options.epoch}, words);
    return launch(plan, words, minibatch, parameters, options);
  }

 private:
  static constexpr float kUnset = std::numeric_limits<float>::quiet_NaN();

  StepOutcome launch(const Plan& plan, const std::vector<std::int32_t>& words, const Minibatch& minibatch,
                     const Parameters& parameters, const StepOptions& options) const {
    const std::vector<std::int64_t> offsets = parameter_offsets(*program_);
    const auto size = static_cast<std::size_t>(offsets.back());
    const OptimizerDef& rule = find_optimizer(options.optimizer.kind);
    const Optimizer optimizer(options.optimizer, parameters);
    std::vector<float> arena(static_cast<std::size_t>(plan.arena), kUnset), values(size, kUnset),
        gradients(size, kUnset);
    const std::size_t slots = rule.slots(options.optimizer).size();
    std::vector<std::vector<float>> state(slots, std::vector<float>(size, rule.initial_state(options.optimizer)));
    std::vector<ParameterStep> steps;
    for (int p = 0; p < parameters.size(); ++p) {
      std::ranges::copy(parameters.values(p), values.begin() + offsets[p]);
      steps.push_back(step_of(options.optimizer, rule, optimizer, parameters.info(p), p));
    }
    std::vector<const float*> pulls;
    for (std::size_t port = 0; port < program_->float_ports.size(); ++port)
      pulls.push_back(minibatch.float_port(static_cast<std::int32_t>(port)));
    const int processors = placement_.target.processors;
    std::vector<unsigned> progress((static_cast<std::size_t>(processors) + 1) * kCounterStride);
    std::vector<double> squares(static_cast<std::size_t>(square_blocks(*program_)),
                                std::numeric_limits<double>::quiet_NaN());
    StepOutcome outcome;
    const KernelArguments arguments{
        .arena = arena.data(),
        .parameters = values.data(),
        .gradients = gradients.data(),
        .slots = {slots > 0 ? state[0].data() : nullptr, slots > 1 ? state[1].data() : nullptr},
        .pulls = pulls.data(),
        .steps = steps.data(),
        .words = words.data(),
        .progress = progress.data(),
        .squares = squares.data(),
        .result = &outcome.result,
        .rule = rule_of(options.optimizer),
        .clip_norm = options.clip_norm};
    kernel_.launch(processors, kernel_threads(kOptions), options.order, arguments);
    outcome.gradients = Gradients(parameters);
    for (int p = 0; p < parameters.size(); ++p) {
      const auto all = static_cast<std::size_t>(parameters.info(p).shape.size());
      outcome.parameters.emplace_back(values.begin() + offsets[p], values.begin() + offsets[p] + all);
      std::copy_n(gradients.begin() + offsets[p], all, outcome.gradients.values[p].begin());
      if ((steps[p].flags & kTouchedRows) != 0) keep_touched(plan, p, parameters.info(p), outcome.gradients);
    }
    return outcome;
  }

  /// Rows without a gradient hold anything.
  static void keep_touched(const Plan& plan, int p, const ParameterInfo& info, Gradients& gradients) {
    std::vector<float> kept(gradients.values[p].size());
    const std::int64_t width = info.shape.dims[1];
    for (std::int32_t k = 0; k < plan.touched[p].count; ++k) {
      const std::int64_t row = plan.rows[plan.touched[p].begin + k];
      std::copy_n(gradients.values[p].begin() + row * width, width, kept.begin() + row * width);
      gradients.table_rows[p].push_back(static_cast<std::int32_t>(row));
    }
    std::ranges::copy(kept, gradients.values[p].begin());
  }

  static UpdateRule rule_of(const OptimizerOptions& o) {
    if (o.kind == "adagrad") return UpdateRule::kAdagrad;
    if (o.kind == "adam") return UpdateRule::kAdam;
    if (o.kind == "adamw") return UpdateRule::kAdamW;
    return o.momentum == 0 ? UpdateRule::kSgd : o.nesterov ? UpdateRule::kNesterov : UpdateRule::kMomentum;
  }

  static ParameterStep step_of(const OptimizerOptions& o, const OptimizerDef& rule, const Optimizer& optimizer,
                               const ParameterInfo& info, int p) {
    StepScalars s;
    rule.scalars(o, optimizer.learning_rate(p), 1, s);
    const bool touched = info.table && (o.sparse_updates || rule.skips_zero_gradients(o));
    return {s.rate,
            s.decay,
            s.momentum,
            s.beta1,
            s.one_minus_beta1,
            s.beta2,
            s.one_minus_beta2,
            s.root_correction2,
            s.eps,
            (touched ? kTouchedRows : 0) | (optimizer.frozen()[p] != 0 ? kFrozen : 0)};
  }

  std::shared_ptr<const Program> program_;
  WeightPlacement placement_;
  CompiledKernel kernel_;
};

}  // namespace cavs::cuda
