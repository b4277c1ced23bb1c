#include "compile/lower.h"

namespace cavs::inline v0_1 {
namespace {

void mark(Program& program, TypeProgram& type, const Operand& o) {
  if (o.kind == StorageKind::kState) program.states[o.id].is_factor = true;
  if (o.kind == StorageKind::kStateGradient) program.states[o.id].gradient_is_factor = true;
  if (o.kind != StorageKind::kTensor) return;
  Tensor& tensor = type.tensors[o.id];
  tensor.is_factor = true;
  if (tensor.gathers >= 0) program.states[tensor.gathers].gradient_is_factor = true;
}

}  // namespace

void mark_factors(Program& program) {
  for (TypeProgram& type : program.types) {
    each_code(type, [&](const Code& code, bool, Stage) {
      each_instruction(code, [&](const Instruction& i) {
        if (i.is<Matmul, WeightGradient>())
          for (const Operand& factor : i.in) mark(program, type, factor);
        if (const auto* const entropy = i.as<LinearCrossEntropy>()) {
          mark(program, type, i.in.front());
          mark(program, type, entropy->tile);
        }
      });
    });
    for (const Output& given : type.push_gradients) type.tensors[given.operand.id].is_factor = false;
  }
}

}  // namespace cavs::inline v0_1
