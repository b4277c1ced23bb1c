#pragma once

#include "backend/cpu/isa.h"
#include "backend/cpu/vec.h"
#include "backend/cpu/vec_math.h"

// The interpreter of elementwise(). Each scalar instruction is one loop over the elements of a tile.
namespace cavs::cpu::CAVS_ISA {

// map() computes dst[i] = f(a[i], ...). It loads operands of step 0 before the loop, because dst may be their memory.
template <typename F>
void map(Operand a, float* dst, int n, F f) {
  const Vec x = load(a.p);
  if (a.step == 0)
    for (int i = 0; i < n; i += kLanes) store(dst + i, f(x));
  else
    for (int i = 0; i < n; i += kLanes) store(dst + i, f(load(a.p + i)));
}
template <typename F>
void map(Operand a, Operand b, float* dst, int n, F f) {
  const Vec x = load(a.p), y = load(b.p);
  if (a.step != 0 && b.step != 0)
    for (int i = 0; i < n; i += kLanes) store(dst + i, f(load(a.p + i), load(b.p + i)));
  else if (a.step != 0)
    for (int i = 0; i < n; i += kLanes) store(dst + i, f(load(a.p + i), y));
  else if (b.step != 0)
    for (int i = 0; i < n; i += kLanes) store(dst + i, f(x, load(b.p + i)));
  else
    for (int i = 0; i < n; i += kLanes) store(dst + i, f(x, y));
}

inline void run_instruction(const ScalarInstruction& in, Operand a, Operand b, float* d, int n) {
  switch (in.op) {
    case ScalarOp::kAdd:
      return map(a, b, d, n, [](Vec x, Vec y) { return x + y; });
    case ScalarOp::kSub:
      return map(a, b, d, n, [](Vec x, Vec y) { return x - y; });
    case ScalarOp::kMul:
      return map(a, b, d, n, [](Vec x, Vec y) { return x * y; });
    case ScalarOp::kDiv:
      return map(a, b, d, n, [](Vec x, Vec y) { return x / y; });
    case ScalarOp::kMax:
      return map(a, b, d, n, [](Vec x, Vec y) { return max(x, y); });
    case ScalarOp::kMin:
      return map(a, b, d, n, [](Vec x, Vec y) { return min(x, y); });
    case ScalarOp::kGreater:
      return map(a, b, d, n, [](Vec x, Vec y) { return select(x > y, splat(1.0F), Vec{}); });
    case ScalarOp::kEqual:
      return map(a, b, d, n, [](Vec x, Vec y) { return select(x == y, splat(1.0F), Vec{}); });
    case ScalarOp::kKeep:
      return map(a, b, d, n, [](Vec x, Vec y) { return select(x != 0.0F, y, Vec{}); });
    case ScalarOp::kNeg:
      return map(a, d, n, [](Vec x) { return -x; });
    case ScalarOp::kExp:
      return map(a, d, n, [](Vec x) { return exp(x); });
    case ScalarOp::kLog:
      return map(a, d, n, [](Vec x) { return log(x); });
    case ScalarOp::kSqrt:
      return map(a, d, n, [](Vec x) { return sqrt(x); });
    case ScalarOp::kAbs:
      return map(a, d, n, [](Vec x) { return abs(x); });
    case ScalarOp::kTanh:
      return map(a, d, n, [](Vec x) { return tanh(x); });
    case ScalarOp::kSigmoid:
      return map(a, d, n, [](Vec x) { return sigmoid(x); });
    case ScalarOp::kErf:
      return map(a, d, n, [](Vec x) { return erf(x); });
    case ScalarOp::kRound:
      return map(a, d, n, [](Vec x) { return round(x); });
    case ScalarOp::kInput:
    case ScalarOp::kConstant:
      return;  // handled by run_tile
  }
}

/// See Isa::run_tile. Inputs cost nothing: registers refer to their memory. A constant is stored as one vector.
inline void run_tile(const ScalarInstruction* code, int count, const Operand* inputs, Operand* regs, float* storage,
                     int n) {
  for (int c = 0; c < count; ++c) {
    const ScalarInstruction& in = code[c];
    float* const dst = storage + std::int64_t{in.dst} * kTile;
    switch (in.op) {
      case ScalarOp::kInput:
        regs[in.dst] = inputs[in.a];
        break;
      case ScalarOp::kConstant:
        store(dst, splat(in.value));
        regs[in.dst] = {dst, 0};
        break;
      default:
        run_instruction(in, regs[in.a], regs[in.b], dst, n);
        regs[in.dst] = {dst, 1};
    }
  }
}

}  // namespace cavs::cpu::CAVS_ISA
