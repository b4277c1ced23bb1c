#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

  /// @throws UserError if `samples` is empty or has a number out of range.
  PyBatch(std::shared_ptr<const GraphSet> graphs, std::vector<std::int32_t> samples);
};

/// The kind of a pass. Each mode has its own program.
struct Mode {
  bool gradients = false;        // true if a backward pass may follow
  bool dropout = false;          // true for dropout; only with `gradients`
  bool input_gradients = false;  // true if backward computes gradients of inputs; only with `gradients`
  auto operator<=>(const Mode&) const = default;
};

/// A push port, or a float port of vertices that the model pulls.
struct EvaluatorPort {
  std::string name;
  std::size_t width = 0;
};

/// A model for a framework that supplies gradients of outputs: one program per mode, and the graphs that were bound to
/// them. One thread at a time may call members that are not const.
class EvaluatedModel {
 public:
  /// @param outputs  names of outputs, as for with_outputs
  /// @throws UserError as with_outputs
  EvaluatedModel(const Model& model, std::vector<std::string> outputs);

  const Model& model() const { return made_.model; }
  const std::vector<EvaluatorPort>& outputs() const { return outputs_; }
  const std::vector<std::string>& pushes() const { return made_.pushes; }  // [outputs]: push ports
  const std::vector<EvaluatorPort>& inputs() const { return inputs_; }
  bool has_dropout() const { return has_dropout_; }

  const std::shared_ptr<const Program>& program(Mode mode) { return variant(mode).program; }
  /// Returns the graphs that a network evaluates for `graphs`; null for a model that evaluates `graphs` themselves. The
  /// result is cached as long as `graphs` exists.
  std::shared_ptr<const NetworkGraphs> network(const std::shared_ptr<const GraphSet>& graphs);
  /// Returns the evaluated graphs, bound to the program of this mode. The result is cached as long as `graphs` exists.
  /// @param given  inputs whose values passes supply, instead of the graphs
  std::shared_ptr<const BoundGraphs> bound(Mode mode, const std::shared_ptr<const GraphSet>& graphs,
                                           const NetworkGraphs* network, std::vector<std::string> given);

 private:
  struct Variant {
    struct Bound {
      std::weak_ptr<const GraphSet> of;
      std::shared_ptr<const BoundGraphs> bound;
    };
    std::shared_ptr<const Program> program;
    std::map<std::pair<const GraphSet*, std::vector<std::string>>, Bound> bound;
  };
  struct Known {
    std::weak_ptr<const GraphSet> of;
    std::shared_ptr<const NetworkGraphs> network;
  };

  Variant& variant(Mode mode);

  ModelWithOutputs made_;
  std::vector<EvaluatorPort> outputs_, inputs_;
  bool has_dropout_ = false;
  std::map<Mode, Variant> variants_;
  std::map<const GraphSet*, Known> networks_;  // by the graphs of the data; only for networks
};

}  // namespace cavs::python
