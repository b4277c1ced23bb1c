#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "backend/cuda/entries/kernel_arguments.h"
#include "backend/cuda/entries/kernel_tables.h"
#include "backend/cuda/entries/pack_script.h"
#include "backend/cuda/persistent/kernel_source.h"
#include "cuda/launch_buffer.h"
#include "execute/cuda/optimizer_steps.h"
#include "helpers/evaluate.h"
#include "helpers/finite_differences.h"
#include "pack/minibatch.h"
#include "placement/placement.h"
#include "plan/planner.h"
#include "script/validate_script.h"
#include "script/write_script.h"
#include "share/step_sharer.h"
#include "update/optimizer_def.h"

namespace cavs::cuda {

/// Settings of a launch, besides program, placement and minibatch.
struct StepOptions {
  OptimizerOptions optimizer;
  float clip_norm = 0;
  std::uint64_t seed = 1;  // of dropout
  std::uint32_t epoch = 0;
  std::uint64_t order = 0;  // of fibers and blocks
  /// Makes all processors share all steps, so that products use weights in registers. Otherwise plans leave small steps
  /// to one processor, which reads weights from memory, and nearly all steps of the tests' models are small.
  bool all_share = true;
  bool checks_script = true;  // takes minutes for all processors of a GPU
};

/// Results of a step.
struct StepOutcome {
  StepResult result{};
  Gradients gradients;
  std::vector<std::vector<float>> parameters;
  std::vector<long long> clocks;  // KernelArguments::clocks
};

/// A minibatch in the kernel's format. Tests may change its script and words.
struct PackedStep {
  std::shared_ptr<const BoundGraphs> bound;
  Minibatch minibatch;
  Plan plan;
  Script script;
  std::vector<std::int32_t> words;
  bool has_values = false;  // fills the arena with zeros instead of marking it unwritten
};

struct LaunchShape {
  int blocks = 0, threads = 0;
  int shared_bytes = 0;  // dynamic shared memory per block
  std::uint64_t order = 0;
};

/// Launches a kernel and waits for it.
using Launcher = std::function<void(const LaunchShape&, const KernelArguments&, std::span<const LaunchBuffer>)>;

/// A model compiled for the persistent kernel. Blocks are small, because threads are slow here.
class PersistentStep {
 public:
  static constexpr KernelOptions kSmallBlocks{.warps = 2};
  /// Compiles like Trainer: values that are only pushed are not kept, so wide softmaxes run in tiles.
  static CompileOptions as_trained() { return {.pushes = std::vector<std::string>()}; }

  PersistentStep(const Model& model, const OnChipTarget& target, const KernelOptions& kernel = kSmallBlocks,
                 const CompileOptions& options = {}, const Target& compiled_for = kernel_target())
      : options_(kernel),
        program_(compile(model, options, compiled_for)),
        placement_(place_weights(*program_, target, kernel.precision == Precision::kBf16 ? 2 : 4)) {}

  const Program& program() const { return *program_; }
  const WeightPlacement& placement() const { return placement_; }
  KernelSource source() const { return persistent_kernel_source(*program_, placement_, options_); }
  KernelTables tables() const { return kernel_tables(*program_, placement_, options_); }
  /// Dynamic shared memory per block.
  int shared_bytes() const { return tables().shared_bytes(options_); }

  PackedStep pack(const GraphSet& graphs, std::span<const std::int32_t> samples, const StepOptions& options) const {
    PackedStep step;
    step.bound = bind_graphs(program_, graphs);
    step.minibatch = packed(*step.bound, samples);
    Scheduler scheduler;
    Schedule schedule;
    make_schedule(step.minibatch, *make_policy("frontier"), scheduler, schedule);
    Planner(*program_).make(step.minibatch, schedule, step.plan);
    StepShares shares(step.plan.steps.size());
    if (!options.all_share)
      StepSharer(*program_, placement_.target.processors).share(step.minibatch, schedule, step.plan, shares);
    ScriptWriter(*program_, placement_).make(step.plan, shares, step.script);
    if (options.checks_script) check_script(*program_, placement_, step.plan, step.script);
    pack_words(step, samples.size(), options);
    return step;
  }
  void pack_words(PackedStep& step, std::size_t samples, const StepOptions& options) const {
    ScriptPacker(*program_, placement_, options_)
        .pack(step.plan, step.script, {1.0F / static_cast<float>(samples), options.seed, options.epoch}, step.words);
  }

  /// Runs one first step, with the initial state of the optimiser.
  StepOutcome run(const PackedStep& minibatch, const Parameters& parameters, const StepOptions& options,
                  const Launcher& launch) const {
    const Plan& plan = minibatch.plan;
    std::vector<std::int32_t> words = minibatch.words;
    const std::vector<std::int64_t> offsets = parameter_offsets(*program_);
    const auto size = static_cast<std::size_t>(offsets.back());
    const OptimizerDef& rule = find_optimizer(options.optimizer.kind);
    const Optimizer optimizer(options.optimizer, parameters);
    std::vector<float> arena(static_cast<std::size_t>(plan.arena), minibatch.has_values ? 0 : kUnset),
        values(size, kUnset), gradients(size, kUnset);
    constexpr std::uint16_t kUnsetHalf = 0x7FFF;  // NaN
    std::vector<std::uint16_t> halves(arena.size(), kUnsetHalf), weight_halves(size, kUnsetHalf);
    const std::size_t slots = rule.slots(options.optimizer).size();
    std::vector<std::vector<float>> state(slots, std::vector<float>(size, rule.initial_state(options.optimizer)));
    std::vector<ParameterStep> steps = steps_of(optimizer);
    for (int p = 0; p < parameters.size(); ++p) {
      std::ranges::copy(parameters.values(p), values.begin() + offsets[p]);
    }
    std::vector<const float*> pulls;
    for (std::size_t port = 0; port < program_->float_ports.size(); ++port)
      pulls.push_back(minibatch.minibatch.bound->float_port(static_cast<std::int32_t>(port)));
    const int processors = placement_.target.processors;
    std::vector<unsigned> progress((static_cast<std::size_t>(processors) + 1) * kCounterStride);
    std::vector<double> squares(static_cast<std::size_t>(square_blocks(*program_)),
                                std::numeric_limits<double>::quiet_NaN());
    StepOutcome outcome;
    if (options_.clocks)
      outcome.clocks.resize(minibatch.script.entries.size() * static_cast<std::size_t>(processors) * kMoments);
    std::vector<LaunchBuffer> buffers{
        {"arena", arena.data(), arena.size() * sizeof(float), minibatch.has_values},
        {"halves", halves.data(), halves.size() * sizeof(halves[0]), minibatch.has_values},
        {"weights in bf16", weight_halves.data(), weight_halves.size() * sizeof(weight_halves[0]), false},
        {"pulls", pulls.data(), pulls.size() * sizeof(pulls[0])},
        {"steps", steps.data(), steps.size() * sizeof(steps[0])},
        {"words", words.data(), words.size() * sizeof(words[0])},
        {"progress", progress.data(), progress.size() * sizeof(progress[0])},
        {"squares", squares.data(), squares.size() * sizeof(squares[0]), false},
        {"result", &outcome.result, sizeof outcome.result, false},
        {"clocks", outcome.clocks.data(), outcome.clocks.size() * sizeof(outcome.clocks[0])}};
    add_ports(minibatch, buffers);
    for (int p = 0; p < parameters.size(); ++p) {
      const ParameterInfo& info = parameters.info(p);
      const auto bytes = static_cast<std::size_t>(info.shape.size()) * sizeof(float);
      buffers.push_back({"parameter " + info.name, values.data() + offsets[p], bytes});
      buffers.push_back({"gradient of " + info.name, gradients.data() + offsets[p], bytes, false});
      for (std::vector<float>& numbers : state)
        buffers.push_back({"state of " + info.name, numbers.data() + offsets[p], bytes});
    }
    const KernelArguments arguments{
        .arena = arena.data(),
        .halves = halves.data(),
        .weight_halves = weight_halves.data(),
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
        .clip_norm = options.clip_norm,
        .follows = 0,
        .addend = nullptr,
        .averages = nullptr,
        .average_rate = 0,
        .search = {},
        .copies = {},
        .weights = nullptr,
        .callers = nullptr,
        .clocks = outcome.clocks.empty() ? nullptr : outcome.clocks.data()};
    launch({.blocks = processors,
            .threads = kernel_threads(options_),
            .shared_bytes = shared_bytes(),
            .order = options.order},
           arguments, buffers);
    outcome.gradients = Gradients(parameters);
    for (int p = 0; p < parameters.size(); ++p) {
      const auto all = static_cast<std::size_t>(parameters.info(p).shape.size());
      outcome.parameters.emplace_back(values.begin() + offsets[p], values.begin() + offsets[p] + all);
      std::copy_n(gradients.begin() + offsets[p], all, outcome.gradients.values(p).begin());
      if ((steps[p].flags & kTouchedRows) != 0) keep_touched(plan, p, parameters.info(p), outcome.gradients);
    }
    return outcome;
  }

 private:
  static constexpr float kUnset = std::numeric_limits<float>::quiet_NaN();

  /// Adds the rows of the data set, one buffer per port.
  void add_ports(const PackedStep& minibatch, std::vector<LaunchBuffer>& buffers) const {
    const GraphSet& graphs = minibatch.bound->graphs();
    for (std::size_t port = 0; port < program_->float_ports.size(); ++port) {
      const float* const data = minibatch.minibatch.bound->float_port(static_cast<std::int32_t>(port));
      for (const auto of : {&GraphSet::float_pulls, &GraphSet::edge_float_pulls})
        for (std::size_t p = 0; p < number_of_ports(graphs, of == &GraphSet::edge_float_pulls); ++p)
          if (const std::span<const float> rows = (graphs.*of)(p); !rows.empty() && rows.data() == data)
            buffers.push_back(
                {"port " + program_->float_ports[port].name, const_cast<float*>(data), rows.size_bytes()});
    }
  }
  static std::size_t number_of_ports(const GraphSet& graphs, bool of_edges) {
    return of_edges ? graphs.schema().edge_float_ports.size() : graphs.schema().float_ports.size();
  }

  /// Zeroes rows without a gradient, whose contents are undefined.
  static void keep_touched(const Plan& plan, int p, const ParameterInfo& info, Gradients& gradients) {
    std::vector<float> kept(gradients.values(p).size());
    const std::int64_t width = info.shape.dims[1];
    for (std::int32_t k = 0; k < plan.touched[p].count; ++k) {
      const std::int64_t row = plan.rows[plan.touched[p].begin + k];
      std::copy_n(gradients.values(p).begin() + row * width, width, kept.begin() + row * width);
      gradients.table_rows[p].push_back(static_cast<std::int32_t>(row));
    }
    std::ranges::copy(kept, gradients.values(p).begin());
  }

  KernelOptions options_;
  std::shared_ptr<const Program> program_;
  WeightPlacement placement_;
};

}  // namespace cavs::cuda
