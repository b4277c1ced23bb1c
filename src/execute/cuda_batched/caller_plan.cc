#include "execute/cuda_batched/caller_plan.h"

#include <algorithm>

#include "script/validate_script.h"
#include "support/check.h"

namespace cavs::cuda {
namespace {

constexpr std::int64_t kWord = sizeof(std::int32_t), kFloat = sizeof(float), kHalf = sizeof(std::uint16_t),
                       kPointer = sizeof(DevicePointer);
constexpr std::int64_t kLine = 256;  // alignment in bytes of the parts of a pass's memory

std::int64_t aligned(std::int64_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

/// Assigns offsets to copies of the caller's inputs in the order of vertices. @return number of floats of all copies
std::int64_t spread_floats(const Program& program, std::int64_t vertices, DevicePlan::Content& made) {
  std::int64_t floats = 0;
  for (std::size_t i = 0; i < made.given.size(); ++i) {
    if (made.given[i] < 0) continue;
    made.spread[i] = floats;
    floats += vertices * program.float_ports[static_cast<std::size_t>(made.given[i])].width;
  }
  return floats;
}

}  // namespace

CallerPlanner::CallerPlanner(const Program& program, const DevicePasses::Ports& ports, LoadedProgram& loaded,
                             const SessionOptions& options)
    : program_(program),
      ports_(ports),
      loaded_(loaded),
      options_(options),
      pulls_(program),
      writer_(program, loaded.placement(), LaunchedChunks{.streaming = Streaming::kOff}),
      packer_(program, loaded.placement(), loaded.options()) {}

std::shared_ptr<DevicePlan::Content> CallerPlanner::make(
    const PreparedBatch& batch, std::span<const std::int64_t> caller_rows, std::int64_t rows,
    const std::function<void(const Plan&, const Script&, LaunchList&)>& list) {
  auto made = std::make_shared<DevicePlan::Content>();
  const Plan& plan = pulls_.collect(batch.minibatch, batch.plan);
  shares_.assign(plan.steps.size(), {.worker = 0});
  writer_.make(plan, shares_, script_);
  if (options_.check_scripts) check_script(program_, loaded_.placement(), plan, script_);
  packer_.pack(plan, script_, {.loss_gradient = 1, .seed = options_.seed, .epoch = 0}, made->words);
  made->backward = script_.backward;
  made->update = script_.update;
  pack_copies(batch, plan, caller_rows, caller_rows.empty() ? batch.minibatch.vertices() : rows, *made);
  list(plan, script_, made->launches);
  made->stretches = std::ssize(made->words);
  for (const Stretch& stretch : made->launches.stretches) {
    made->words.push_back(stretch.begin);
    made->words.push_back(stretch.end);
  }

  made->pulled.resize(static_cast<std::size_t>(pulls_.floats()));
  pulls_.copy(batch.minibatch, made->pulled.data());
  for (std::size_t port = 0; port <= program_.float_ports.size(); ++port)
    made->pulled_begin.push_back(pulls_.begin(port));
  made->touched.resize(program_.parameters.size());
  for (std::size_t p = 0; p < plan.touched.size(); ++p) {
    const auto begin = plan.rows.begin() + plan.touched[p].begin;
    made->touched[p].assign(begin, begin + plan.touched[p].count);
  }

  const auto pointers = [](std::size_t count) { return aligned(static_cast<std::int64_t>(count) * kPointer); };
  const std::size_t parameters = std::max<std::size_t>(program_.parameters.size(), 1);
  CallerLayout& layout = made->layout;
  layout.halves = layout.weight_halves = layout.image = aligned(plan.arena * kFloat);
  if (options_.precision == Precision::kBf16) {
    layout.weight_halves = layout.halves + aligned(std::max<std::int64_t>(plan.arena, 1) * kHalf);
    layout.image = layout.weight_halves + aligned(parameter_offsets(program_).back() * kHalf);
  }
  layout.pulls = layout.image;
  layout.weights = layout.pulls + pointers(program_.float_ports.size() + program_.states.size());
  layout.callers = layout.weights + pointers(parameters);
  layout.words = layout.callers + pointers(CallerNumbers{ports_.inputs.size(), ports_.outputs.size()}.count());
  layout.steps = layout.words + aligned(std::ssize(made->words) * kWord);
  layout.pulled = layout.steps + aligned(static_cast<std::int64_t>(parameters * sizeof(ParameterStep)));
  layout.spread = layout.pulled + aligned(std::ssize(made->pulled) * kFloat);
  const std::int64_t spread = caller_rows.empty() ? 0 : spread_floats(program_, batch.minibatch.vertices(), *made);
  layout.end = layout.spread + aligned(spread * kFloat);
  return made;
}

void CallerPlanner::add_copies(const Plan& plan, std::vector<Output> TypeProgram::*outputs, const std::string& port,
                               CopyKind kind, std::size_t caller) {
  for (std::size_t t = 0; t < program_.types.size(); ++t)
    if (const Output* const output = find_output(program_.types[t].*outputs, port);
        output != nullptr && plan.types[t].vertices > 0)
      copies_.push_back(
          {.type = static_cast<std::int32_t>(t), .operand = &output->operand, .kind = kind, .caller = caller});
}

/// Packs the copies between the caller's rows and the arena. Without a network, a caller's row belongs to one vertex.
/// In a network, it belongs to several vertices, which pull and push different ports, or pull the same input. Gradients
/// of an input that several vertices pull are added.
void CallerPlanner::pack_copies(const PreparedBatch& batch, const Plan& plan, std::span<const std::int64_t> caller_rows,
                                std::int64_t rows, DevicePlan::Content& made) {
  const bool is_network = !caller_rows.empty();
  const CallerNumbers numbers{ports_.inputs.size(), ports_.outputs.size()};
  const auto row_of = [&](std::int32_t vertex) {
    return is_network ? static_cast<std::int32_t>(caller_rows[static_cast<std::size_t>(vertex)]) : vertex;
  };
  std::vector<std::int32_t> by_row, by_vertex;
  for (const std::int32_t vertex : batch.schedule.vertex) by_row.push_back(row_of(vertex));
  if (is_network)
    for (std::int32_t v = 0; v < batch.minibatch.vertices(); ++v) by_vertex.push_back(row_of(v));

  copies_.clear();
  const auto count = [&] { return static_cast<int>(copies_.size()); };
  const auto rows_with = [&](int first) {
    std::int64_t found = 0;
    for (int c = first; c < count(); ++c) found += plan.types[static_cast<std::size_t>(copies_[c].type)].vertices;
    return found;
  };
  const auto clear = [&](std::vector<DevicePlan::Content::Clear>& clears, int first, std::size_t caller, int width) {
    if (is_network || rows_with(first) < rows) clears.push_back({caller, rows * width * kFloat});
  };
  made.given.assign(numbers.inputs, -1);
  made.spread.assign(numbers.inputs, -1);
  for (std::size_t i = 0; i < numbers.inputs; ++i) {
    if (!batch.minibatch.bound->is_run_port(ports_.inputs[i])) continue;
    const auto at = std::ranges::find(program_.float_ports, ports_.inputs[i], &GraphSchema::FloatPort::name);
    if (at == program_.float_ports.end()) continue;  // no value that is computed reads the input
    made.given[i] = static_cast<std::int32_t>(at - program_.float_ports.begin());
    if (is_network) copies_.push_back({.port = made.given[i], .width = at->width, .kind = kFromCaller, .caller = i});
  }
  made.spreads = {0, count()};
  for (std::size_t o = 0; o < numbers.outputs; ++o) {
    const int first = count();
    add_copies(plan, &TypeProgram::pushes, ports_.outputs[o], kToCaller, numbers.output(o));
    clear(made.clears, first, numbers.output(o), width_of_port(ports_.outputs[o], &TypeProgram::pushes));
  }
  made.outputs = {made.spreads.end, count()};
  for (std::size_t o = 0; o < numbers.outputs; ++o)
    add_copies(plan, &TypeProgram::push_gradients, ports_.outputs[o], kFromCaller, numbers.output_gradient(o));
  made.output_gradients = {made.outputs.end, count()};
  for (std::size_t i = 0; i < numbers.inputs; ++i) {
    if (made.given[i] < 0) continue;
    const int first = count();
    add_copies(plan, &TypeProgram::pull_gradients, ports_.inputs[i], is_network ? kAddToCaller : kToCaller,
               numbers.input_gradient(i));
    clear(made.clears_back, first, numbers.input_gradient(i),
          program_.float_ports[static_cast<std::size_t>(made.given[i])].width);
    for (int c = first; c < count(); c = made.input_gradients.back().end)
      made.input_gradients.push_back({c, is_network ? c + 1 : count(), numbers.input_gradient(i)});
  }
  packer_.pack_copies(copies_, by_row, by_vertex, made.words);
}

int CallerPlanner::width_of_port(const std::string& port, std::vector<Output> TypeProgram::*outputs) const {
  for (const TypeProgram& type : program_.types)
    if (const Output* const output = find_output(type.*outputs, port)) return output->operand.width;
  return 0;
}

}  // namespace cavs::cuda
