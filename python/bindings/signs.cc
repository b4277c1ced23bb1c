#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <limits>
#include <utility>

#include "bindings.h"
#include "support/check.h"

namespace cavs::python {

using namespace nb::literals;

namespace {

/// Returns the method for an operator sign of Python. A number as operand becomes part of the operator, as in C++.
template <typename F>
auto sign(const char* what, F f, bool reflected = false) {
  return [=](const Symbol& x, nb::handle y) {
    const ScopePtr scope = scope_of(what, {nb::find(x), y});
    double number = 0;
    const bool is_number = !nb::isinstance<Symbol>(y) && nb::try_cast(y, number);
    if (is_number) return Symbol{reflected ? f(number, x.value) : f(x.value, number), scope};
    const Value other = value_of(what, scope, y);
    return Symbol{reflected ? f(other, x.value) : f(x.value, other), scope};
  };
}

Symbol columns(const Symbol& x, nb::handle at) {
  x.scope->open("slice");
  if (!PySlice_Check(at.ptr()))
    throw nb::type_error(
        fmt::format("[slice] x[{}]: expected a range of columns, such as x[2:5], or x[2:3] for one column; x.split(3) "
                    "returns equal parts, and rows cannot be selected",
                    nb::repr(at).c_str())
            .c_str());
  const auto range = nb::borrow<nb::object>(at);
  const nb::object begin = range.attr("start"), end = range.attr("stop"), step = range.attr("step");
  user_check(step.is_none() || nb::cast<std::int64_t>(step) == 1,
             "[slice] the step is {}; expected none, as in x[2:5]: columns are contiguous", nb::repr(step).c_str());
  const auto bound = [&](nb::handle edge, bool last) -> std::int64_t {
    const bool given = !edge.is_none();
    const std::int64_t number = given ? nb::cast<std::int64_t>(edge) : 0;
    if (given && number >= 0) return number;
    return number + (given || last ? shape_of("slice", x).size() : 0);
  };
  const std::int64_t from = bound(begin, false), to = bound(end, true);
  user_check(0 <= from && from < to && to <= std::numeric_limits<std::int32_t>::max(),
             "[slice] columns from {} to {} of {}; expected at least one, from 0 on", from, to,
             nb::repr(nb::find(x)).c_str());
  return {slice(x.value, static_cast<int>(from), static_cast<int>(to - from)), x.scope};
}

}  // namespace

void bind_signs(nb::module_& m) {
  auto value = nb::borrow<nb::class_<Symbol>>(m.attr("Value"));
  value.attr("__array_ufunc__") = nb::none();  // NumPy then refuses an array operand as a whole
  const auto add = [](const auto& x, const auto& y) { return x + y; };
  const auto subtract = [](const auto& x, const auto& y) { return x - y; };
  const auto multiply_ = [](const auto& x, const auto& y) { return x * y; };
  const auto divide = [](const auto& x, const auto& y) { return x / y; };
  const auto sig = [](const char* name) { return fmt::format("def {}(self, other: Operand, /) -> Value", name); };
  const auto both = [&](const char* what, const char* name, const char* reflected, auto f) {
    value.def(name, sign(what, f), nb::sig(sig(name).c_str()));
    value.def(reflected, sign(what, f, true), nb::sig(sig(reflected).c_str()));
  };
  both("add", "__add__", "__radd__", add);
  both("subtract", "__sub__", "__rsub__", subtract);
  both("multiply", "__mul__", "__rmul__", multiply_);
  both("divide", "__truediv__", "__rtruediv__", divide);
  const auto product = [](nb::handle x, nb::handle y) {
    if (nb::isinstance<Parameter>(y))
      return with_values("matmul", {x}, [&](const auto& in) { return matmul(in[0], nb::cast<const Parameter&>(y)); });
    return with_values("batch_matmul", {x, y}, [](const auto& in) { return batch_matmul(in[0], in[1]); });
  };
  value.def(
      "__matmul__", [=](const Symbol& x, nb::handle y) { return product(nb::find(x), y); },
      nb::sig("def __matmul__(self, other: Value | Parameter, /) -> Value"),
      "x @ W: a row times a parameter, [k] times [k, n]; x @ y: the product of two values of a vertex.");
  value.def(
      "__rmatmul__", [=](const Symbol& x, nb::handle y) { return product(y, nb::find(x)); },
      nb::sig("def __rmatmul__(self, other: Parameter, /) -> Value"));
  value.def("__neg__", [](const Symbol& x) {
    x.scope->open("negate");
    return Symbol{-x.value, x.scope};
  });
  value.def("__abs__", [](const Symbol& x) {
    x.scope->open("abs");
    return Symbol{abs(x.value), x.scope};
  });
  value.def(
      "__gt__",
      [](const Symbol& x, nb::handle y) {
        return with_values("greater", {nb::find(x), y}, [](const auto& in) { return apply_op("greater", in); });
      },
      nb::sig(sig("__gt__").c_str()), "1 where x > y, else 0; has no gradient.");
  value.def(
      "__lt__",
      [](const Symbol& x, nb::handle y) {
        return with_values("greater", {y, nb::find(x)}, [](const auto& in) { return apply_op("greater", in); });
      },
      nb::sig(sig("__lt__").c_str()));
  const auto at_least = [](nb::handle x, nb::handle y) {
    return with_values("greater", {x, y}, [](const auto& in) { return 1 - apply_op("greater", {in[1], in[0]}); });
  };
  value.def(
      "__ge__", [=](const Symbol& x, nb::handle y) { return at_least(nb::find(x), y); },
      nb::sig(sig("__ge__").c_str()));
  value.def(
      "__le__", [=](const Symbol& x, nb::handle y) { return at_least(y, nb::find(x)); },
      nb::sig(sig("__le__").c_str()));
  refuse_comparison<Symbol>(value,
                            "a Value is symbolic: it has no number while it is declared, so == and != have no result; "
                            "use cavs.equal(x, y), which is 1 where they are equal, or 1 - cavs.equal(x, y)");
  value.def(
      "__pow__",
      [](const Symbol& x, double power) {
        x.scope->open("power");
        user_check(power == 2 || power == 0.5,
                   "[power] the exponent is {}; expected 2 or 0.5: for other exponents multiply, "
                   "or use cavs.exp(y * cavs.log(x)) for numbers above 0",
                   power);
        return Symbol{power == 2 ? square(x.value) : sqrt(x.value), x.scope};
      },
      "power"_a, nb::sig("def __pow__(self, power: float, /) -> Value"), "x ** 2, or x ** 0.5.");
  value.def("__getitem__", &columns, "columns"_a, nb::sig("def __getitem__(self, columns: Columns, /) -> Value"),
            "x[2:5]: the columns from 2 to below 5.");
  value.def(
      "split",
      [](const Symbol& x, int count) {
        user_check(count > 0, "[part] {} parts; expected at least 1", count);
        x.scope->open("part");
        nb::list parts;
        for (int i = 0; i < count; ++i) parts.append(Symbol{part(x.value, i, count), x.scope});
        return nb::tuple(parts);
      },
      "count"_a, nb::sig("def split(self, count: int) -> tuple[Value, ...]"),
      "Splits the features into `count` equal parts.");
  for (const auto& [name, op] : {std::pair{"sum", "sum_children"}, {"mean", "mean_children"}, {"max", "max_children"}})
    value.def(
        name,
        [op = op](const Symbol& x) {
          x.scope->open(op);
          return Symbol{apply_op(op, {x.value}), x.scope};
        },
        "Reduces over the children of each vertex: one row per child -> one row per vertex; 0 without children.");
}

}  // namespace cavs::python
