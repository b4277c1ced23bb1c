#include "evaluator.h"

#include <algorithm>
#include <cstring>

#include "support/check.h"

namespace cavs::python {

Evaluator::Evaluator(const Model& model, std::vector<std::string> outputs, const SessionOptions& options)
    : model_(model, std::move(outputs)),
      options_(options),
      parameters_(model_.model().make_parameters()),
      samples_(parameters_->size()) {
  options_.seed = model.seed();
  session({});
}

Session& Evaluator::session(Mode mode) {
  std::unique_ptr<Session>& made = sessions_[mode];
  if (made == nullptr) made = std::make_unique<Session>(model_.program(mode), parameters_, options_);
  return *made;
}

void Evaluator::bind(int parameter, float* values) {
  const std::scoped_lock lock(mutex_);
  parameters_->bind(parameter, values);
}

void Evaluator::touch(int parameter) {
  const std::scoped_lock lock(mutex_);
  parameters_->touch(parameter);
}

/// Returns evenly spaced numbers of a parameter, from the first to the last.
std::array<float, Evaluator::kSamples> Evaluator::sample(int parameter) const {
  std::array<float, kSamples> numbers{};
  const std::span<const float> values = std::as_const(*parameters_).values(parameter);
  for (std::size_t i = 0; i < kSamples; ++i) numbers[i] = values[(values.size() - 1) * i / (kSamples - 1)];
  return numbers;
}

/// Calls touch() for parameters whose samples changed: writes through Tensor.data do not change a tensor's version.
void Evaluator::detect_writes() {
  for (int p = 0; p < parameters_->size(); ++p) {
    const auto now = sample(p);
    if (std::memcmp(now.data(), samples_[p].data(), sizeof now) == 0) continue;
    parameters_->touch(p);
    samples_[p] = now;
  }
}

/// For a network, copies the input rows of data vertices to the vertices that it evaluates.
void Evaluator::take_inputs(Pass& pass, std::vector<RunPull>& inputs) const {
  for (RunPull& input : inputs) {
    const std::size_t width = std::ranges::find(model_.inputs(), input.port, &EvaluatorPort::name)->width;
    input.values = pass.inputs.emplace_back(spread(input.values, pass.rows, width));
  }
}

Pass Evaluator::forward(const PyBatch& batch, Mode mode, std::vector<RunPull> inputs, std::uint32_t epoch,
                        std::span<const std::span<float>> outputs) {
  const std::scoped_lock lock(mutex_);
  detect_writes();
  Pass pass{.network = model_.network(batch.graphs)};
  Session& used = session(mode);
  std::vector<std::string> given;
  for (const RunPull& input : inputs) given.push_back(input.port);
  const auto graphs = model_.bound(mode, batch.graphs, pass.network.get(), std::move(given));
  if (pass.network != nullptr) {
    pass.rows = pass.network->rows(batch.samples);
    take_inputs(pass, inputs);
  }
  pass.run = used.forward(*graphs, batch.samples, {.epoch = epoch, .pulls = std::move(inputs)});
  CAVS_ASSERT(outputs.size() == model_.outputs().size());
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (pass.network == nullptr)
      pass.run->output(model_.pushes()[i], outputs[i]);
    else
      collect(pass.run->rows(model_.pushes()[i]), pass.rows, model_.outputs()[i].width, outputs[i]);
  return pass;
}

void Evaluator::backward(Pass& pass, Gradients& gradients, std::span<const Run::PushGradient> pushes) {
  const std::scoped_lock lock(mutex_);
  run_backward(pass, gradients, pushes);
}

void Evaluator::backward(Pass& pass, std::span<const Run::PushGradient> pushes,
                         const std::function<void(const Gradients&)>& read) {
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<Gradients> used = std::move(gradients_);  // if the pass throws, these gradients are dropped
  if (used == nullptr) used = std::make_unique<Gradients>(*parameters_);
  run_backward(pass, *used, pushes);
  read(*used);
  gradients_ = std::move(used);
}

void Evaluator::run_backward(Pass& pass, Gradients& gradients, std::span<const Run::PushGradient> pushes) {
  std::vector<std::vector<float>> of_network;
  std::vector<Run::PushGradient> given;
  for (const Run::PushGradient& push : pushes) {
    const auto at = static_cast<std::size_t>(std::ranges::find(model_.outputs(), push.port, &EvaluatorPort::name) -
                                             model_.outputs().begin());
    std::span<const float> values = push.values;
    if (pass.network != nullptr)
      values = of_network.emplace_back(spread(values, pass.rows, model_.outputs()[at].width));
    given.push_back({model_.pushes()[at], values});
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
