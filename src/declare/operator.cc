#include "cavs/operator.h"

#include "ir/builder.h"
#include "ops/defined_operator.h"
#include "support/check.h"

namespace cavs::inline v0_1 {

Operator::Operator(const OperatorDefinition& definition) : definition_(define_operator(definition)) {}

Value Operator::apply(const std::vector<Value>& in) const {
  user_check(!in.empty(), "[{}] no inputs; expected {}", definition_->name, definition_->inputs());
  return builder_of(definition_->name, in[0]).apply(definition_->op, in);
}

}  // namespace cavs::inline v0_1
