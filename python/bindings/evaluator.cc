#include "evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "support/check.h"
#include "support/suggest.h"

namespace cavs::python {

PyBatch::PyBatch(std::shared_ptr<const GraphSet> of, std::vector<std::int32_t> chosen)
    : graphs(std::move(of)), samples(std::move(chosen)) {
  user_check(!samples.empty(), "a batch has no samples; expected at least one");
  const auto begin = graphs->vertex_begin();
  for (const std::int32_t s : samples) {
    user_check(0 <= s && s < graphs->size(), "sample {} is not in the graphs; expected 0 to {}", s, graphs->size() - 1);
    vertices += begin[s + 1] - begin[s];
  }
}

namespace {

std::size_t width_of(const Program& program, const std::string& port) {
  for (const FunctionPorts& function : function_ports(program))
    for (const FunctionPorts::Port& push : function.pushes)
      if (push.name == port) return static_cast<std::size_t>(push.width);
  CAVS_ASSERT(false);
  return 0;
}

/// Float ports of vertices that the program reads.
std::vector<EvaluatorPort> inputs_of(const Program& program) {
  std::vector<EvaluatorPort> inputs;
  for (const FunctionPorts& function : function_ports(program))
    for (const FunctionPorts::Port& pull : function.pulls)
      if (std::ranges::find(inputs, pull.name, &EvaluatorPort::name) == inputs.end())
        inputs.push_back({pull.name, static_cast<std::size_t>(pull.width)});
  return inputs;
}

}  // namespace

Evaluator::Evaluator(const Model& model, std::vector<std::string> outputs, const SessionOptions& options)
    : made_(with_outputs(model, std::move(outputs))),
      options_(options),
      parameters_(made_.model.make_parameters()),
      samples_(parameters_->size()) {
  options_.seed = model.seed();
  const Program& inference = *variant({}).program;
  for (std::size_t i = 0; i < made_.outputs.size(); ++i)
    outputs_.push_back({made_.outputs[i], width_of(inference, made_.pushes[i])});
  inputs_ = inputs_of(inference);
  has_dropout_ = std::ranges::any_of(made_.model.function_infos(), &FunctionInfo::has_dropout);
}

Evaluator::Variant& Evaluator::variant(Mode mode) {
  Variant& made = variants_[mode];
  if (made.session != nullptr) return made;
  made.program = compile(made_.model, {.training = mode.gradients,
                                       .dropout = mode.dropout,
                                       .pull_gradients = mode.input_gradients,
                                       .push_gradients = mode.gradients,
                                       .loss = false,
                                       .pushes = made_.pushes});
  made.session = std::make_unique<Session>(made.program, parameters_, options_);
  return made;
}

/// A network's graphs of these, made once, for as long as these exist; null where they are evaluated as they are.
std::shared_ptr<const NetworkGraphs> Evaluator::network(const std::shared_ptr<const GraphSet>& graphs) {
  if (!made_.model.is_network() || graphs->schema().connected) return nullptr;
  if (const auto it = networks_.find(graphs.get()); it != networks_.end() && !it->second.of.expired())
    return it->second.network;
  std::erase_if(networks_, [](const auto& entry) { return entry.second.of.expired(); });
  return (networks_[graphs.get()] = {graphs, std::make_shared<NetworkGraphs>(made_.model, *graphs)}).network;
}

/// Graphs are matched with a program once, for as long as they exist.
std::shared_ptr<const BoundGraphs> Evaluator::bound(Variant& variant, const std::shared_ptr<const GraphSet>& graphs,
                                                    const NetworkGraphs* network, std::span<const RunPull> inputs) {
  std::vector<std::string> given;
  for (const RunPull& input : inputs) given.push_back(input.port);
  const std::pair key(graphs.get(), given);
  if (const auto it = variant.bound.find(key); it != variant.bound.end() && !it->second.of.expired())
    return it->second.bound;
  std::erase_if(variant.bound, [](const auto& entry) { return entry.second.of.expired(); });
  // Kept alive by who uses them: a cache that did so would keep all graphs that ever were.
  const GraphSet* evaluated = network == nullptr ? graphs.get() : &network->evaluated();
  const std::shared_ptr<const GraphSet> borrowed(std::shared_ptr<void>(), evaluated);
  return (variant.bound[key] = {graphs, bind_graphs(variant.program, borrowed, given)}).bound;
}

void Evaluator::bind(int parameter, float* values) {
  const std::scoped_lock lock(mutex_);
  parameters_->bind(parameter, values);
}

void Evaluator::touch(int parameter) {
  const std::scoped_lock lock(mutex_);
  parameters_->touch(parameter);
}

/// Some numbers of a parameter, from its first to its last.
std::array<float, Evaluator::kSamples> Evaluator::sample(int parameter) const {
  std::array<float, kSamples> numbers{};
  const std::span<const float> values = std::as_const(*parameters_).values(parameter);
  for (std::size_t i = 0; i < kSamples; ++i) numbers[i] = values[(values.size() - 1) * i / (kSamples - 1)];
  return numbers;
}

/// Writes that nobody announced, such as those through Tensor.data, which change no version.
void Evaluator::notice_writes() {
  for (int p = 0; p < parameters_->size(); ++p) {
    const auto now = sample(p);
    if (std::memcmp(now.data(), samples_[p].data(), sizeof now) == 0) continue;
    parameters_->touch(p);
    samples_[p] = now;
  }
}

/// Of a network, rows for all vertices that it evaluates.
void Evaluator::take_inputs(Pass& pass, std::vector<RunPull>& inputs) const {
  for (RunPull& input : inputs) {
    const std::size_t width = std::ranges::find(inputs_, input.port, &EvaluatorPort::name)->width;
    input.values = pass.inputs.emplace_back(spread(input.values, pass.rows, width));
  }
}

Pass Evaluator::forward(const PyBatch& batch, Mode mode, std::vector<RunPull> inputs, std::uint32_t epoch,
                        std::span<const std::span<float>> outputs) {
  const std::scoped_lock lock(mutex_);
  notice_writes();
  Pass pass{.network = network(batch.graphs)};
  Variant& used = variant(mode);
  const auto graphs = bound(used, batch.graphs, pass.network.get(), inputs);
  if (pass.network != nullptr) pass.rows = pass.network->rows(batch.samples), take_inputs(pass, inputs);
  pass.run = used.session->forward(*graphs, batch.samples, {.epoch = epoch, .pulls = std::move(inputs)});
  CAVS_ASSERT(outputs.size() == outputs_.size());
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (pass.network == nullptr)
      pass.run->output(made_.pushes[i], outputs[i]);
    else
      collect(pass.run->rows(made_.pushes[i]), pass.rows, outputs_[i].width, outputs[i]);
  return pass;
}

void Evaluator::backward(Pass& pass, Gradients& gradients, std::span<const Run::PushGradient> pushes) {
  const std::scoped_lock lock(mutex_);
  run_backward(pass, gradients, pushes);
}

void Evaluator::backward(Pass& pass, std::span<const Run::PushGradient> pushes,
                         const std::function<void(const Gradients&)>& read) {
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<Gradients> used = std::move(gradients_);  // those of a pass that an error ends are not used again
  if (used == nullptr) used = std::make_unique<Gradients>(*parameters_);
  run_backward(pass, *used, pushes);
  read(*used);
  gradients_ = std::move(used);
}

void Evaluator::run_backward(Pass& pass, Gradients& gradients, std::span<const Run::PushGradient> pushes) {
  std::vector<std::vector<float>> of_network;
  std::vector<Run::PushGradient> given;
  for (const Run::PushGradient& push : pushes) {
    const auto at =
        static_cast<std::size_t>(std::ranges::find(outputs_, push.port, &EvaluatorPort::name) - outputs_.begin());
    std::span<const float> values = push.values;
    if (pass.network != nullptr) values = of_network.emplace_back(spread(values, pass.rows, outputs_[at].width));
    given.push_back({made_.pushes[at], values});
  }
  pass.run->backward(gradients, given);
}

void Evaluator::input_gradient(const Pass& pass, const EvaluatorPort& input, std::span<float> values) const {
  if (pass.network == nullptr)
    pass.run->pull_gradient(input.name, values);
  else
    add_up(pass.run->pull_gradient(input.name), pass.rows, input.width, values);
}

}  // namespace cavs::python
