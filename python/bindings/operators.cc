#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <utility>

#include "bindings.h"
#include "cavs/inspect.h"
#include "cavs/layers.h"
#include "cavs/operator.h"
#include "support/check.h"

namespace cavs::python {

using namespace nb::literals;

namespace {

/// An attribute as a Python argument: its name, its type in stubs, and the setter.
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

/// Returns the arguments that set attributes of type A. None by default: other attributes are derived from the inputs.
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

std::string signature_of(const inspect::OperatorInfo& op, const std::vector<std::string>& arguments) {
  std::vector<std::string> inputs;
  for (const std::string& name : op.inputs)
    inputs.push_back(fmt::format("{}{}: Operand", op.variadic ? "*" : "", name));
  return fmt::format("def {}({}{}{}{}) -> Value", op.name, fmt::join(inputs, ", "), op.variadic ? "" : ", /",
                     arguments.empty() ? "" : ", ", fmt::join(arguments, ", "));
}

/// Binds one operator: inputs are positional arguments, then attributes are positional or keyword arguments.
template <typename A>
void define(nb::module_& m, const inspect::OperatorInfo& op) {
  const auto arguments = arguments_of<A>();
  std::vector<std::string> written;
  for (const auto& argument : arguments) written.push_back(fmt::format("{}: {}", argument.name, argument.type));
  const std::string signature = signature_of(op, written);
  const auto call = [op, arguments, signature](const nb::args& args, const nb::kwargs& named) {
    for (nb::handle argument : args)
      if (nb::isinstance<Scalar>(argument)) throw nb::next_overload();  // nanobind's second pass converts numbers
    const std::size_t inputs = op.variadic ? args.size() : op.inputs.size();
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
    return with_values(op.name.c_str(), operands,
                       [&](const std::vector<Value>& in) { return apply_op(op.name, in, attributes); });
  };
  m.def(op.name.c_str(), call, nb::sig(signature.c_str()), op.doc.c_str());
}

/// Returns the operators that users may apply to values.
std::vector<inspect::OperatorInfo> applicable_ops() {
  std::vector<inspect::OperatorInfo> ops = inspect::operators();
  std::erase_if(ops, [](const inspect::OperatorInfo& op) { return !op.has_value; });
  return ops;
}

/// Binds the operators for which no function below exists. They overload the functions of Scalars in `before`.
void define_listed(nb::module_& m, const nb::dict& before) {
  for (const inspect::OperatorInfo& op : applicable_ops())
    if (!nb::hasattr(m, op.name.c_str()) || before.contains(op.name.c_str()))
      std::visit([&]<typename A>(const A&) { define<A>(m, op); }, op.attributes);
  m.def(
      "operator_names",
      [] {
        std::vector<std::string> names;
        for (const inspect::OperatorInfo& op : applicable_ops()) names.push_back(op.name);
        return names;
      },
      "Lists the operators on values, as `cavs ops` does.");
}

Size2d size2d(const std::pair<int, int>& size) { return {.height = size.first, .width = size.second}; }

/// Binds operators whose argument names differ from their attributes, and combinations of operators.
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
      "x"_a, "epsilon"_a = 1e-5,
      "Normalizes over the features: (x - mean) / sqrt(variance + epsilon), without scale and shift; [...] -> [...] "
      "(Ba et al., 2016).");
  m.def(
      "dropout",
      [=](const Symbol& x, double p) { return unary("dropout", x, [&](const Value& in) { return dropout(in, p); }); },
      "x"_a, "p"_a,
      "Zeroes each element with probability p and scales the rest by 1 / (1 - p), in training only; [...] -> [...]. "
      "If x has one row per child, each child has its own mask.");
  m.def(
      "sample_dropout",
      [=](const Symbol& x, double p) {
        return unary("sample_dropout", x, [&](const Value& in) { return sample_dropout(in, p); });
      },
      "x"_a, "p"_a,
      "Dropout with one mask for all vertices, or all children, of a sample; [...] -> [...] (Gal and Ghahramani, "
      "2016).");
  m.def(
      "unfold",
      [=](const Symbol& x, const Pair& window, int stride, int padding) {
        return unary("unfold", x, [&](const Value& in) { return unfold(in, size2d(window), stride, padding); });
      },
      "x"_a, "window"_a, "stride"_a = 1, "padding"_a = 0,
      "Copies the pixels of each window of an image to a row (im2col): [height, width, channels] -> [rows * columns, "
      "window height * window width * channels]. stride, padding: in pixels; the image is padded with zeros.");
  m.def(
      "max_pool2d",
      [=](const Symbol& x, const Pair& window, int stride) {
        return unary("max_pool2d", x, [&](const Value& in) { return max_pool2d(in, size2d(window), stride); });
      },
      "x"_a, "window"_a, "stride"_a,
      "Maximum of each channel in a window: [height, width, channels] -> [rows, columns, channels]. If several pixels "
      "are largest, the first gets the gradient. window: (height, width) in pixels; stride: in pixels.");
  m.def(
      "average_pool2d",
      [=](const Symbol& x, const Pair& window, int stride) {
        return unary("average_pool2d", x, [&](const Value& in) { return average_pool2d(in, size2d(window), stride); });
      },
      "x"_a, "window"_a, "stride"_a,
      "Mean of each channel in a window: [height, width, channels] -> [rows, columns, channels]. window: (height, "
      "width) in pixels; stride: in pixels.");
  m.def(
      "conv2d",
      [=](const Symbol& x, const Parameter& w, const Parameter& b, int stride, int padding) {
        return unary("conv2d", x, [&](const Value& in) { return conv2d(in, w, b, stride, padding); });
      },
      "x"_a, "w"_a, "b"_a, "stride"_a = 1, "padding"_a = 0,
      "Convolution (cross-correlation) of an image [height, width, channels] with w [kernel height, kernel width, "
      "channels, n] and b [n] -> [rows, columns, n]. stride, padding: in pixels.");
  m.def(
      "highway",
      [](nb::handle x, nb::handle y, const Parameter& w, const Parameter& b) {
        return with_values("highway", {x, y}, [&](const auto& in) { return highway(in[0], in[1], w, b); });
      },
      "x"_a, "y"_a, "w"_a, "b"_a, nb::sig("def highway(x: Operand, y: Operand, w: Parameter, b: Parameter) -> Value"),
      "Computes t * y + (1 - t) * x with the gate t = sigmoid(x @ w + b): x, y [n], w [n, n], b [n] -> [n] (Srivastava "
      "et al., 2015, equation 3).");
  m.def(
      "attention",
      [](nb::handle query, nb::handle keys, nb::handle values) {
        return with_values("attention", {query, keys, values},
                           [](const auto& in) { return attention(in[0], in[1], in[2]); });
      },
      "query"_a, "keys"_a, "values"_a,
      nb::sig("def attention(query: Operand, keys: Operand, values: Operand) -> Value"),
      "Scaled dot-product attention of a vertex over its children (Vaswani et al., 2017, equation 1): query [d] per "
      "vertex, keys [d] and values [n] per child -> [n] per vertex. The result is the sum of the values weighted by "
      "softmax(query . keys / sqrt(d)), and zeros without children.");
  m.def(
      "additive_attention",
      [](nb::handle query, nb::handle keys, nb::handle values, const Parameter& v) {
        return with_values("additive_attention", {query, keys, values},
                           [&](const auto& in) { return additive_attention(in[0], in[1], in[2], v); });
      },
      "query"_a, "keys"_a, "values"_a, "v"_a,
      nb::sig("def additive_attention(query: Operand, keys: Operand, values: Operand, v: Parameter) -> Value"),
      "Additive attention of a vertex over its children: query [d] per vertex, keys [d] and values [n] per child, v "
      "[d] -> [n] per vertex. The scores are tanh(query + keys) . v (Bahdanau et al., 2015, appendix A.1.2).");
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
      "index"_a, "classes"_a,
      "A vector [classes] that is 1 at the index and 0 elsewhere; zeros where the index is -1.");
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
      "The loss -log softmax(logits)[label]: [classes] and one label per vertex -> (). It is 0 where the label is "
      "-1.\n\n"
      "class_weights: [classes], a factor for the loss of each class. label_smoothing: from 0 to 1, the part of the "
      "target distribution that is spread evenly over all classes (Szegedy et al., 2016).");
  m.def(
      "where",
      [](nb::handle condition, nb::handle x, nb::handle y) {
        return with_values("where", {condition, x, y}, [](const auto& in) { return where(in[0], in[1], in[2]); });
      },
      "condition"_a, "x"_a, "y"_a, nb::sig("def where(condition: Operand, x: Operand, y: Operand) -> Value"),
      "Chooses x where the condition is not 0, else y, element by element. The other side may be infinite or NaN.\n\n"
      "The condition has no gradient. The side that is not chosen gets the gradient 0, but its own operators multiply "
      "this 0 by their derivatives: where x is 0, the gradient through log(x) is 0 * infinity, which is NaN.");
  m.def(
      "masked_softmax",
      [](nb::handle x, nb::handle mask) {
        return with_values("masked_softmax", {x, mask}, [](const auto& in) { return masked_softmax(in[0], in[1]); });
      },
      "x"_a, "mask"_a, nb::sig("def masked_softmax(x: Operand, mask: Operand) -> Value"),
      "Softmax over the features with mask > 0; the result is 0 elsewhere: x, mask [n] -> [n].");
  m.def(
      "masked_softmax_cross_entropy",
      [=](nb::handle logits, nb::handle mask, const IndexSymbol& label) {
        const IndexValue index = index_of("masked_softmax_cross_entropy", label);
        return with_values("masked_softmax_cross_entropy", {logits, mask},
                           [&](const auto& in) { return masked_softmax_cross_entropy(in[0], in[1], index); });
      },
      "logits"_a, "mask"_a, "label"_a,
      nb::sig("def masked_softmax_cross_entropy(logits: Operand, mask: Operand, label: IndexValue) -> Value"),
      "The loss -log masked_softmax(logits, mask)[label]: [n], [n] and one label per vertex -> (). It is 0 where the "
      "label is -1.");
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
      "Mean of squared differences over the features, or over the features where `present` is 1: [n], [n] -> (). At "
      "vertices without a value of a pulled target, the loss and its gradient are 0.");
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
      "Mean loss of n yes/no labels, or of the labels where `present` is 1: [n], target [n] of 0 and 1 -> (). The loss "
      "is -log sigmoid(logit) for a target of 1, times positive_weight, and -log(1 - sigmoid(logit)) for 0.");
  m.def(
      "margin_ranking",
      [](nb::handle first, nb::handle second, nb::handle order, double margin) {
        return with_values("margin_ranking", {first, second, order},
                           [&](const auto& in) { return margin_ranking(in[0], in[1], in[2], margin); });
      },
      "first"_a, "second"_a, "order"_a, "margin"_a = 0,
      nb::sig("def margin_ranking(first: Operand, second: Operand, order: Operand, margin: float = 0) -> Value"),
      "The loss max(0, margin - order * (first - second)) of two scores; all are (). order is 1 where the first score "
      "should be larger, else -1.");
}

}  // namespace

void bind_operators(nb::module_& m) {
  const auto before = nb::cast<nb::dict>(m.attr("__dict__").attr("copy")());
  define_functions(m);
  define_losses(m);
  define_listed(m, before);
}

}  // namespace cavs::python
