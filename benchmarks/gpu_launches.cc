// Counts launches of engine `batched` in the launch lists of the first minibatch, and predicts their times on an H100
// (gpu_time_model.h). Runs without a GPU. Prints tables in Markdown:
//
//   gpu_launches policies MODEL=DATA...    launches and time of a training step with `frontier` and a learned policy
//   gpu_launches lists MODEL=DATA...       lists of rows that tasks read, and copies that the PQ-tree would save
//   gpu_launches streaming MODEL=DATA...   time saved by computing gradients, or other work, in parallel with the tasks
//
// DATA is as in `cavs --data`.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <numeric>
#include <set>

#include "backend/cuda/batched/launch_list.h"
#include "cavs/data.h"
#include "cavs/error.h"
#include "cavs/inspect.h"
#include "cavs/models.h"
#include "gpu_time_model.h"
#include "layout/layout.h"
#include "pack/minibatch.h"
#include "plan/planner.h"
#include "schedule/resolve_policy.h"
#include "schedule/schedule.h"
#include "script/write_script.h"

namespace cavs::bench {
namespace {

/// Launches of a pass, and the parts of its time.
struct Pass {
  std::int64_t launches = 0, graphs = 0, nodes = 0, idle_nodes = 0;  // idle: nodes past the end of a stretch
  double gpu = 0;                                                    // us, including waits for the host
  double tasks = 0, free = 0;  // us of tasks; and the part of the GPU that tasks leave idle, as us of a whole GPU
  double eager = 0, lazy = 0;  // kernels outside of tasks

  /// A launch on the branch in parallel with the tasks.
  struct OnBranch {
    double asked = 0;              // us from the start of the pass
    double latency = 0, work = 0;  // us of a whole GPU
  };
  std::vector<OnBranch> branch;  // counted in `launches`, not in the times above
  double tasks_end = 0;          // us from the start of the pass

  /// Microseconds with the branch. Until the tasks end, the branch runs on the idle part of the GPU; then it shares the
  /// GPU with the rest of the pass.
  double streamed() const {
    const double rate = tasks > 0 ? free / tasks : 1;
    double at = 0, rest = 0;
    for (const auto& [asked, latency, work] : branch) {
      at = std::max(at, asked);
      const double end = at + latency + work / rate, late = std::max(0.0, end - std::max(at, tasks_end));
      rest += std::min(late * rate, latency + work);
      at = end;
    }
    return gpu + rest;
  }
};

class GpuModel {
 public:
  GpuModel(std::string name, const std::string& spec, std::int32_t hidden)
      : name_(std::move(name)),
        hidden_(hidden),
        data_(load(spec)),
        program_(compile_for(hidden)),
        bound_(*program_, data_.train) {
    placement_ = place_weights(*program_, one_processor());
    tables_ = cuda::kernel_tables(*program_, placement_, options_);
    kernels_ = cuda::batched_kernels(*program_, tables_, options_);
  }

  std::int32_t hidden() const { return hidden_; }
  const Program& program() const { return *program_; }
  const Plan& plan() const { return plan_; }
  const Script& script() const { return script_; }

  int kernel_of(const ScriptEntry& entry) const {
    const Step& step = plan_.steps[entry.step];
    const Instruction& i = step_code(step)[entry.instruction];
    const auto* const product = i.as<Matmul>();
    return kernels_.of(tables_.at(step.type, step.backward, step.stage, entry.instruction),
                       product != nullptr && product->transposed)[cuda::kMediumTile];
  }

  LearnedPolicy learn() const { return learn_policy(name_, bound_, {}); }

  /// Plans a minibatch of the first samples of the data, as a session would.
  void plan(int batch_size, const std::string& policy, const LearnedPolicy* learned = nullptr,
            const LaunchedChunks& sums = {.chunk_flops = INFINITY, .streaming = Streaming::kOff}) {
    minibatch_.clear(bound_);
    for (int s = 0; s < batch_size; ++s) minibatch_.add(s % data_.train.size());
    Schedule schedule;
    Scheduler scheduler;
    make_schedule(minibatch_, *resolve_policy(policy, learned, *program_), scheduler, schedule);
    tasks_ = std::ssize(schedule.tasks);
    Planner(*program_).make(minibatch_, schedule, plan_);
    const StepShares shares(plan_.steps.size(), StepShare{.worker = 0});
    ScriptWriter(*program_, placement_, sums).make(plan_, shares, script_);
  }
  std::int64_t tasks() const { return tasks_; }

  /// Counts F and ∂F of the last planned minibatch.
  std::array<Pass, 2> count() const {
    cuda::LaunchLister lister(*program_, tables_, kernels_, {}, true);
    cuda::LaunchList list;
    lister.list(plan_, script_, list);
    std::array<Pass, 2> passes;
    double host = 0, gpu = 0;
    auto stretch = list.stretches.begin();
    for (std::size_t k = 0; k < list.items.size(); ++k) {
      const cuda::LaunchItem& item = list.items[k];
      Pass& pass = passes[k >= list.backward];
      host += h100::kHostLaunch;
      if (item.on_branch) {
        const KernelTime kernel = time_of_launch(item);
        ++pass.launches;
        pass.branch.push_back({pass.gpu, h100::kBoundary + kernel.latency, kernel.work});
        continue;
      }
      const double start = gpu;
      gpu = std::max(gpu, host);
      if (item.levels == 0)
        gpu += add_launch(item, pass);
      else
        gpu += add_graph(item, *stretch++, lister.levels()[item.kernel], pass);
      pass.gpu += gpu - start;
      if (plan_.steps[script_.entries[item.entry].step].stage == Stage::kTask) pass.tasks_end = pass.gpu;
    }
    return passes;
  }

 private:
  static OnChipTarget one_processor() { return gpu_target("sm_90", 1, 1, 0); }

  Dataset load(const std::string& spec) const {
    const ZooModel& zoo = find_model(name_);
    const Model network = zoo.make({.ed_batch = true});
    return load_data(spec, {.steps = zoo.steps,
                            .spelled_below = zoo.spelled_below,
                            .graph_builder = zoo.graph_builder,
                            .network = &network});
  }

  std::shared_ptr<const Program> compile_for(std::int32_t hidden) const {
    const Model model = find_model(name_).make({.vocabulary = data_.rows("word"),
                                                .embedding = hidden,
                                                .hidden = hidden,
                                                .classes = data_.classes,
                                                .ed_batch = true});
    return compile(model, {.pushes = std::vector<std::string>()}, cuda::batched_target());
  }

  const Instruction& instruction_of(const ScriptEntry& entry) const {
    const Step& step = plan_.steps[entry.step];
    return step_code(step)[entry.instruction];
  }

  const Code& step_code(const Step& step) const { return program_->types[step.type].at(step.backward, step.stage); }

  KernelTime time_of_launch(const cuda::LaunchItem& item) const {
    const ScriptEntry& entry = script_.entries[item.entry];
    const Instruction& i = instruction_of(entry);
    std::int32_t rows = entry.rows.end - entry.rows.begin;
    int part = 0;
    if (const auto* const entropy = i.as<LinearCrossEntropy>()) {
      const std::int32_t height = program_->types[plan_.steps[entry.step].type].tensors[entropy->tile.id].max_rows;
      const auto [first, end] = plan_.range(plan_.steps[entry.step], i.domain);
      rows = std::min(height, end - first - item.tile * height);
      part = item.kernel == cuda::kTileEntropies ? 1 : 0;
    }
    return time_of(i, rows, part);
  }

  /// @return microseconds of the GPU
  double add_launch(const cuda::LaunchItem& item, Pass& pass) const {
    const double time = h100::kBoundary + time_of_launch(item).all();
    ++pass.launches;
    const Stage stage = plan_.steps[script_.entries[item.entry].step].stage;
    (stage == Stage::kEager ? pass.eager : stage == Stage::kLazy ? pass.lazy : pass.tasks) += time;
    return time;
  }

  double add_graph(const cuda::LaunchItem& item, const cuda::Stretch& stretch, const cuda::LaunchLister::Level& level,
                   Pass& pass) const {
    const auto of_level = std::ranges::count_if(level, [](int k) { return k != cuda::BatchedKernels::kNone; });
    const auto levels = (stretch.end - stretch.begin) / std::ssize(level);
    double time = h100::kBoundary + h100::kLoopLatency, free = time;  // kernel at the start of a stretch
    for (std::int32_t e = stretch.begin; e < stretch.end; ++e) {
      const ScriptEntry& entry = script_.entries[e];
      if (level[(e - stretch.begin) % level.size()] == cuda::BatchedKernels::kNone) continue;
      const KernelTime kernel = time_of(instruction_of(entry), entry.rows.end - entry.rows.begin);
      time += h100::kBoundary + kernel.all();
      free += h100::kBoundary + kernel.all() - kernel.full;
    }
    const auto idle = (item.levels - levels) * of_level;
    time += static_cast<double>(idle) * h100::kBoundary;
    ++pass.graphs;
    pass.nodes += 1 + item.levels * of_level;
    pass.idle_nodes += idle;
    pass.tasks += time;
    pass.free += free;
    return time;
  }

  std::string name_;
  std::int32_t hidden_;
  Dataset data_;
  std::shared_ptr<const Program> program_;
  BoundGraphs bound_;
  cuda::KernelOptions options_{.weight_registers = 0};
  WeightPlacement placement_;
  cuda::KernelTables tables_;
  cuda::BatchedKernels kernels_;
  Minibatch minibatch_;
  Plan plan_;
  Script script_;
  std::int64_t tasks_ = 0;
};

struct Named {
  std::string model, data;
};

/// The model in each of the sizes that fit into memory.
std::vector<std::unique_ptr<GpuModel>> sized(const Named& named, std::initializer_list<int> sizes) {
  std::vector<std::unique_ptr<GpuModel>> models;
  for (const int hidden : sizes) try {
      models.push_back(std::make_unique<GpuModel>(named.model, named.data, hidden));
    } catch (const UserError& error) {
      std::cerr << fmt::format("{}, h = {}: {}\n", named.model, hidden, error.what());
    }
  return models;
}

void print_policies(const std::vector<Named>& models) {
  fmt::print(
      "| model | batch | policy | tasks | launches, graphs, kernels | us, h = 64 / 256 / 512 | speed |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Named& named : models) {
    const auto sizes = sized(named, {64, 256, 512});
    const LearnedPolicy learned = sizes.front()->learn();
    for (const int batch_size : {1, 8, 64, 256}) {
      std::vector<double> first;
      for (const char* policy : {"frontier", "ratio", "fsm"}) {
        std::vector<std::string> times, speeds;
        for (auto& model : sizes) {
          model->plan(batch_size, policy, &learned);
          const auto [f, b] = model->count();
          if (model == sizes.front())
            fmt::print("| `{}` | {} | {} | {} | {}, {}, {} |", named.model, batch_size, policy, model->tasks(),
                       f.launches + b.launches, f.graphs + b.graphs, f.nodes + b.nodes);
          times.push_back(fmt::format("{:.0f}", f.gpu + b.gpu));
          if (first.size() < sizes.size())
            first.push_back(f.gpu + b.gpu);
          else
            speeds.push_back(fmt::format("{:.2f}", first[speeds.size()] / (f.gpu + b.gpu)));
        }
        fmt::print(" {} | {} |\n", fmt::join(times, " / "), fmt::join(speeds, " / "));
      }
    }
  }
}

bool copies(const Instruction& i) { return name_of(i) == "copy" || name_of(i) == "expand" || name_of(i) == "concat"; }

/// Counts of the kernels in tasks.
struct TaskEntries {
  std::int64_t kernels = 0,
               alike = 0;  // alike: launches, if one launch did all kernels of a task that are equal and independent
  std::int64_t copies = 0, without_list = 0, operands = 0, lists = 0;
};

TaskEntries count_entries(const GpuModel& model) {
  TaskEntries all;
  const Script& script = model.script();
  std::set<std::tuple<std::int32_t, std::int32_t, int>> alike;  // step, level, kernel
  for (const ScriptEntry& entry : script.entries) {
    if (!entry.is_of_step()) continue;
    const Step& step = model.plan().steps[entry.step];
    const auto operands = part_of(script.operands, script.members[entry.members.begin].operands);
    if (step.stage != Stage::kTask || operands.empty()) continue;  // no operands: a view
    const Instruction& i = model.program().types[step.type].at(step.backward, step.stage)[entry.instruction];
    const auto lists = std::ranges::count_if(operands, [](const ScriptOperand& o) { return o.list >= 0; });
    alike.emplace(entry.step, i.level, model.kernel_of(entry));
    ++all.kernels;
    all.copies += copies(i);
    all.without_list += lists == 0;
    all.operands += std::ssize(operands);
    all.lists += lists;
  }
  all.alike = std::ssize(alike);
  return all;
}

void print_lists(const std::vector<Named>& models) {
  fmt::print(
      "| model | kernels of tasks | copies among them | without a list | operands | operands with a list | copies as "
      "declared; by the PQ-tree | launches, if equal independent kernels are one | speed |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Named& named : models) {
    GpuModel model(named.model, named.data, 256);
    model.plan(64, "frontier");
    const TaskEntries all = count_entries(model);
    const MemoryLayout layout = find_layout(model.program());
    const auto [f, b] = model.count();
    const double saved = static_cast<double>(all.kernels - all.alike) * (h100::kBoundary + h100::kLoopLatency);
    fmt::print("| `{}` | {} | {} | {} | {} | {} | {}; {} | {} | {:.2f} |\n", named.model, all.kernels, all.copies,
               all.without_list, all.operands, all.lists, layout.declared.kernels, layout.copies.kernels, all.alike,
               (f.gpu + b.gpu) / (f.gpu + b.gpu - saved));
  }
}

/// Microseconds that a pass saves if `work` (in us) outside of its tasks is cut into chunks that run on a branch in
/// parallel with the tasks: eager chunks before the tasks that read them, lazy chunks after the tasks that they read.
/// Uses the best number of chunks, one of which stays outside.
double saved_beside(const Pass& pass, double work) {
  constexpr double kOneGraphMore = 2 * h100::kBoundary + h100::kLoopLatency;
  double best = 0;
  for (const double chunks : {2, 4, 8})
    best = std::max(best, (chunks - 1) * (std::min(work, pass.free) / chunks - kOneGraphMore));
  return best;
}

void print_streaming(const std::vector<Named>& models) {
  fmt::print(
      "| model | h | batch | us | F: eager, tasks, lazy | ∂F: eager, tasks, lazy | launches on the branch | graphs "
      "more "
      "| us with it | speed | in equal chunks | eager of F |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Named& named : models)
    for (const auto& model : sized(named, {256, 512, 1024}))
      for (const int batch_size : {1, 16, 64}) {
        model->plan(batch_size, "frontier");
        const auto [f, b] = model->count();
        const double all = f.gpu + b.gpu;
        fmt::print("| `{}` | {} | {} | {:.0f} | {:.0f}, {:.0f}, {:.0f} | {:.0f}, {:.0f}, {:.0f} |", named.model,
                   model->hidden(), batch_size, all, f.eager, f.tasks, f.lazy, b.eager, b.tasks, b.lazy);
        model->plan(batch_size, "frontier", nullptr, LaunchedChunks{});
        const auto [sf, sb] = model->count();
        const double streamed = sf.streamed() + sb.streamed();
        fmt::print(" {} | {} | {:.0f} | {:.2f} |", sf.branch.size() + sb.branch.size(),
                   sf.graphs + sb.graphs - f.graphs - b.graphs, streamed, all / streamed);
        for (const double saved : {saved_beside(f, f.lazy) + saved_beside(b, b.lazy), saved_beside(f, f.eager)})
          fmt::print(" {:.2f} |", all / (all - saved));
        fmt::print("\n");
      }
}

int run(const std::vector<std::string>& arguments) {
  std::vector<Named> models;
  for (std::size_t k = 1; k < arguments.size(); ++k) {
    const auto equals = arguments[k].find('=');
    if (equals == std::string::npos) return 2;
    models.push_back({arguments[k].substr(0, equals), arguments[k].substr(equals + 1)});
  }
  if (models.empty()) return 2;
  if (arguments[0] == "policies")
    print_policies(models);
  else if (arguments[0] == "lists")
    print_lists(models);
  else if (arguments[0] == "streaming")
    print_streaming(models);
  else
    return 2;
  return 0;
}

}  // namespace
}  // namespace cavs::bench

int main(int count, char** arguments) try {
  const int code = cavs::bench::run({arguments + 1, arguments + count});
  if (code != 0) std::cerr << "usage: gpu_launches policies|lists|streaming MODEL=DATA...\n";
  return code;
} catch (const std::exception& error) {
  std::cerr << "gpu_launches: " << error.what() << "\n";
  return 1;
}
