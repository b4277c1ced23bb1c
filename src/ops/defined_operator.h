#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/operator.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {

inline constexpr int kMaxOperatorInputs = 8;

/// An operator from outside the library, as plain data: what is saved, and what stands in vertex functions. Nodes keep
/// it alive.
struct DefinedOperator {
  /// dx of one input as an operator of its own.
  struct Gradient {
    ScalarProgram program;   // of x[0], ..., x[n - 1], y, dy
    std::vector<int> reads;  // which of these `op` takes, ascending; none: the gradient is 0
    std::string name;
    OpDef op;
  };

  std::string name, doc;
  ScalarProgram expression;
  std::vector<Gradient> gradients;  // by input
  OpDef op;

  int inputs() const { return expression.inputs; }
  /// Whether it computes the same: their names may be the same then.
  bool same_as(const DefinedOperator& other) const;
};

/// @throws UserError as Operator does.
std::shared_ptr<const DefinedOperator> define_operator(const OperatorDefinition& definition);
/// The same of programs. `gradients`: one an input, of x[0], ..., x[n - 1], y and dy.
std::shared_ptr<const DefinedOperator> define_operator(std::string name, std::string doc, ScalarProgram expression,
                                                       std::vector<ScalarProgram> gradients);

/// What the functions use, each once, in the order of use. @throws UserError if two different ones have one name.
std::vector<std::shared_ptr<const DefinedOperator>> defined_operators(const std::vector<Function>& functions);

}  // namespace cavs::inline v0_1
