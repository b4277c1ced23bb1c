#include "ir/scalar_gradient.h"

#include <optional>

#include "ir/scalar_builder.h"

namespace cavs::inline v0_1 {
namespace {

/// An instruction of the program, repeated in the gradient's expression: its result y, and the terms of dy found so
/// far.
struct ScalarStep {
  ScalarOp op;
  int a = -1, b = -1;  // numbers of the steps whose results it reads; for kInput, a is the number of the input
  Scalar y;
  std::optional<Scalar> dy = std::nullopt;
};

void add(std::optional<Scalar>& sum, const Scalar& term) { sum = sum ? *sum + term : term; }

/// Returns the share of dy that goes to a in max(a, b): 1 where a > b, 1/2 where they are equal, else 0.
Scalar share(const Scalar& a, const Scalar& b) { return greater(a, b) + equal(a, b) * 0.5; }

void back_through(const ScalarStep& s, ScalarStep* x, ScalarStep* z) {
  constexpr double kTwoBySqrtPi = 1.1283791670955126;
  const Scalar& dy = *s.dy;
  switch (s.op) {
    case ScalarOp::kAdd:
      add(x->dy, dy);
      add(z->dy, dy);
      return;
    case ScalarOp::kSub:
      add(x->dy, dy);
      add(z->dy, -dy);
      return;
    case ScalarOp::kMul:
      add(x->dy, dy * z->y);
      add(z->dy, dy * x->y);
      return;
    case ScalarOp::kDiv:
      add(x->dy, dy / z->y);
      add(z->dy, -(dy * s.y / z->y));
      return;
    case ScalarOp::kMax:
      add(x->dy, dy * share(x->y, z->y));
      add(z->dy, dy * share(z->y, x->y));
      return;
    case ScalarOp::kMin:
      add(x->dy, dy * share(z->y, x->y));
      add(z->dy, dy * share(x->y, z->y));
      return;
    case ScalarOp::kNeg:
      return add(x->dy, -dy);
    case ScalarOp::kExp:
      return add(x->dy, dy * s.y);
    case ScalarOp::kLog:
      return add(x->dy, dy / x->y);
    case ScalarOp::kSqrt:
      return add(x->dy, dy * 0.5 / s.y);
    case ScalarOp::kAbs:
      return add(x->dy, dy * (greater(x->y, 0) - greater(constant_like(x->y, 0), x->y)));
    case ScalarOp::kTanh:
      return add(x->dy, dy * (1 - s.y * s.y));
    case ScalarOp::kSigmoid:
      return add(x->dy, dy * s.y * (1 - s.y));
    case ScalarOp::kErf:
      return add(x->dy, dy * exp(-(x->y * x->y)) * kTwoBySqrtPi);
    case ScalarOp::kKeep:
      return add(z->dy, keep(x->y, dy));
    case ScalarOp::kRound:
    case ScalarOp::kGreater:
    case ScalarOp::kEqual:
    case ScalarOp::kInput:
    case ScalarOp::kConstant:
      return;
  }
}

}  // namespace

std::vector<Scalar> derive(const ScalarProgram& program, const GradientArguments& g) {
  std::vector<ScalarStep> steps;
  std::vector<int> holds(program.registers, -1);  // [registers]: number of the step whose result is in the register
  for (const ScalarInstruction& i : program.code) {
    const int count = operands(i.op);
    ScalarStep s{.op = i.op, .a = count > 0 ? holds[i.a] : i.a, .b = count > 1 ? holds[i.b] : -1, .y = {}};
    if (i.op == ScalarOp::kInput)
      s.y = g.x[i.a];
    else if (i.op == ScalarOp::kConstant)
      s.y = constant_like(g.dy, i.value);
    else
      s.y = ScalarBuilder::emit_like(i.op, steps[s.a].y, count > 1 ? steps[s.b].y : Scalar());
    holds[i.dst] = static_cast<int>(steps.size());
    steps.push_back(s);
  }
  ScalarStep& last = steps[holds[program.outputs[0]]];
  if (last.op != ScalarOp::kInput && last.op != ScalarOp::kConstant) last.y = g.y;  // reuses the operator's output
  last.dy = g.dy;
  std::vector<std::optional<Scalar>> dx(g.x.size());
  for (auto s = steps.rbegin(); s != steps.rend(); ++s) {
    if (!s->dy) continue;
    if (s->op == ScalarOp::kInput) add(dx[s->a], *s->dy);
    const int count = operands(s->op);
    back_through(*s, count > 0 ? &steps[s->a] : nullptr, count > 1 ? &steps[s->b] : nullptr);
  }
  std::vector<Scalar> found;
  found.reserve(dx.size());
  for (const auto& d : dx) found.push_back(d ? *d : constant_like(g.dy, 0));
  return found;
}

}  // namespace cavs::inline v0_1
