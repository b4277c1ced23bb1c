#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "cavs/operator.h"
#include "support/check.h"

namespace cavs::python {

using namespace nb::literals;

namespace {

/// An element-wise operator that is defined in Python.
struct PyOperator {
  Operator op;
  std::string name, doc;
  std::vector<std::string> inputs;  // names of the function's arguments
};

/// Returns the inputs of the operator: the arguments of the function that have no default.
std::vector<std::string> inputs_of(nb::handle function) {
  const nb::object inspect = nb::module_::import_("inspect");
  const nb::object kinds = inspect.attr("Parameter");
  std::vector<std::string> names;
  for (nb::handle parameter : inspect.attr("signature")(function).attr("parameters").attr("values")()) {
    const nb::object kind = parameter.attr("kind");
    if (!parameter.attr("default").is(kinds.attr("empty"))) continue;
    const bool by_position =
        kind.equal(kinds.attr("POSITIONAL_ONLY")) || kind.equal(kinds.attr("POSITIONAL_OR_KEYWORD"));
    user_check(by_position,
               "[operator] the expression has the argument '{}'; expected only positional arguments, one per input",
               nb::str(parameter).c_str());
    names.push_back(nb::cast<std::string>(parameter.attr("name")));
  }
  return names;
}

/// Returns the result of a function as a Scalar. A number becomes a constant in the expression to which `like` belongs.
Scalar scalar_from(const std::string& op, nb::handle result, const Scalar& like) {
  double number = 0;
  if (nb::isinstance<Scalar>(result)) return nb::cast<Scalar>(result);
  if (nb::try_cast(result, number)) return constant_like(like, number);
  throw nb::type_error(fmt::format("[operator] '{}' returns a {}; expected a Scalar or a number", op,
                                   nb::type_name(result.type()).c_str())
                           .c_str());
}

nb::object call(nb::handle function, const std::vector<Scalar>& first, const ScalarInputs& x) {
  nb::list arguments;
  for (const Scalar& s : first) arguments.append(s);
  for (std::size_t i = 0; i < x.size(); ++i) arguments.append(x[i]);
  return function(*nb::tuple(arguments));
}

PyOperator define(nb::handle function, nb::handle gradient, std::string name) {
  if (name.empty()) name = nb::cast<std::string>(function.attr("__name__"));
  const nb::object doc = nb::getattr(function, "__doc__", nb::none());
  const std::vector<std::string> inputs = inputs_of(function);
  OperatorDefinition definition;
  definition.name = name;
  definition.inputs = static_cast<int>(inputs.size());
  definition.doc = doc.is_none() ? std::string() : nb::cast<std::string>(doc);
  definition.expression = [&](const ScalarInputs& x) { return scalar_from(name, call(function, {}, x), x[0]); };
  if (!gradient.is_none())
    definition.gradient = [&](const GradientArguments& g) {
      const nb::object result = call(gradient, {g.dy, g.y}, g.x);
      std::vector<Scalar> dx;
      if (!nb::isinstance<nb::tuple>(result) && !nb::isinstance<nb::list>(result))
        dx.push_back(scalar_from(name, result, g.dy));
      else
        for (nb::handle one : result) dx.push_back(scalar_from(name, one, g.dy));
      return dx;
    };
  return {Operator(definition), name, definition.doc, inputs};
}

/// Binds a function of one Scalar, which has the name of an operator on values.
template <typename F>
void unary(nb::module_& m, const char* name, F f) {
  m.def(name, f, "x"_a, nb::sig(fmt::format("def {}(x: Scalar, /) -> Scalar", name).c_str()));
}

template <typename F>
void binary(nb::module_& m, const char* name, F f) {
  const auto sig = [&](const char* x, const char* y) {
    return fmt::format("def {}(x: {}, y: {}, /) -> Scalar", name, x, y);
  };
  m.def(
      name, [f](const Scalar& x, const Scalar& y) { return f(x, y); }, nb::sig(sig("Scalar", "Scalar").c_str()));
  m.def(
      name, [f](const Scalar& x, double y) { return f(x, y); }, nb::sig(sig("Scalar", "float").c_str()));
  m.def(
      name, [f](double x, const Scalar& y) { return f(constant_like(y, x), y); },
      nb::sig(sig("float", "Scalar").c_str()));
}

template <typename F>
void sign(nb::class_<Scalar>& type, const char* name, const char* reflected, F f) {
  type.def(
      name, [f](const Scalar& x, const Scalar& y) { return f(x, y); }, nb::is_operator());
  type.def(
      name, [f](const Scalar& x, double y) { return f(x, y); }, nb::is_operator());
  type.def(
      reflected, [f](const Scalar& x, double y) { return f(y, x); }, nb::is_operator());
}

void bind_scalar(nb::module_& m) {
  nb::class_<Scalar> scalar(m, "Scalar",
                            "A symbolic number in the expression of an element-wise operator (elementwise).");
  sign(scalar, "__add__", "__radd__", [](const auto& x, const auto& y) { return x + y; });
  sign(scalar, "__sub__", "__rsub__", [](const auto& x, const auto& y) { return x - y; });
  sign(scalar, "__mul__", "__rmul__", [](const auto& x, const auto& y) { return x * y; });
  sign(scalar, "__truediv__", "__rtruediv__", [](const auto& x, const auto& y) { return x / y; });
  const auto more = [](const Scalar& x, const auto& y) { return greater(x, y); };
  const auto less = [](const Scalar& x, const auto& y) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(y)>>)
      return greater(constant_like(x, y), x);
    else
      return greater(y, x);
  };
  scalar
      .def(
          "__gt__", [=](const Scalar& x, const Scalar& y) { return more(x, y); }, nb::is_operator())
      .def(
          "__gt__", [=](const Scalar& x, double y) { return more(x, y); }, nb::is_operator())
      .def(
          "__lt__", [=](const Scalar& x, const Scalar& y) { return less(x, y); }, nb::is_operator())
      .def(
          "__lt__", [=](const Scalar& x, double y) { return less(x, y); }, nb::is_operator())
      .def("__neg__", [](const Scalar& x) { return -x; })
      .def("__abs__", [](const Scalar& x) { return abs(x); })
      .def("__bool__", [](const Scalar&) -> bool {
        user_error(
            "a Scalar is symbolic: it has no number while the operator is defined, so Python cannot branch on it; use "
            "cavs.max, cavs.greater and multiplication");
      });
  refuse_comparison<Scalar>(
      scalar,
      "a Scalar is symbolic: it has no number while the operator is defined, so == and != have no "
      "result; use cavs.equal(x, y), which is 1 where they are equal, or 1 - cavs.equal(x, y)");
}

}  // namespace

void bind_scalars(nb::module_& m) {
  bind_scalar(m);
  unary(m, "exp", [](const Scalar& x) { return exp(x); });
  unary(m, "log", [](const Scalar& x) { return log(x); });
  unary(m, "sqrt", [](const Scalar& x) { return sqrt(x); });
  unary(m, "abs", [](const Scalar& x) { return abs(x); });
  unary(m, "tanh", [](const Scalar& x) { return tanh(x); });
  unary(m, "sigmoid", [](const Scalar& x) { return sigmoid(x); });
  m.def(
      "erf", [](const Scalar& x) { return erf(x); }, "x"_a, nb::sig("def erf(x: Scalar, /) -> Scalar"),
      "The error function.");
  unary(m, "round", [](const Scalar& x) { return round(x); });
  unary(m, "floor", [](const Scalar& x) { return floor(x); });
  unary(m, "sign", [](const Scalar& x) { return sign(x); });
  unary(m, "sin", [](const Scalar& x) { return sin(x); });
  unary(m, "cos", [](const Scalar& x) { return cos(x); });
  binary(m, "keep", [](const Scalar& x, const auto& y) { return keep(x, y); });
  binary(m, "pow", [](const Scalar& x, const auto& y) { return pow(x, y); });
  binary(m, "max", [](const Scalar& x, const auto& y) { return max(x, y); });
  binary(m, "min", [](const Scalar& x, const auto& y) { return min(x, y); });
  binary(m, "greater", [](const Scalar& x, const auto& y) { return greater(x, y); });
  binary(m, "equal", [](const Scalar& x, const auto& y) { return equal(x, y); });

  nb::class_<PyOperator>(m, "Operator", "An element-wise operator, made by elementwise.")
      .def_ro("name", &PyOperator::name, "The name in printed programs.")
      .def_ro("doc", &PyOperator::doc, "The docstring of the function.")
      .def_ro("inputs", &PyOperator::inputs, "Names of the function's arguments.")
      .def(
          "__call__",
          [](const PyOperator& self, const nb::args& args) {
            std::vector<nb::handle> operands(args.begin(), args.end());
            return with_values(self.name.c_str(), operands,
                               [&](const std::vector<Value>& in) { return self.op.apply(in); });
          },
          nb::sig("def __call__(self, *x: Operand) -> Value"),
          "Applies the operator element by element to values of one shape; scalars are broadcast.")
      .def("__repr__", [](const PyOperator& self) {
        return fmt::format("<cavs.Operator {}({})>", self.name, fmt::join(self.inputs, ", "));
      });
  m.def(
      "elementwise", [](nb::callable function) { return define(function, nb::none(), ""); }, "function"_a,
      nb::sig("def elementwise(function: Callable[..., Scalar | float]) -> Operator"),
      "Makes an operator from a function of numbers. The function is called once, with symbols::\n\n"
      "    @cavs.elementwise\n"
      "    def swish(x):\n"
      "        return x * cavs.sigmoid(x)\n\n"
      "The inputs of the operator are the 1 to 8 arguments without a default. The gradient is derived by the chain "
      "rule. Like the library's own operators, it is fused with its neighbours and compiled to machine code, and "
      "checkpoints contain it.");
  m.def(
      "elementwise",
      [](nb::object gradient, const std::string& name) {
        return nb::cpp_function(
            [gradient = std::move(gradient), name](nb::callable function) { return define(function, gradient, name); });
      },
      nb::kw_only(), "gradient"_a = nb::none(), "name"_a = "",
      nb::sig("def elementwise(*, gradient: Callable[..., Any] | None = None, name: str = \"\") -> "
              "Callable[[Callable[..., Scalar | float]], Operator]"),
      "Makes an operator with your own gradient.\n\n"
      "gradient: a function (dy, y, *inputs) that returns one result per input, linear in dy.\n"
      "name: the name in printed programs; empty for the name of the function.");
}

}  // namespace cavs::python
