#include "tensor/scalar_program.h"

namespace cavs {

int operands(ScalarOp op) {
  switch (op) {
    case ScalarOp::kInput:
    case ScalarOp::kConstant:
      return 0;
    case ScalarOp::kAdd:
    case ScalarOp::kSub:
    case ScalarOp::kMul:
    case ScalarOp::kDiv:
    case ScalarOp::kMax:
    case ScalarOp::kMin:
    case ScalarOp::kGreater:
    case ScalarOp::kEqual:
      return 2;
    default:
      return 1;
  }
}

}  // namespace cavs
