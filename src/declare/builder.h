#pragma once

#include <vector>

#include "cavs/model.h"
#include "declare/function.h"
#include "ops/op.h"

namespace cavs {

/// Appends nodes to one function: behind the Values of a declaration, and of autodiff.
class FunctionBuilder {
 public:
  explicit FunctionBuilder(Function& f) : f_(f) {}

  Function& function() { return f_; }

  /// @throws UserError if a value belongs to another vertex function, or the operator refuses its inputs.
  Value apply(const OpDef& op, const std::vector<Value>& in, Attributes attributes = {});
  Value parameter(const Parameter& p);

 private:
  Function& f_;
};

/// Finds the shapes of all states from the scatters of all functions and infers every node again, until nothing
/// changes. @throws UserError where two scatters of a state disagree, and, if `complete`, where a shape stays unknown.
void resolve_states(std::vector<Function>& functions, bool complete);

}  // namespace cavs
