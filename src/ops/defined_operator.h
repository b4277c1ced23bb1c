#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/operator.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {

inline constexpr int kMaxOperatorInputs = 8;

/// An operator from outside the library, as plain data: saved with the model, and used in vertex functions, whose nodes
/// own it.
struct DefinedOperator {
  /// The gradient dx of one input, as an operator of its own.
  struct Gradient {
    ScalarProgram program;   // reads x[0], ..., x[n - 1], y, dy
    std::vector<int> reads;  // numbers of these inputs that `op` has, ascending; empty if the gradient is 0
    std::string name;
    OpDef op;
  };

  std::string name, doc;
  ScalarProgram expression;
  std::vector<Gradient> gradients;  // one per input
  OpDef op;

  int inputs() const { return expression.inputs; }
  /// True if both compute the same. Then they may have the same name.
  bool same_as(const DefinedOperator& other) const;
};

/// @throws UserError as Operator does.
std::shared_ptr<const DefinedOperator> define_operator(const OperatorDefinition& definition);
/// Defines an operator by programs. `gradients` has one program per input, which reads x[0], ..., x[n - 1], y and dy.
std::shared_ptr<const DefinedOperator> define_operator(std::string name, std::string doc, ScalarProgram expression,
                                                       std::vector<ScalarProgram> gradients);

/// The operators that the functions use, each once, in the order of use. @throws UserError if two of them share a name.
std::vector<std::shared_ptr<const DefinedOperator>> defined_operators(const std::vector<Function>& functions);

}  // namespace cavs::inline v0_1
