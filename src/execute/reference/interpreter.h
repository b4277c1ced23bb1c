#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cavs/session.h"
#include "execute/engine.h"
#include "execute/reference/graph.h"
#include "execute/reference/operators.h"
#include "pack/minibatch.h"

namespace cavs::reference {

struct Settings {
  std::uint64_t seed = 1;
  std::uint32_t epoch = 0;  // part of the key of dropout masks
  Rounding rounding = Rounding::kNone;
  std::span<const float* const> pulls = {};  // RunInputs::pulls, or empty
};

/// Evaluates vertex functions on a minibatch as they are defined: one vertex at a time, one operator after the other,
/// in float64. The functions are those of plain_functions, so passes and kernels of other engines are not used. Tests
/// compare every engine with it; it is slow by design.
class Interpreter {
 public:
  /// Keeps references to the functions and the minibatch; copies the parameters.
  Interpreter(std::span<const Function> functions, const Parameters& parameters, const Minibatch& minibatch,
              const Settings& settings);

  /// Replaces a parameter's values with float64 numbers, for finite differences.
  void set_parameter(int parameter, std::vector<double> values) { parameters_[parameter] = std::move(values); }
  const std::vector<double>& parameter(int p) const { return parameters_[p]; }

  /// @param loss_gradient  factor of the gradient of the sum of all losses
  void forward(double loss_gradient);
  void backward(Gradients& gradients, std::span<const Run::PushGradient> pushes);
  /// Returns, per parameter, its gradient in float64. Gradients of tables are dense.
  const std::vector<std::vector<double>>& gradients() const { return gradients_; }

  double loss_sum() const { return loss_sum_; }
  /// Returns a vertex's row of a port, or nullptr if it has none.
  const std::vector<double>* row(PortKind kind, const std::string& port, std::int32_t vertex) const;

 private:
  using Row = std::vector<double>;
  struct VertexValues {
    std::vector<ReferenceTensor> values;  // [nodes] value of the node at this vertex
    std::map<std::string, Row> states, pushes;
    std::map<std::string, Row> state_gradients;  // by name of the state: sum over the parents
    std::map<std::string, Row> pull_gradients;
  };

  void evaluate(std::int32_t vertex, ValueId id);
  void load(std::int32_t vertex, const Node& node, ReferenceTensor& y) const;
  void gather(std::int32_t vertex, const Node& node, ReferenceTensor& y) const;
  void look_up(std::int32_t vertex, const Node& node, ReferenceTensor& y) const;
  void pull_edges(std::int32_t vertex, const Node& node, ReferenceTensor& y) const;
  void store(std::int32_t vertex, const Node& node);
  void scatter_gradient(std::int32_t vertex, const Node& node);
  void add_table_rows(std::int32_t vertex, const Node& node);
  void hand_out(Gradients& gradients) const;
  std::vector<std::int32_t> children(std::int32_t vertex, const attr::Children& which) const;
  int parameter_number(const std::string& name) const;

  const Graph graph_;
  const Settings settings_;
  Parameters::List infos_;
  std::vector<Row> parameters_, gradients_;
  std::vector<std::set<std::int32_t>> table_rows_;  // [parameters] table rows that have a gradient
  std::vector<VertexValues> vertices_;
  std::span<const Run::PushGradient> push_gradients_;
  double loss_gradient_ = 1, loss_sum_ = 0;
};

}  // namespace cavs::reference
