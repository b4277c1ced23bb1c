#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/operator.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {

inline constexpr int kMaxOperatorInputs = 8;

/// A user's operator, as plain data that are saved with the model. Nodes that use it share its ownership.
struct DefinedOperator {
  /// The gradient with respect to one input, dx, as an operator.
  struct Gradient {
    ScalarProgram program;   // its inputs are x[0], ..., x[n - 1], y, dy
    std::vector<int> reads;  // the inputs of `program` that `op` takes, ascending; empty if the gradient is 0
    std::string name;        // name of `op`
    OpDef op;                // computes dx from the inputs `reads`
  };

  std::string name, doc;
  ScalarProgram expression;
  std::vector<Gradient> gradients;  // [inputs]
  OpDef op;                         // the operator itself

  int inputs() const { return expression.inputs; }
  /// True if both operators compute the same. They may then have the same name.
  bool same_as(const DefinedOperator& other) const;
};

/// Defines an operator by expressions. @throws UserError as Operator does.
std::shared_ptr<const DefinedOperator> define_operator(const OperatorDefinition& definition);
/// Defines an operator by programs. `gradients` has one program per input, with inputs x[0], ..., x[n - 1], y and dy.
std::shared_ptr<const DefinedOperator> define_operator(std::string name, std::string doc, ScalarProgram expression,
                                                       std::vector<ScalarProgram> gradients);

/// Returns the operators that the functions use, each once, in the order of use. @throws UserError if two share a name.
std::vector<std::shared_ptr<const DefinedOperator>> defined_operators(const std::vector<Function>& functions);

}  // namespace cavs::inline v0_1
