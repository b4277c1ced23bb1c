#include "evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ir/function.h"
#include "ir/op_id.h"
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

bool has(const Function& f, OpId op, const std::string& name) {
  return std::ranges::any_of(f.nodes, [&](const Node& node) { return node.is(op) && node.attribute_name() == name; });
}

/// The names of all nodes of this operator, each once.
std::vector<std::string> names_of(const Model& model, OpId op) {
  std::vector<std::string> names;
  for (const Function& f : model.functions())
    for (const Node& node : f.nodes)
      if (node.is(op) && std::ranges::find(names, node.attribute_name()) == names.end())
        names.push_back(node.attribute_name());
  return names;
}

/// The model, in which states that are wanted as outputs are pushed.
Model with_pushes(Model model, std::vector<std::string>& outputs) {
  user_check(!model.is_network(),
             "the model is a network of vertex functions (connect, over, reverse); expected one whose functions each "
             "are of one type of vertices");
  const std::vector<std::string> pushes = names_of(model, OpId::kPush), states = names_of(model, OpId::kScatter);
  if (outputs.empty()) outputs = pushes;
  user_check(!outputs.empty(), "the model pushes nothing; name states as outputs: {}", fmt::join(states, ", "));
  std::vector<std::string> known = pushes;
  known.insert(known.end(), states.begin(), states.end());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& name = outputs[i];
    user_check(std::ranges::find(known, name) != known.end(),
               "no vertex function pushes or scatters '{}', which is wanted as an output; {}", name,
               suggest(name, known));
    user_check(std::ranges::count(outputs, name) == 1, "output '{}' is named twice", name);
    if (std::ranges::find(pushes, name) != pushes.end()) continue;
    for (const std::string& type : model.types()) {
      const Function& f = *std::ranges::find(model.functions(), type, &Function::name);
      if (has(f, OpId::kScatter, name)) model.extend(type, [&](Vertex& v) { v.push(name, v.scattered(name)); });
    }
  }
  return model;
}

std::size_t width_of(const Program& program, const std::string& port) {
  for (const TypeProgram& type : program.types)
    if (const Output* output = find_output(type.pushes, port)) return static_cast<std::size_t>(output->operand.width);
  CAVS_ASSERT(false);
  return 0;
}

/// Float ports of vertices that the program reads.
std::vector<EvaluatorPort> inputs_of(const Program& program) {
  std::vector<EvaluatorPort> inputs;
  for (const GraphSchema::FloatPort& port : program.float_ports)
    if (std::ranges::any_of(program.types,
                            [&](const TypeProgram& type) { return has(type.function, OpId::kPull, port.name); }))
      inputs.push_back({port.name, static_cast<std::size_t>(port.width)});
  return inputs;
}

}  // namespace

Evaluator::Evaluator(const Model& model, std::vector<std::string> outputs, const SessionOptions& options)
    : model_(with_pushes(model, outputs)),
      options_(options),
      pushes_(std::move(outputs)),
      parameters_(model_.make_parameters()),
      samples_(parameters_->size()) {
  options_.seed = model.seed();
  const Program& inference = *variant({}).program;
  for (const std::string& name : pushes_) outputs_.push_back({name, width_of(inference, name)});
  inputs_ = inputs_of(inference);
  has_dropout_ = !names_of(model_, OpId::kDropoutMask).empty();
}

Evaluator::Variant& Evaluator::variant(Mode mode) {
  Variant& made = variants_[mode];
  if (made.session != nullptr) return made;
  made.program = compile(model_, {.training = mode.gradients,
                                  .dropout = mode.dropout,
                                  .pull_gradients = mode.input_gradients,
                                  .push_gradients = mode.gradients,
                                  .loss = false,
                                  .pushes = pushes_});
  made.session = std::make_unique<Session>(made.program, parameters_, options_);
  return made;
}

/// Graphs are matched with a program once, for as long as they exist.
std::shared_ptr<const BoundGraphs> Evaluator::bound(Variant& variant, const std::shared_ptr<const GraphSet>& graphs,
                                                    std::span<const GivenPull> inputs) {
  std::vector<std::string> given;
  for (const GivenPull& input : inputs) given.push_back(input.port);
  const std::pair key(graphs.get(), given);
  if (const auto it = variant.bound.find(key); it != variant.bound.end() && !it->second.of.expired())
    return it->second.bound;
  std::erase_if(variant.bound, [](const auto& entry) { return entry.second.of.expired(); });
  // Kept alive by who uses them: a cache that did so would keep all graphs that ever were.
  const std::shared_ptr<const GraphSet> borrowed(std::shared_ptr<void>(), graphs.get());
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

Run Evaluator::forward(const PyBatch& batch, Mode mode, std::vector<GivenPull> inputs, std::uint32_t epoch,
                       std::span<const std::span<float>> outputs) {
  const std::scoped_lock lock(mutex_);
  notice_writes();
  Variant& used = variant(mode);
  const auto graphs = bound(used, batch.graphs, inputs);
  Run run = used.session->forward(*graphs, batch.samples, {.epoch = epoch, .pulls = std::move(inputs)});
  CAVS_ASSERT(outputs.size() == outputs_.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) run.output(outputs_[i].name, outputs[i]);
  return run;
}

void Evaluator::backward(Run& run, Gradients& gradients, std::span<const Run::PushGradient> pushes) {
  const std::scoped_lock lock(mutex_);
  run.backward(gradients, pushes);
}

}  // namespace cavs::python
