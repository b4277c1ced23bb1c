#include "execute/cuda_batched/batched_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <system_error>

#include "execute/cuda_batched/kernel_work.h"
#include "execute/run_values.h"
#include "script/validate_script.h"
#include "support/check.h"

namespace cavs::cuda {
namespace {

/// Returns a text such as "step 1, F of 'tree_lstm', stage task, instruction 2: matmul, rows 0-23".
std::string entry_text(const Program& program, const Plan& plan, const ScriptEntry& entry) {
  const Step& step = plan.steps[entry.step];
  const TypeProgram& type = program.types[step.type];
  return fmt::format(
      "step {}, {} of '{}', stage {}, instruction {}: {}, rows {}", entry.step, step.backward ? "∂F" : "F",
      type.function.name, to_string(step.stage), entry.instruction,
      name_of(type.at(step.backward, step.stage)[entry.instruction]),
      entry.rows.begin < entry.rows.end ? fmt::format("{}-{}", entry.rows.begin, entry.rows.end - 1) : "none");
}

/// Returns the options for chunks of lazy work. For measurements, the environment variable CAVS_CUDA_CHUNK_FLOPS sets
/// the operations per chunk. There is no branch if the host waits for each launch, or measures the time of each.
LaunchedChunks chunks_for(LaunchForm form, Streaming streaming) {
  LaunchedChunks chunks{.streaming = form >= LaunchForm::kGraphs ? streaming : Streaming::kOff};
  const std::string flops = from_environment("CAVS_CUDA_CHUNK_FLOPS");
  const auto [end, error] = std::from_chars(flops.data(), flops.data() + flops.size(), chunks.chunk_flops);
  user_check(flops.empty() || (error == std::errc() && end == flops.data() + flops.size() && chunks.chunk_flops > 0),
             "CAVS_CUDA_CHUNK_FLOPS is '{}'; expected a positive number of floating-point operations", flops);
  return chunks;
}

}  // namespace

CudaBatchedRun::CudaBatchedRun(CudaBatchedEngine& engine)
    : DeviceRun(engine),
      engine_(engine),
      writer_(engine.program(), engine.loaded().placement(),
              chunks_for(engine.loaded().launcher().form(), engine.options().streaming)),
      packer_(engine.program(), engine.loaded().placement(), engine.loaded().options()),
      exchange_(engine.device()),
      times_(engine.device()) {
  if (engine.options().time_kernels) launch_counts().times = &times_;
}

bool CudaBatchedRun::prepare(const PreparedBatch& prepared, bool) {
  const Plan& plan = batch().begin(prepared);
  shares_.assign(plan.steps.size(), {.worker = 0});
  writer_.make(plan, shares_, script_);
  if (engine_.options().check_scripts) check_script(engine_.program(), engine_.loaded().placement(), plan, script_);
  loss_gradient_ = 1 / static_cast<float>(prepared.minibatch.samples.size());
  std::vector<std::int32_t>& words = batch().words();
  packer_.pack(plan, script_, {loss_gradient_, engine_.options().seed, prepared.dropout_epoch}, words);
  engine_.loaded().list(plan, script_, launches_);
  stretches_at_ = std::ssize(words);
  for (const Stretch& stretch : launches_.stretches) {
    words.push_back(stretch.begin);
    words.push_back(stretch.end);
  }
  batch().send(prepared);
  return false;
}

/// Sends the arguments of a pass, and rounds the weights. @param stretch  number of the pass's first stretch
void CudaBatchedRun::begin_pass(const KernelArguments& arguments, std::size_t stretch) {
  engine_.begin_pass(arguments, reinterpret_cast<const Stretch*>(arguments.words + stretches_at_) + stretch);
  if (launch_counts().times != nullptr) times_.begin(stream());
  engine_.round_weights(launch_counts());
}

void CudaBatchedRun::launch(const Plan& plan, std::span<const LaunchItem> items) {
  const auto text_of = [&](int entry) { return entry_text(engine_.program(), plan, script_.entries[entry]); };
  engine_.loaded().launch(stream(), items, text_of, launch_counts());
}

void CudaBatchedRun::launch_forward(const Plan& plan) {
  launch(plan, std::span(launches_.items).first(launches_.backward));
}

void CudaBatchedRun::launch_backward(const Plan& plan) {
  engine_.launch(kClearGradients, launch_counts());
  launch(plan, std::span(launches_.items).subspan(launches_.backward));
}

void CudaBatchedRun::forward(const PreparedBatch& batch, float loss_gradient) {
  loss_gradient_ = loss_gradient;
  done_ = Directions::kForward;
  times_.clear();
  begin_pass(begin(batch, Directions::kForward, loss_gradient_, script_.backward), 0);
  launch_forward(batch.plan);
  finish(Directions::kForward);
}

void CudaBatchedRun::backward(const PreparedBatch& batch, Gradients& gradients,
                              std::span<const Run::PushGradient> pushes, bool) {
  const KernelArguments arguments = begin(batch, Directions::kBackward, loss_gradient_, script_.update);
  send_push_gradients(batch, pushes);
  begin_without_update();
  begin_pass(arguments, launches_.backward_stretch);
  launch_backward(batch.plan);
  finish(Directions::kBackward);
  done_ = Directions::kBoth;
  engine_.parameters().mark_gradients_on_device(batch.plan, gradients);
}

bool CudaBatchedRun::begin_training(const PreparedBatch& batch, float loss_gradient, const UpdateRequest& request,
                                    bool follows) {
  const auto takes_pushes = [](const TypeProgram& type) { return !type.push_gradients.empty(); };
  if (std::ranges::any_of(engine_.program().types, takes_pushes)) return false;
  loss_gradient_ = loss_gradient;
  done_ = Directions::kStep;
  slots_ = request.optimizer.slots();
  times_.clear();
  KernelArguments arguments = begin(batch, Directions::kStep, loss_gradient_, script_.update);
  begin_update(arguments, request);
  arguments.follows = follows ? 1 : 0;
  begin_pass(arguments, 0);
  launch_forward(batch.plan);
  launch_backward(batch.plan);
  for (const SharedKernel kernel : {kSums, kUpdateParameters}) engine_.launch(kernel, launch_counts());
  end_launches(Directions::kStep);
  mark_update_on_device(request.optimizer);
  return true;
}

/// Waits for the step. If the GPU has not updated, makes gradients readable, computing overwritten ones again.
TrainedStep CudaBatchedRun::end_training(const PreparedBatch& batch, const UpdateRequest& request) {
  const TrainedStep step = end_step(batch, request);
  if (!step.update.updated && is_overtaken()) {
    forward(batch, loss_gradient_);
    backward(batch, request.gradients, {}, false);
  }
  return step;
}

void CudaBatchedRun::launch(SharedKernel kernel, const KernelArguments& arguments) {
  engine_.begin_pass(arguments);
  engine_.launch(kernel, launch_counts());
}

std::vector<char> CudaBatchedRun::keep(const PreparedBatch& batch, std::span<const KeptPort> ports,
                                       std::span<const std::int32_t> vertices, std::span<const std::int32_t> slots) {
  if (vertices.empty()) return {};
  const std::int64_t count = std::ssize(vertices), states = std::ssize(ports);
  const std::int64_t widths_at = count * states * std::int64_t{sizeof(RowCopy)},
                     finite_at = widths_at + states * std::int64_t{sizeof(int)},
                     end = finite_at + count * std::int64_t{sizeof(int)};
  exchange_.reserve(end);
  const auto base = [&](std::int32_t type, const Operand& o, Slice) { return values().address(batch.plan, type, o); };
  for (std::int64_t s = 0; s < states; ++s) {
    const KeptPort& port = ports[s];
    RowCopy* const rows = exchange_.on_host<RowCopy>(0) + s;  // element k * states is of vertex k
    for (std::int64_t k = 0; k < count; ++k)
      rows[k * states] = {nullptr, port.rows + std::int64_t{slots[k]} * port.width};
    each_row(engine_.program(), batch, &TypeProgram::pushes, port.port, vertices, base,
             [&](std::size_t k, const float* first, const Output& output, std::int64_t row) {
               rows[static_cast<std::int64_t>(k) * states].from = first + row * output.operand.stride;
             });
    exchange_.on_host<int>(widths_at)[s] = port.width;
  }
  exchange_.upload(stream(), finite_at);
  KernelArguments arguments = engine_.arguments();
  arguments.copies = {exchange_.on_device<RowCopy>(0), exchange_.on_device<int>(widths_at),
                      exchange_.on_device<int>(finite_at), static_cast<int>(count), static_cast<int>(states)};
  launch(kKeepStates, arguments);
  exchange_.download(stream(), finite_at, end);
  const int* const finite = exchange_.on_host<int>(finite_at);
  return {finite, finite + count};
}

bool CudaBatchedRun::best_words(const PreparedBatch& batch, const std::string& port,
                                std::span<const std::int32_t> vertices, std::span<const std::int32_t> forced,
                                std::span<ScoredWord> words) {
  if (words.empty()) return true;
  const std::int64_t count = std::ssize(vertices), forced_at = count * std::int64_t{sizeof(const float*)},
                     best_at = forced_at + count * std::int64_t{sizeof(int)},
                     end = best_at + std::ssize(words) * std::int64_t{sizeof(WordScore)};
  exchange_.reserve(end);
  const auto base = [&](std::int32_t type, const Operand& o, Slice) { return values().address(batch.plan, type, o); };
  int width = 0;
  each_row(engine_.program(), batch, &TypeProgram::pushes, port, vertices, base,
           [&](std::size_t k, const float* first, const Output& output, std::int64_t row) {
             exchange_.on_host<const float*>(0)[k] = first + row * output.operand.stride;
             width = output.operand.width;
           });
  std::ranges::copy(forced, exchange_.on_host<int>(forced_at));
  exchange_.upload(stream(), best_at);
  KernelArguments arguments = engine_.arguments();
  arguments.search = {.logits = exchange_.on_device<const float*>(0),
                      .forced = exchange_.on_device<int>(forced_at),
                      .best = exchange_.on_device<WordScore>(best_at),
                      .rows = static_cast<int>(count),
                      .width = width,
                      .count = static_cast<int>(std::ssize(words) / count)};
  launch(kBestWords, arguments);
  exchange_.download(stream(), best_at, end);
  std::transform(exchange_.on_host<WordScore>(best_at), exchange_.on_host<WordScore>(end), words.begin(),
                 [](const WordScore& found) {
                   return ScoredWord{found.word, found.score};
                 });
  return true;
}

UpdateResult CudaBatchedRun::update(const UpdateRequest& request, float* gradients) {
  engine_.begin_pass(begin_update(request, gradients));
  for (const SharedKernel kernel : {kSums, kUpdateParameters}) engine_.launch(kernel, launch_counts());
  return end_update(request);
}

void CudaBatchedRun::count(const PreparedBatch& batch, RunStatistics& statistics) const {
  DeviceRun::count(batch, statistics);
  if (!engine_.options().time_kernels) return;
  statistics.kernels = {};
  const DevicePeaks peaks = engine_.peaks();
  WorkCounter counter(engine_.program(), batch.plan, peaks, engine_.loaded().kernels().kernels(), engine_.precision(),
                      statistics.kernels);
  const std::span<const LaunchItem> items = launches_.items;
  for (const LaunchItem& item : done_ == Directions::kForward ? items.first(launches_.backward) : items)
    counter.add(script_, item);
  if (engine_.keeps_halves()) counter.add(kRoundWeights, steps(), slots_);
  if (done_ != Directions::kForward) counter.add(kClearGradients, steps(), slots_);
  if (done_ == Directions::kStep)
    for (const SharedKernel kernel : {kSums, kUpdateParameters}) counter.add(kernel, steps(), slots_);
  engine_.loaded().take(times_, statistics.kernels);
}

/// Copies the caller's gradients of pushed values to the arena. Rows for which the caller has none are zero.
void CudaBatchedRun::send_push_gradients(const PreparedBatch& batch, std::span<const Run::PushGradient> pushes) {
  std::vector<float> rows;
  const Program& program = engine_.program();
  for (std::size_t t = 0; t < program.types.size(); ++t)
    for (const Output& output : program.types[t].push_gradients) {
      const Operand& o = output.operand;
      const auto type = static_cast<std::int32_t>(t);
      const std::int32_t vertices = batch.plan.types[t].vertices;
      rows.assign(static_cast<std::size_t>(vertices) * o.stride, 0);
      const auto given = std::ranges::find(pushes, output.port, &Run::PushGradient::port);
      for (std::int32_t v = 0; given != pushes.end() && v < batch.minibatch.vertices(); ++v)
        if (batch.minibatch.types[v] == type)
          std::copy_n(given->values.data() + std::int64_t{v} * o.width, o.width,
                      rows.data() + std::int64_t{batch.schedule.row[v] - batch.plan.type_begin[t]} * o.stride);
      values().write(batch.plan.types[t].tensors[o.id], rows);
    }
}

}  // namespace cavs::cuda
