#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "cavs/session.h"
#include "evaluated_model.h"

namespace cavs::python {

/// One evaluated minibatch. For a network, rows belong to the vertices that it evaluates; the pass owns their memory.
struct Pass {
  std::shared_ptr<const NetworkGraphs> network = nullptr;
  std::vector<std::int64_t> rows = {};          // for networks: as NetworkGraphs::rows returns
  std::vector<std::vector<float>> inputs = {};  // [inputs], for networks: rows that the run reads in place
  std::optional<Run> run = std::nullopt;
};

/// Evaluates a model on the CPU for a framework that owns the parameters and supplies gradients of outputs. Passes on
/// different threads wait for each other. Rows of inputs and outputs are in the order of the data's vertices.
class Evaluator {
 public:
  /// @param outputs  names of outputs, as for with_outputs
  /// @throws UserError as with_outputs, and as Session for its options.
  Evaluator(const Model& model, std::vector<std::string> outputs, const SessionOptions& options);

  const std::vector<EvaluatorPort>& outputs() const { return model_.outputs(); }
  const std::vector<EvaluatorPort>& inputs() const { return model_.inputs(); }
  bool has_dropout() const { return model_.has_dropout(); }
  Parameters& parameters() { return *parameters_; }
  std::mutex& mutex() { return mutex_; }

  /// bind() makes the caller's memory the memory of a parameter. Call touch() after its values have changed.
  void bind(int parameter, float* values);
  void touch(int parameter);

  /// Evaluates a minibatch. @param outputs  memory in the order of outputs(), each [vertices, width]
  Pass forward(const PyBatch& batch, Mode mode, std::vector<RunPull> inputs, std::uint32_t epoch,
               std::span<const std::span<float>> outputs);
  /// Computes gradients. @param pushes  gradients of the loss with respect to outputs, by name
  void backward(Pass& pass, Gradients& gradients, std::span<const Run::PushGradient> pushes);
  /// Computes gradients in memory of the evaluator, so that a table costs only the rows that were read.
  /// @param read  is called with the gradients, while no other pass runs
  void backward(Pass& pass, std::span<const Run::PushGradient> pushes,
                const std::function<void(const Gradients&)>& read);
  /// Copies the gradient of an input to `values`, after backward.
  void input_gradient(const Pass& pass, const EvaluatorPort& input, std::span<float> values) const;

 private:
  static constexpr int kSamples = 16;

  Session& session(Mode mode);
  void take_inputs(Pass& pass, std::vector<RunPull>& inputs) const;
  std::array<float, kSamples> sample(int parameter) const;
  void detect_writes();
  void run_backward(Pass& pass, Gradients& gradients, std::span<const Run::PushGradient> pushes);

  EvaluatedModel model_;
  SessionOptions options_;
  std::shared_ptr<Parameters> parameters_;
  std::vector<std::array<float, kSamples>> samples_;  // [parameters]: sample() of each at its last use
  std::map<Mode, std::unique_ptr<Session>> sessions_;
  std::unique_ptr<Gradients> gradients_;  // null before the first backward pass
  std::mutex mutex_;
};

}  // namespace cavs::python
