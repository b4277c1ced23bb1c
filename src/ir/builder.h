#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cavs/model.h"
#include "ir/function.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {

/// Appends nodes to one function. Values of a declaration and of autodiff refer to it.
class FunctionBuilder {
 public:
  explicit FunctionBuilder(Function& f) : f_(&f), name_(f.name) {}

  Function& function() { return *f_; }
  /// Marks the function as complete (it moves away): its values are refused from then on.
  void close() { f_ = nullptr; }

  /// @throws UserError if a value belongs to another vertex function, or the operator refuses its inputs.
  Value apply(const OpDef& op, const std::vector<Value>& in, Attributes attributes = {});
  Value apply(OpId op, const std::vector<Value>& in, Attributes attributes = {});
  Value parameter(const Parameter& p);
  /// @throws UserError, naming the operation `what`, if the function is complete.
  void check_open(std::string_view what) const;

 private:
  Function* f_;
  std::string name_;
};

/// The builder of a value. @throws UserError if the value has none, or its function is complete.
FunctionBuilder& builder_of(std::string_view what, const Value& value);

/// Takes the shapes of all states from the scatters of all functions and infers every node again, until nothing
/// changes. @throws UserError if two scatters of a state disagree, or if `complete` and a shape stays unknown.
void resolve_states(std::vector<Function>& functions, bool complete);

}  // namespace cavs::inline v0_1
