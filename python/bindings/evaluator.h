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
#include "cavs/compile.h"
#include "cavs/session.h"
#include "evaluator_outputs.h"
#include "network_graphs.h"

namespace cavs::python {

/// Samples of graphs, in the order in which they are evaluated.
struct PyBatch {
  std::shared_ptr<const GraphSet> graphs;
  std::vector<std::int32_t> samples;
  std::int64_t vertices = 0;

  /// All samples where none are given. @throws UserError for none, or a number out of range.
  PyBatch(std::shared_ptr<const GraphSet> graphs, std::vector<std::int32_t> samples);
};

/// Which program a pass takes.
struct Mode {
  bool gradients = false;        // backward may follow
  bool dropout = false;          // only with gradients
  bool input_gradients = false;  // only with gradients
  auto operator<=>(const Mode&) const = default;
};

/// A push port, or a float port of vertices that is pulled.
struct EvaluatorPort {
  std::string name;
  std::size_t width = 0;
};

/// One evaluated minibatch. Of a network the rows are those of the vertices that it evaluates, in memory of the pass.
struct Pass {
  std::shared_ptr<const NetworkGraphs> network = nullptr;
  std::vector<std::int64_t> rows = {};          // of a network: NetworkGraphs::rows
  std::vector<std::vector<float>> inputs = {};  // of a network; the run reads them
  std::optional<Run> run = std::nullopt;
};

/// Evaluates a model for a framework that keeps the parameters and gives gradients of outputs. Passes wait for each
/// other, whichever threads they are on. All rows that are given or taken are those of the data's vertices.
class Evaluator {
 public:
  /// @param outputs  as with_outputs takes them
  /// @throws UserError as with_outputs, or for session options that Session refuses.
  Evaluator(const Model& model, std::vector<std::string> outputs, const SessionOptions& options);

  const std::vector<EvaluatorPort>& outputs() const { return outputs_; }
  const std::vector<EvaluatorPort>& inputs() const { return inputs_; }
  bool has_dropout() const { return has_dropout_; }
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
  struct Variant {
    struct Bound {
      std::weak_ptr<const GraphSet> of;
      std::shared_ptr<const BoundGraphs> bound;
    };
    std::shared_ptr<const Program> program;
    std::unique_ptr<Session> session;
    std::map<std::pair<const GraphSet*, std::vector<std::string>>, Bound> bound;
  };
  static constexpr int kSamples = 16;

  Variant& variant(Mode mode);
  std::shared_ptr<const NetworkGraphs> network(const std::shared_ptr<const GraphSet>& graphs);
  std::shared_ptr<const BoundGraphs> bound(Variant& variant, const std::shared_ptr<const GraphSet>& graphs,
                                           const NetworkGraphs* network, std::span<const RunPull> inputs);
  void take_inputs(Pass& pass, std::vector<RunPull>& inputs) const;
  std::array<float, kSamples> sample(int parameter) const;
  void notice_writes();
  void run_backward(Pass& pass, Gradients& gradients, std::span<const Run::PushGradient> pushes);

  struct Known {
    std::weak_ptr<const GraphSet> of;
    std::shared_ptr<const NetworkGraphs> network;
  };

  ModelWithOutputs made_;
  SessionOptions options_;
  std::vector<EvaluatorPort> outputs_, inputs_;
  bool has_dropout_ = false;
  std::shared_ptr<Parameters> parameters_;
  std::vector<std::array<float, kSamples>> samples_;  // [parameters], when they were last used
  std::map<Mode, Variant> variants_;
  std::map<const GraphSet*, Known> networks_;  // of a network
  std::unique_ptr<Gradients> gradients_;       // once a backward pass has needed them
  std::mutex mutex_;
};

}  // namespace cavs::python
