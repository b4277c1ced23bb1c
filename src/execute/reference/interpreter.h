#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "cavs/session.h"
#include "compile/program.h"
#include "execute/engine.h"
#include "pack/minibatch.h"

namespace cavs {

/// What the interpreter, whose numbers are float64, rounds: nothing, or the operands of products to bf16.
enum class Rounding : std::uint8_t { kNone, kBf16 };

/// Evaluates a minibatch one vertex at a time in plain loops: no batching, no index lists, no shared kernels. The
/// oracle of all tests; slow by design.
class Interpreter {
 public:
  Interpreter(const Program& program, const Parameters& parameters, const Minibatch& minibatch, std::uint64_t seed,
              std::uint32_t epoch, Rounding rounding);

  /// Replaces a parameter's values by float64 numbers, for finite differences.
  void set_parameter(int parameter, std::vector<double> values) { parameters_[parameter] = std::move(values); }
  const std::vector<double>& parameter(int p) const { return parameters_[p]; }

  /// @param loss_gradient  what the gradient of the sum of all losses is multiplied with
  void forward(double loss_gradient);
  void backward(Gradients& gradients, std::span<const Run::PushGradient> pushes);
  /// Gradients in float64, [parameters]; tables densely.
  const std::vector<std::vector<double>>& gradients() const { return gradients_; }

  double loss_sum() const { return loss_sum_; }
  /// [vertices, width]; left as they are where a vertex has none.
  void rows(PortKind kind, const std::string& port, std::span<float> values) const;

 private:
  struct VertexValues {
    std::vector<ReferenceTensor> values;  // [nodes]
    std::map<std::string, ReferenceTensor> states;
    std::map<std::string, std::vector<double>> state_gradients;  // from parents, summed in order
    std::map<std::string, ReferenceTensor> pushes, pulls;
  };

  void evaluate(std::int32_t vertex, ValueId id);
  void source(std::int32_t vertex, const Node& node, ReferenceTensor& y);
  void pull_edges(std::int32_t vertex, const Node& node, ReferenceTensor& y);
  void gather_children(std::int32_t vertex, const Node& node, ReferenceTensor& y);
  void sink(std::int32_t vertex, const Node& node);
  void scatter_gradient(std::int32_t vertex, const Node& node);
  void compute(std::int32_t vertex, ValueId id, ReferenceTensor& y);
  std::int64_t rows_of(std::int32_t vertex, const Domain& domain) const;
  std::vector<std::int32_t> edges_of(std::int32_t vertex) const;
  std::vector<std::int32_t> children_of(std::int32_t vertex) const;
  std::int32_t child_in(std::int32_t vertex, std::int32_t slot) const;
  std::int64_t slot_of(std::int32_t vertex, std::int32_t edge) const;
  std::int32_t index_of(std::int32_t vertex, const std::string& port) const;
  std::int64_t source_of(std::int32_t vertex) const { return source_[vertex]; }
  const Function& function(std::int32_t vertex) const { return program_.types[minibatch_.types[vertex]].function; }
  int parameter_number(const std::string& name) const;

  const Program& program_;
  const Minibatch& minibatch_;
  std::uint64_t seed_;
  std::uint32_t epoch_;
  Rounding rounding_;
  std::vector<std::vector<double>> parameters_, gradients_;
  std::vector<std::int64_t> source_;
  std::vector<std::int32_t> order_;  // children first
  std::vector<VertexValues> vertices_;
  std::span<const Run::PushGradient> push_gradients_;
  double loss_gradient_ = 1, loss_sum_ = 0;
};

}  // namespace cavs
