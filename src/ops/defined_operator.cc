#include "ops/defined_operator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ir/scalar_eval.h"
#include "ir/scalar_gradient.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::size_t kMaxInstructions = 256;

void check_name(const std::string& name) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  user_check(!name.empty() && std::ranges::all_of(name, is_word),
             "[operator] the name is '{}'; expected letters, digits and '_'", name);
  for (const OpDef* op : all_ops())
    user_check(op->name != name, "[operator] '{}' is an operator of the library; use another name", name);
}

void check_program(const std::string& name, const ScalarProgram& program) {
  user_check(
      program.code.size() <= kMaxInstructions,
      "[operator] '{}' has an expression of {} instructions; expected at most {}: split it into several operators",
      name, program.code.size(), kMaxInstructions);
  for (const ScalarInstruction& i : program.code)
    user_check(i.op != ScalarOp::kConstant || std::isfinite(i.value),
               "[operator] '{}' has the constant {}; expected a finite number (floats reach 3.4e38)", name, i.value);
}

bool same_program(const ScalarProgram& a, const ScalarProgram& b) {
  return a.inputs == b.inputs && a.outputs == b.outputs &&
         std::ranges::equal(a.code, b.code, [](const ScalarInstruction& x, const ScalarInstruction& y) {
           return x.op == y.op && x.dst == y.dst && x.a == y.a && x.b == y.b && x.value == y.value;
         });
}

double result(const ScalarProgram& program, std::span<const double> inputs) {
  double y = 0;
  evaluate(program, inputs, {&y, 1});
  return y;
}

/// Checks at one point that the gradient of `input` is linear in dy. One point is enough to find most mistakes.
void check_linear(const DefinedOperator& op, int input) {
  std::vector<double> x(op.inputs());
  for (int i = 0; i < op.inputs(); ++i) x[i] = 0.375 + 0.25 * i;
  x.push_back(result(op.expression, x));
  x.push_back(1);
  const ScalarProgram& gradient = op.gradients[input].program;
  const double once = result(gradient, x);
  x.back() = 2;
  const double twice = result(gradient, x);
  user_check(
      !std::isfinite(twice) || std::abs(twice - 2 * once) <= 1e-9 * std::abs(twice),
      "[operator] '{}': the gradient of input {} is not linear in dy (dy 1 gives {:g}, dy 2 gives {:g}); expected dy "
      "times a function of x and y",
      op.name, input, once, twice);
}

std::vector<int> inputs_read(const ScalarProgram& program) {
  std::vector<int> reads;
  for (const ScalarInstruction& i : program.code)
    if (i.op == ScalarOp::kInput) reads.push_back(i.a);
  std::ranges::sort(reads);
  return reads;
}

/// Returns the program with only the inputs `reads`, in this order.
ScalarProgram narrowed(ScalarProgram program, const std::vector<int>& reads) {
  for (ScalarInstruction& i : program.code)
    if (i.op == ScalarOp::kInput)
      i.a = static_cast<std::int16_t>(std::ranges::find(reads, static_cast<int>(i.a)) - reads.begin());
  program.inputs = static_cast<int>(reads.size());
  return program;
}

OpDef element_wise(const std::string& name, const std::string& doc, const ScalarProgram& program) {
  constexpr std::array<std::string_view, kMaxOperatorInputs + 2> kNames{"x0", "x1", "x2", "x3", "x4",
                                                                        "x5", "x6", "x7", "y",  "dy"};
  OpDef op;
  op.name = name;
  op.params.assign(kNames.begin(), kNames.begin() + program.inputs);
  op.kind = OpKind::kElementwise;
  // If zero inputs give zero, rows whose inputs are absent need not be computed.
  const std::vector<double> zeros(program.inputs);
  op.zero = result(program, zeros) == 0 ? ZeroRule::kAllInputs : ZeroRule::kNever;
  op.infer = broadcast_shape;
  op.expr = [program](const Expression& e) { return ScalarBuilder::insert(program, e.x); };
  op.doc = doc;
  return op;
}

void apply_gradients(const DefinedOperator& op, GradientRule& g) {
  for (int i = 0; i < op.inputs(); ++i) {
    const DefinedOperator::Gradient& gradient = op.gradients[i];
    std::vector<Value> in;
    for (int k : gradient.reads) in.push_back(k < op.inputs() ? g.x(k) : k == op.inputs() ? g.y() : g.dy());
    if (!in.empty()) g.dx(i) += g.apply(gradient.op, in);
  }
}

std::vector<Scalar> inputs_of(ScalarBuilder& builder, int count) {
  std::vector<Scalar> x;
  x.reserve(count);
  for (int i = 0; i < count; ++i) x.push_back(builder.input());
  return x;
}

std::vector<ScalarProgram> gradients_of(const OperatorDefinition& definition, const ScalarProgram& expression) {
  ScalarBuilder builder;
  ScalarInputs x(inputs_of(builder, definition.inputs));  // the program's inputs are x, y and dy, in this order
  const Scalar y = builder.input();
  const GradientArguments g{.x = std::move(x), .y = y, .dy = builder.input()};
  std::vector<Scalar> dx = definition.gradient ? definition.gradient(g) : derive(expression, g);
  user_check(std::ssize(dx) == definition.inputs,
             "[operator] '{}' has {} inputs, and its gradient has {} results; expected one for each input",
             definition.name, definition.inputs, dx.size());
  std::vector<ScalarProgram> programs;
  programs.reserve(dx.size());
  for (const Scalar& d : dx) programs.push_back(builder.finish({&d, 1}));
  return programs;
}

}  // namespace

const Scalar& ScalarInputs::operator[](std::size_t i) const {
  user_check(i < inputs_.size(), "[operator] the expression reads input {} (counted from 0), and the operator has {}",
             i, inputs_.size());
  return inputs_[i];
}

bool DefinedOperator::same_as(const DefinedOperator& other) const {
  return same_program(expression, other.expression) &&
         std::ranges::equal(gradients, other.gradients,
                            [](const Gradient& a, const Gradient& b) { return same_program(a.program, b.program); });
}

std::shared_ptr<const DefinedOperator> define_operator(std::string name, std::string doc, ScalarProgram expression,
                                                       std::vector<ScalarProgram> gradients) {
  auto defined = std::make_shared<DefinedOperator>();
  defined->name = std::move(name);
  defined->doc = std::move(doc);
  defined->expression = std::move(expression);
  check_name(defined->name);
  check_program(defined->name, defined->expression);
  const int inputs = defined->inputs();
  defined->gradients.resize(gradients.size());  // once, because operators will refer to strings in it
  for (int i = 0; i < inputs; ++i) {
    DefinedOperator::Gradient& gradient = defined->gradients[i];
    check_program(defined->name, gradients[i]);
    gradient.program = std::move(gradients[i]);
    gradient.reads = inputs_read(gradient.program);
    check_linear(*defined, i);
    gradient.name = defined->name + (inputs == 1 ? "_gradient" : fmt::format("_gradient_{}", i));
    gradient.op = element_wise(gradient.name, defined->doc, narrowed(gradient.program, gradient.reads));
    gradient.op.defined = defined;
  }
  defined->op = element_wise(defined->name, defined->doc, defined->expression);
  defined->op.gradient = [op = defined.get()](GradientRule& g) { apply_gradients(*op, g); };
  defined->op.defined = defined;
  return defined;
}

std::shared_ptr<const DefinedOperator> define_operator(const OperatorDefinition& definition) {
  user_check(definition.inputs >= 1 && definition.inputs <= kMaxOperatorInputs,
             "[operator] '{}' has {} inputs; expected 1 to {}", definition.name, definition.inputs, kMaxOperatorInputs);
  user_check(definition.expression != nullptr, "[operator] '{}' has no expression; expected a function of its inputs",
             definition.name);
  ScalarBuilder builder;
  const Scalar y = definition.expression(ScalarInputs(inputs_of(builder, definition.inputs)));
  ScalarProgram expression = builder.finish({&y, 1});
  std::vector<ScalarProgram> gradients = gradients_of(definition, expression);
  return define_operator(definition.name, definition.doc, std::move(expression), std::move(gradients));
}

std::vector<std::shared_ptr<const DefinedOperator>> defined_operators(const std::vector<Function>& functions) {
  std::vector<std::shared_ptr<const DefinedOperator>> found;
  for (const Function& f : functions)
    for (const Node& node : f.nodes) {
      if (!node.defined) continue;
      const auto it =
          std::ranges::find(found, node.op->name, [](const auto& op) -> std::string_view { return op->name; });
      if (it == found.end())
        found.push_back(node.defined);
      else
        user_check(
            (*it)->same_as(*node.defined),
            "[operator] two different operators of the model are named '{}', the second in vertex function '{}'; "
            "use another name",
            node.op->name, f.name);
    }
  return found;
}

}  // namespace cavs::inline v0_1
