#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "cavs/session.h"
#include "compile/program.h"

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

/// Evaluates a model for a framework that keeps the parameters and gives gradients of outputs. Passes wait for each
/// other, whichever threads they are on.
class Evaluator {
 public:
  /// @param outputs  push ports or states; states are pushed by the evaluator's copy of the model
  /// @throws UserError for a network, no or unknown outputs, or session options that Session refuses.
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
  Run forward(const PyBatch& batch, Mode mode, std::vector<GivenPull> inputs, std::uint32_t epoch,
              std::span<const std::span<float>> outputs);
  void backward(Run& run, Gradients& gradients, std::span<const Run::PushGradient> pushes);

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
  std::shared_ptr<const BoundGraphs> bound(Variant& variant, const std::shared_ptr<const GraphSet>& graphs,
                                           std::span<const GivenPull> inputs);
  std::array<float, kSamples> sample(int parameter) const;
  void notice_writes();

  Model model_;
  SessionOptions options_;
  std::vector<std::string> pushes_;
  std::vector<EvaluatorPort> outputs_, inputs_;
  bool has_dropout_ = false;
  std::shared_ptr<Parameters> parameters_;
  std::vector<std::array<float, kSamples>> samples_;  // [parameters], when they were last used
  std::map<Mode, Variant> variants_;
  std::mutex mutex_;
};

}  // namespace cavs::python
