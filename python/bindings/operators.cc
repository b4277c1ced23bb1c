#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <span>
#include <utility>

#include "bindings.h"
#include "cavs/losses.h"
#include "ir/op.h"
#include "support/check.h"

namespace cavs::python {

using namespace nb::literals;

namespace {

/// An attribute as an argument in Python: its name, its type in stubs, and where it goes.
template <typename A>
struct Argument {
  const char* name;
  const char* type;
  void (*set)(A&, nb::handle);
};

template <typename A, auto member>
void set(A& attributes, nb::handle value) {
  using Field = std::remove_cvref_t<decltype(attributes.*member)>;
  if constexpr (std::is_same_v<Field, Shape>)
    attributes.*member = shape_from(value);
  else
    attributes.*member = nb::cast<Field>(value);
}

/// The arguments of a family of operators; a family that is not here is derived from the inputs.
template <typename A>
std::span<const Argument<A>> arguments_of() {
  return {};
}
template <>
std::span<const Argument<attr::Number>> arguments_of() {
  static const Argument<attr::Number> list[]{{"number", "float", set<attr::Number, &attr::Number::number>}};
  return list;
}
template <>
std::span<const Argument<attr::Columns>> arguments_of() {
  static const Argument<attr::Columns> list[]{{"begin", "int", set<attr::Columns, &attr::Columns::begin>},
                                              {"count", "int", set<attr::Columns, &attr::Columns::count>}};
  return list;
}
template <>
std::span<const Argument<attr::Part>> arguments_of() {
  static const Argument<attr::Part> list[]{{"index", "int", set<attr::Part, &attr::Part::index>},
                                           {"count", "int", set<attr::Part, &attr::Part::count>}};
  return list;
}
template <>
std::span<const Argument<attr::Target>> arguments_of() {
  static const Argument<attr::Target> list[]{{"shape", "int | Sequence[int]", set<attr::Target, &attr::Target::shape>}};
  return list;
}

std::string signature_of(const OpDef& op, const std::vector<std::string>& arguments) {
  std::vector<std::string> inputs;
  for (auto name : op.params) inputs.push_back(fmt::format("{}{}: Operand", op.variadic ? "*" : "", name));
  return fmt::format("def {}({}{}{}{}) -> Value", op.name, fmt::join(inputs, ", "), op.variadic ? "" : ", /",
                     arguments.empty() ? "" : ", ", fmt::join(arguments, ", "));
}

std::vector<Value> values_of(const char* what, const std::vector<nb::handle>& operands, const ScopePtr& scope) {
  std::vector<Value> in;
  for (nb::handle operand : operands) in.push_back(value_of(what, scope, operand));
  return in;
}

/// Calls f with the operands as values.
template <typename F>
Symbol with_values(const char* what, const std::vector<nb::handle>& operands, F f) {
  const ScopePtr scope = scope_of(what, operands);
  return {f(values_of(what, operands, scope)), scope};
}

/// The function of one operator: its inputs by position, then its attributes by position or name.
template <typename A>
void define(nb::module_& m, const OpDef& op) {
  const auto arguments = arguments_of<A>();
  std::vector<std::string> written;
  for (const auto& argument : arguments) written.push_back(fmt::format("{}: {}", argument.name, argument.type));
  const std::string signature = signature_of(op, written);
  const std::string doc(op.doc);
  const auto call = [&op, arguments, signature](const nb::args& args, const nb::kwargs& named) {
    const std::size_t inputs = op.variadic ? args.size() : op.params.size();
    const auto refuse = [&] {
      throw nb::type_error(fmt::format("arguments do not fit; expected cavs.{}", signature.substr(4)).c_str());
    };
    if (args.size() < inputs || args.size() + named.size() != inputs + arguments.size()) refuse();
    A attributes;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const bool by_position = inputs + i < args.size();
      if (!by_position && !named.contains(arguments[i].name)) refuse();
      try {
        arguments[i].set(attributes, by_position ? nb::object(args[inputs + i]) : nb::object(named[arguments[i].name]));
      } catch (const nb::cast_error&) {
        refuse();
      }
    }
    std::vector<nb::handle> operands;
    for (std::size_t i = 0; i < inputs; ++i) operands.emplace_back(args[i]);
    return with_values(op.name.data(), operands,
                       [&](const std::vector<Value>& in) { return apply_op(op.name, in, attributes); });
  };
  m.def(op.name.data(), call, nb::sig(signature.c_str()), doc.c_str());
}

/// What users may apply to values.
std::vector<const OpDef*> applicable_ops() {
  std::vector<const OpDef*> ops;
  for (const OpDef* op : all_ops())
    if (op->in_public && op->kind != OpKind::kSource && op->kind != OpKind::kSink) ops.push_back(op);
  return ops;
}

/// Those that have no function of their own below.
void define_listed(nb::module_& m) {
  for (const OpDef* op : applicable_ops())
    if (!nb::hasattr(m, op->name.data())) std::visit([&]<typename A>(const A&) { define<A>(m, *op); }, op->attributes);
  m.def(
      "operator_names",
      [] {
        std::vector<std::string> names;
        for (const OpDef* op : applicable_ops()) names.emplace_back(op->name);
        return names;
      },
      "The operators of values that `cavs ops` lists.");
}

Size2d size2d(const std::pair<int, int>& size) { return {.height = size.first, .width = size.second}; }

/// Operators with arguments that are not named as their attributes are, and combinations of operators.
void define_functions(nb::module_& m) {
  using Pair = std::pair<int, int>;
  const auto unary = [](const char* what, const Symbol& x, auto f) {
    x.scope->open(what);
    return Symbol{f(x.value), x.scope};
  };
  m.def(
      "layer_norm",
      [=](const Symbol& x, double epsilon) {
        return unary("layer_norm", x, [&](const Value& in) { return layer_norm(in, epsilon); });
      },
      "x"_a, "epsilon"_a = 1e-5, "Normalises the features, without scale and shift.");
  m.def(
      "dropout",
      [=](const Symbol& x, double p) { return unary("dropout", x, [&](const Value& in) { return dropout(in, p); }); },
      "x"_a, "p"_a, "Zeroes each element with probability p and scales the rest by 1 / (1 - p), in training only.");
  m.def(
      "sample_dropout",
      [=](const Symbol& x, double p) {
        return unary("sample_dropout", x, [&](const Value& in) { return sample_dropout(in, p); });
      },
      "x"_a, "p"_a, "dropout with one mask for all vertices of a sample.");
  m.def(
      "unfold",
      [=](const Symbol& x, const Pair& window, int stride, int padding) {
        return unary("unfold", x, [&](const Value& in) { return unfold(in, size2d(window), stride, padding); });
      },
      "x"_a, "window"_a, "stride"_a = 1, "padding"_a = 0, "The pixels of each window of an image as a row (im2col).");
  m.def(
      "max_pool2d",
      [=](const Symbol& x, const Pair& window, int stride) {
        return unary("max_pool2d", x, [&](const Value& in) { return max_pool2d(in, size2d(window), stride); });
      },
      "x"_a, "window"_a, "stride"_a, "Largest of each channel in a window.");
  m.def(
      "average_pool2d",
      [=](const Symbol& x, const Pair& window, int stride) {
        return unary("average_pool2d", x, [&](const Value& in) { return average_pool2d(in, size2d(window), stride); });
      },
      "x"_a, "window"_a, "stride"_a, "Mean of each channel in a window.");
  m.def(
      "conv2d",
      [=](const Symbol& x, const Parameter& w, const Parameter& b, int stride, int padding) {
        return unary("conv2d", x, [&](const Value& in) { return conv2d(in, w, b, stride, padding); });
      },
      "x"_a, "w"_a, "b"_a, "stride"_a = 1, "padding"_a = 0,
      "Convolution of images [height, width, channels] with w [kernel height, kernel width, channels, n].");
  m.def(
      "highway",
      [](nb::handle x, nb::handle y, const Parameter& w, const Parameter& b) {
        return with_values("highway", {x, y}, [&](const auto& in) { return highway(in[0], in[1], w, b); });
      },
      "x"_a, "y"_a, "w"_a, "b"_a, nb::sig("def highway(x: Operand, y: Operand, w: Parameter, b: Parameter) -> Value"),
      "t * y + (1 - t) * x with the gate t = sigmoid(x @ w + b).");
  m.def(
      "attention",
      [](nb::handle query, nb::handle keys, nb::handle values) {
        return with_values("attention", {query, keys, values},
                           [](const auto& in) { return attention(in[0], in[1], in[2]); });
      },
      "query"_a, "keys"_a, "values"_a,
      nb::sig("def attention(query: Operand, keys: Operand, values: Operand) -> Value"),
      "Scaled dot-product attention of a vertex over its children.");
  m.def(
      "additive_attention",
      [](nb::handle query, nb::handle keys, nb::handle values, const Parameter& v) {
        return with_values("additive_attention", {query, keys, values},
                           [&](const auto& in) { return additive_attention(in[0], in[1], in[2], v); });
      },
      "query"_a, "keys"_a, "values"_a, "v"_a,
      nb::sig("def additive_attention(query: Operand, keys: Operand, values: Operand, v: Parameter) -> Value"),
      "Additive attention over the children: scores are tanh(query + keys) . v.");
}

void define_losses(nb::module_& m) {
  using Weights = std::optional<std::vector<float>>;
  const auto index_of = [](const char* what, const IndexSymbol& index) {
    index.scope->open(what);
    return IndexValue(index.value);
  };
  m.def(
      "one_hot",
      [=](const IndexSymbol& index, int classes) {
        return Symbol{one_hot(index_of("one_hot", index), classes), index.scope};
      },
      "index"_a, "classes"_a, "[classes]: 1 at the index, else 0; zeros where it is -1.");
  m.def(
      "softmax_cross_entropy",
      [=](const Symbol& logits, const IndexSymbol& label, const Weights& weights, double smoothing) {
        logits.scope->open("softmax_cross_entropy");
        const IndexValue index = index_of("softmax_cross_entropy", label);
        if (!weights && smoothing == 0) return Symbol{softmax_cross_entropy(logits.value, index), logits.scope};
        const CrossEntropyOptions options{.class_weights = weights.value_or(std::vector<float>{}),
                                          .label_smoothing = smoothing};
        return Symbol{softmax_cross_entropy(logits.value, index, options), logits.scope};
      },
      "logits"_a, "label"_a, nb::kw_only(), "class_weights"_a = nb::none(), "label_smoothing"_a = 0,
      "[classes] logits and one class per vertex -> (), 0 where the label is -1.");
  m.def(
      "masked_softmax",
      [](nb::handle x, nb::handle mask) {
        return with_values("masked_softmax", {x, mask}, [](const auto& in) { return masked_softmax(in[0], in[1]); });
      },
      "x"_a, "mask"_a, nb::sig("def masked_softmax(x: Operand, mask: Operand) -> Value"),
      "Softmax over the features with mask > 0; all other features are 0.");
  m.def(
      "masked_softmax_cross_entropy",
      [=](nb::handle logits, nb::handle mask, const IndexSymbol& label) {
        const IndexValue index = index_of("masked_softmax_cross_entropy", label);
        return with_values("masked_softmax_cross_entropy", {logits, mask},
                           [&](const auto& in) { return masked_softmax_cross_entropy(in[0], in[1], index); });
      },
      "logits"_a, "mask"_a, "label"_a,
      nb::sig("def masked_softmax_cross_entropy(logits: Operand, mask: Operand, label: IndexValue) -> Value"),
      "-log masked_softmax(logits, mask)[label], 0 where the label is -1.");
  m.def(
      "mean_squared_error",
      [](nb::handle x, nb::handle target, const std::optional<nb::handle>& present) {
        std::vector<nb::handle> operands{x, target};
        if (present) operands.push_back(*present);
        return with_values("mean_squared_error", operands, [&](const auto& in) {
          return present ? mean_squared_error(in[0], in[1], in[2]) : mean_squared_error(in[0], in[1]);
        });
      },
      "x"_a, "target"_a, "present"_a = nb::none(),
      nb::sig("def mean_squared_error(x: Operand, target: Operand, present: Operand | None = None) -> Value"),
      "Mean of squared differences over the features, or over those with `present` 1.");
  m.def(
      "binary_cross_entropy",
      [](nb::handle logits, nb::handle target, const std::optional<nb::handle>& present, double weight) {
        std::vector<nb::handle> operands{logits, target};
        if (present) operands.push_back(*present);
        return with_values("binary_cross_entropy", operands, [&](const auto& in) {
          return present ? binary_cross_entropy(in[0], in[1], in[2], weight)
                         : binary_cross_entropy(in[0], in[1], weight);
        });
      },
      "logits"_a, "target"_a, "present"_a = nb::none(), "positive_weight"_a = 1,
      nb::sig("def binary_cross_entropy(logits: Operand, target: Operand, present: Operand | None = None, "
              "positive_weight: float = 1) -> Value"),
      "The mean of -log sigmoid(logit) or -log(1 - sigmoid(logit)) of several labels, or of those with `present` 1.");
  m.def(
      "margin_ranking",
      [](nb::handle first, nb::handle second, nb::handle order, double margin) {
        return with_values("margin_ranking", {first, second, order},
                           [&](const auto& in) { return margin_ranking(in[0], in[1], in[2], margin); });
      },
      "first"_a, "second"_a, "order"_a, "margin"_a = 0,
      nb::sig("def margin_ranking(first: Operand, second: Operand, order: Operand, margin: float = 0) -> Value"),
      "max(0, margin - order * (first - second)).");
}

/// A sign of Python: a number beside a value becomes part of the operator, as in C++.
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

Symbol columns(const Symbol& x, const nb::slice& range) {
  x.scope->open("slice");
  const nb::object begin = range.attr("start"), end = range.attr("stop"), step = range.attr("step");
  user_check(step.is_none() || nb::cast<std::int64_t>(step) == 1,
             "[slice] the step is {}; expected none, as in x[2:5]: columns are contiguous", nb::repr(step).c_str());
  const auto bound = [&](nb::handle at, bool last) -> std::int64_t {
    const bool given = !at.is_none();
    const std::int64_t number = given ? nb::cast<std::int64_t>(at) : 0;
    if (given && number >= 0) return number;
    return number + (given || last ? shape_of("slice", x).size() : 0);
  };
  const std::int64_t from = bound(begin, false), to = bound(end, true);
  user_check(0 <= from && from < to && to <= std::numeric_limits<std::int32_t>::max(),
             "[slice] columns from {} to {} of {}; expected at least one, from 0 on", from, to,
             nb::repr(nb::find(x)).c_str());
  return {slice(x.value, static_cast<int>(from), static_cast<int>(to - from)), x.scope};
}

void define_signs(nb::module_& m) {
  auto value = nb::borrow<nb::class_<Symbol>>(m.attr("Value"));
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
      "x @ W with a parameter: [k] times [k, n]; x @ y: the product of two values of a vertex.");
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
      nb::sig(sig("__gt__").c_str()), "1 where x > y, else 0; no gradient.");
  value.def(
      "__lt__",
      [](const Symbol& x, nb::handle y) {
        return with_values("greater", {y, nb::find(x)}, [](const auto& in) { return apply_op("greater", in); });
      },
      nb::sig(sig("__lt__").c_str()));
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
      "count"_a, nb::sig("def split(self, count: int) -> tuple[Value, ...]"), "Equal parts of the features.");
  for (const auto& [name, op] : {std::pair{"sum", "sum_children"}, {"mean", "mean_children"}, {"max", "max_children"}})
    value.def(
        name,
        [op = op](const Symbol& x) {
          x.scope->open(op);
          return Symbol{apply_op(op, {x.value}), x.scope};
        },
        "Over the children of each vertex: edge rows in, one vertex row out; 0 where there are no children.");
}

}  // namespace

void bind_operators(nb::module_& m) {
  define_functions(m);
  define_losses(m);
  define_listed(m);
  define_signs(m);
}

}  // namespace cavs::python
