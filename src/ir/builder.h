#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cavs/model.h"
#include "ir/function.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {

/// Appends nodes to one function. Each Value, in a declaration or in autodiff, has a pointer to its builder.
class FunctionBuilder {
 public:
  explicit FunctionBuilder(Function& f) : f_(&f), name_(f.name) {}

  Function& function() { return *f_; }
  /// Marks the function as complete. It moves away, and operators refuse its values from then on.
  void close() { f_ = nullptr; }

  /// Appends an operator. @throws UserError if a value is of another function, or the operator refuses its inputs.
  Value apply(const OpDef& op, const std::vector<Value>& in, Attributes attributes = {});
  Value apply(OpId op, const std::vector<Value>& in, Attributes attributes = {});
  Value parameter(const Parameter& p);
  /// @throws UserError if the function is complete. `what` is the name of the operation, for the message.
  void check_open(std::string_view what) const;

 private:
  Function* f_;
  std::string name_;
};

/// Returns the builder of a value. @throws UserError if the value has none, or its function is complete.
FunctionBuilder& builder_of(std::string_view what, const Value& value);

/// Infers the shape of every node again until nothing changes. A state has the shape that its scatters have, in all
/// functions. @throws UserError if two scatters of a state differ in shape, or if `complete` and a shape stays unknown.
void resolve_states(std::vector<Function>& functions, bool complete);

}  // namespace cavs::inline v0_1
