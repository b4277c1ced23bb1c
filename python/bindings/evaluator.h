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

/// One evaluated minibatch. Of a network the rows are those of the vertices that it evaluates, in memory of the pass.
struct Pass {
  std::shared_ptr<const NetworkGraphs> network = nullptr;
  std::vector<std::int64_t> rows = {};          // of a network: NetworkGraphs::rows
  std::vector<std::vector<float>> inputs = {};  // of a network; the run reads them
  std::optional<Run> run = std::nullopt;
};

/// Evaluates a model on the CPU for a framework that keeps the parameters and gives gradients of outputs. Passes wait
/// for each other, whichever threads they are on. All rows that are given or taken are those of the data's vertices.
class Evaluator {
 public:
  /// @param outputs  as with_outputs takes them
  /// @throws UserError as with_outputs, or for session options that Session refuses.
  Evaluator(const Model& model, std::vector<std::string> outputs, const SessionOptions& options);

  const std::vector<EvaluatorPort>& outputs() const { return model_.outputs(); }
  const std::vector<EvaluatorPort>& inputs() const { return model_.inputs(); }
  bool has_dropout() const { return model_.has_dropout(); }
  Parameters& parameters() { return *parameters_; }
  std::mutex& mutex() { return mutex_; }

  /// Says which values will be used: of parameters whose memory is new, and of those that were written.
  void bind(int parameter, float* values);
  void touch(int parameter);

  /// Evaluates a minibatch. @param outputs  memory in the order of outputs(), each [vertices, width]
  Pass forward(const PyBatch& batch, Mode mode, std::vector<RunPull> inputs, std::uint32_t epoch,
               std::span<const std::span<float>> outputs);
  /// @param pushes  gradients of outputs, by their names
  void backward(Pass& pass, Gradients& gradients, std::span<const Run::PushGradient> pushes);
  /// The same with gradients in memory of the evaluator, so that a table costs as much as the rows that were read.
  /// @param read  is called with them, while no other pass runs
  void backward(Pass& pass, std::span<const Run::PushGradient> pushes,
                const std::function<void(const Gradients&)>& read);
  /// After backward, of an input.
  void input_gradient(const Pass& pass, const EvaluatorPort& input, std::span<float> values) const;

 private:
  static constexpr int kSamples = 16;

  Session& session(Mode mode);
  void take_inputs(Pass& pass, std::vector<RunPull>& inputs) const;
  std::array<float, kSamples> sample(int parameter) const;
  void notice_writes();
  void run_backward(Pass& pass, Gradients& gradients, std::span<const Run::PushGradient> pushes);

  EvaluatedModel model_;
  SessionOptions options_;
  std::shared_ptr<Parameters> parameters_;
  std::vector<std::array<float, kSamples>> samples_;  // [parameters], when they were last used
  std::map<Mode, std::unique_ptr<Session>> sessions_;
  std::unique_ptr<Gradients> gradients_;  // once a backward pass has needed them
  std::mutex mutex_;
};

}  // namespace cavs::python
