#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/operator.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {

inline constexpr int kMaxOperatorInputs = 8;

/// A user's operator, defined outside of the library by plain data. It is saved with the model. The nodes that use it
/// own it.
struct DefinedOperator {
  /// The gradient with respect to one input, dx, as an operator.
  struct Gradient {
    ScalarProgram program;   // its inputs are x[0], ..., x[n - 1], y, dy
    std::vector<int> reads;  // the inputs of `program` that `op` takes, ascending; empty if the gradient is 0
    std::string name;
    OpDef op;
  };

  std::string name, doc;
  ScalarProgram expression;
  std::vector<Gradient> gradients;  // one per input
  OpDef op;

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
