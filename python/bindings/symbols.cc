#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "cavs/inspect.h"
#include "support/check.h"

namespace cavs::python {

using namespace nb::literals;

Vertex& Scope::open(const char* what) const {
  user_check(
      vertex != nullptr,
      "[{}] a value of vertex function '{}' is used after its declaration has ended; values are valid only inside it",
      what, function);
  return *vertex;
}

namespace {

/// Returns the declaration of a symbol; null for other objects.
const ScopePtr* scope_of_one(nb::handle operand) {
  if (nb::isinstance<Symbol>(operand)) return &nb::cast<const Symbol&>(operand).scope;
  if (nb::isinstance<IndexSymbol>(operand)) return &nb::cast<const IndexSymbol&>(operand).scope;
  return nullptr;
}

}  // namespace

ScopePtr scope_of(const char* what, const std::vector<nb::handle>& operands) {
  ScopePtr found;
  for (nb::handle operand : operands) {
    const ScopePtr* scope = scope_of_one(operand);
    if (scope == nullptr) continue;
    (*scope)->open(what);
    user_check(found == nullptr || found == *scope,
               "[{}] operands belong to two vertex functions, '{}' and '{}'; expected values of one function", what,
               found == nullptr ? "" : found->function, (*scope)->function);
    found = *scope;
  }
  user_check(found != nullptr,
             "[{}] no operand is a value of a vertex function; expected at least one: v(W) makes a value from a "
             "parameter, v.constant(2) from a number",
             what);
  return found;
}

Value value_of(const char* what, const ScopePtr& scope, nb::handle operand) {
  if (nb::isinstance<Symbol>(operand)) return nb::cast<const Symbol&>(operand).value;
  if (nb::isinstance<IndexSymbol>(operand)) return nb::cast<const IndexSymbol&>(operand).value;
  if (nb::isinstance<Parameter>(operand)) return scope->open(what)(nb::cast<const Parameter&>(operand));
  double number = 0;
  if (nb::try_cast(operand, number)) return scope->open(what).constant(number);
  const bool is_array = nb::hasattr(operand, "__array__");
  throw nb::type_error(fmt::format("[{}] an operand is of type {}; expected a Value, a Parameter or a number{}", what,
                                   nb::type_name(operand.type()).c_str(),
                                   is_array
                                       ? ": per-vertex data come from a port of the graphs (v.pull), and a constant "
                                         "array is a frozen parameter"
                                       : "")
                           .c_str());
}

Shape shape_of(const char* what, const Symbol& x) {
  x.scope->open(what);
  const std::optional<Shape> shape = x.value.shape();
  user_check(shape.has_value(),
             "[{}] the shape of {} is not known before its scatter; give both ends of a slice, none negative", what,
             x.value.describe());
  return *shape;
}

Shape shape_from(nb::handle sizes) {
  std::int32_t one = 0;
  if (nb::try_cast(sizes, one)) return Shape{one};
  std::vector<std::int32_t> dims;
  if (nb::try_cast(sizes, dims)) return Shape(std::move(dims));
  throw nb::type_error(fmt::format("a shape is of type {}; expected a tuple of integers, such as (300, 150)",
                                   nb::type_name(sizes.type()).c_str())
                           .c_str());
}

nb::tuple to_tuple(const Shape& shape) {
  nb::list dims;
  for (auto d : shape.dims) dims.append(d);
  return nb::tuple(dims);
}

namespace {

std::string repr(const Symbol& x) {
  if (x.scope->vertex == nullptr) return fmt::format("<Value of vertex function '{}', declared>", x.scope->function);
  return fmt::format("<Value {}>", inspect::to_text(x.value));
}

void bind_values(nb::module_& m) {
  nb::class_<Symbol>(
      m, "Value",
      "A symbolic value of the vertex function that is being declared: one row per vertex, or one row per "
      "edge (a vertex and one of its children). It is valid only inside the function.")
      .def(
          "named",
          [](const Symbol& x, const std::string& name) {
            x.scope->open("named");
            return Symbol{x.value.named(name), x.scope};
          },
          "name"_a, "Sets the value's name in printed programs and messages; returns the value.")
      .def_prop_ro(
          "shape", [](const Symbol& x) { return to_tuple(shape_of("shape", x)); },
          nb::sig("def shape(self) -> tuple[int, ...]"), "The shape of one row; () is a scalar.")
      .def("__bool__",
           [](const Symbol&) -> bool {
             user_error(
                 "a Value is symbolic: it has no number while it is declared, so Python cannot branch on it; use "
                 "operators, such as cavs.max or cavs.greater");
           })
      .def("__repr__", &repr);
  nb::class_<IndexSymbol>(m, "IndexValue",
                          "One integer per vertex or per edge, such as the id of a word or a label; -1 is absent.")
      .def("__bool__",
           [](const IndexSymbol&) -> bool {
             user_error(
                 "an IndexValue is symbolic: it has no number while it is declared, so Python cannot branch on it; use "
                 "v.where_present, or products with columns of cavs.one_hot");
           })
      .def("__repr__", [](const IndexSymbol& x) {
        return repr({x.value, x.scope});
      });
  auto index = nb::borrow<nb::class_<IndexSymbol>>(m.attr("IndexValue"));
  refuse_comparison<IndexSymbol>(
      index,
      "an IndexValue is symbolic: it has no number while it is declared, so == and != have no result; use a column of "
      "cavs.one_hot(w, count), which is 1 where w is the number of the column");
}

/// Calls set(name, value) for the arguments of v.scatter("h", y) or v.scatter(h=y, c=c).
template <typename Set>
void each_named(const char* what, const VertexSymbol& v, const nb::args& args, const nb::kwargs& named, Set set) {
  Vertex& vertex = v.scope->open(what);
  const auto one = [&](const std::string& name, nb::handle x) {
    const ScopePtr scope = nb::isinstance<Parameter>(x) ? v.scope : scope_of(what, {x});
    set(vertex, name, value_of(what, scope, x));
  };
  if (args.size() == 2 && nb::isinstance<nb::str>(args[0]))
    one(nb::cast<std::string>(args[0]), args[1]);
  else if (args.size() != 0 || named.size() == 0)
    throw nb::type_error(fmt::format("{} takes a name and a value, or name=value", what).c_str());
  for (auto [name, x] : named) one(nb::cast<std::string>(name), x);
}

void bind_vertex(nb::module_& m) {
  const auto value = [](const VertexSymbol& v, const Value& x) { return Symbol{x, v.scope}; };
  const auto index = [](const VertexSymbol& v, const IndexValue& x) { return IndexSymbol{x.value(), v.scope}; };
  nb::class_<VertexSymbol>(
      m, "Vertex",
      "The vertex of a vertex function: reads children and external input, writes states, outputs and losses.")
      .def(
          "gather",
          [=](const VertexSymbol& v, int k, const std::string& s) {
            return value(v, v.scope->open("gather").gather(k, s));
          },
          "k"_a, "state"_a, "The state that the child in slot k (from 0) scattered; zeros where the child is absent.")
      .def(
          "children",
          [=](const VertexSymbol& v, const std::string& s, int first) {
            return value(v, v.scope->open("children").children(s, first));
          },
          "state"_a, "first"_a = 0, "The states of all children from slot `first` on: one row per child.")
      .def(
          "scatter",
          [](const VertexSymbol& v, const nb::args& args, const nb::kwargs& named) {
            each_named("scatter", v, args, named,
                       [](Vertex& at, const std::string& name, const Value& x) { at.scatter(name, x); });
          },
          nb::sig("def scatter(self, *args: Any, **states: Operand) -> None"),
          "Sets states that parents gather: v.scatter(h=y), or v.scatter(\"h\", y). Each name may be set once.")
      .def(
          "pull",
          [=](const VertexSymbol& v, const std::string& port, int width) {
            return value(v, v.scope->open("pull").pull(port, width));
          },
          "port"_a, "width"_a, "External input from a float port: `width` numbers per vertex; zeros where absent.")
      .def(
          "pull_index",
          [=](const VertexSymbol& v, const std::string& port) {
            return index(v, v.scope->open("pull_index").pull_index(port));
          },
          "port"_a, "External input from an index port: one integer per vertex; -1 where absent.")
      .def(
          "pull_edges",
          [=](const VertexSymbol& v, const std::string& port, int width, int first) {
            return value(v, v.scope->open("pull_edges").pull_edges(port, width, first));
          },
          "port"_a, "width"_a, "first"_a = 0, "External input of edges: `width` numbers per row of children().")
      .def(
          "pull_edge_index",
          [=](const VertexSymbol& v, const std::string& port, int first) {
            return index(v, v.scope->open("pull_edge_index").pull_edge_index(port, first));
          },
          "port"_a, "first"_a = 0, "External input of edges: one integer per row of children().")
      .def(
          "pull_all",
          [=](const VertexSymbol& v, const std::string& port, int width) {
            return value(v, v.scope->open("pull_all").pull_all(port, width));
          },
          "port"_a, "width"_a, "All rows that a connection with RowMap.all() passes to the vertex.")
      .def(
          "push",
          [](const VertexSymbol& v, const nb::args& args, const nb::kwargs& named) {
            each_named("push", v, args, named,
                       [](Vertex& at, const std::string& name, const Value& x) { at.push(name, x); });
          },
          nb::sig("def push(self, *args: Any, **ports: Operand) -> None"),
          "Sets outputs of the model: v.push(logits=y @ Wy), or v.push(\"logits\", y @ Wy). Each name may be set once.")
      .def(
          "loss",
          [](const VertexSymbol& v, const Symbol& x) {
            x.scope->open("loss");
            v.scope->open("loss").loss(x.value);
          },
          "x"_a, "Adds x (a scalar per vertex) to the loss of the minibatch.")
      .def(
          "where_present",
          [=](const VertexSymbol& v, const std::string& port, const Symbol& x) {
            x.scope->open("where_present");
            return value(v, v.scope->open("where_present").where_present(port, x.value));
          },
          "port"_a, "x"_a, "x at vertices where the data have a value at this port; else 0.")
      .def(
          "where_edge_present",
          [=](const VertexSymbol& v, const std::string& port, const Symbol& x, int first) {
            x.scope->open("where_edge_present");
            return value(v, v.scope->open("where_edge_present").where_edge_present(port, x.value, first));
          },
          "port"_a, "x"_a, "first"_a = 0, "x at edges where the data have a value at this port of edges; else 0.")
      .def(
          "scattered",
          [=](const VertexSymbol& v, const std::string& state) {
            return value(v, v.scope->open("scattered").scattered(state));
          },
          "state"_a, "The value that the function scattered under this name.")
      .def(
          "pushed",
          [=](const VertexSymbol& v, const std::string& port) {
            return value(v, v.scope->open("pushed").pushed(port));
          },
          "port"_a, "The value that the function pushed under this name.")
      .def(
          "__call__",
          [=](const VertexSymbol& v, const Parameter& p) { return value(v, v.scope->open("parameter")(p)); },
          "parameter"_a, "The parameter as a value; needed only if no other operand is a value.")
      .def(
          "constant",
          [=](const VertexSymbol& v, double number) { return value(v, v.scope->open("constant").constant(number)); },
          "number"_a, "The number as a scalar at each vertex; needed only if no other operand is a value.");
}

void bind_parameter(nb::module_& m) {
  nb::class_<Initializer>(
      m, "Initializer",
      "The distribution of a parameter's initial values. The model's seed and the parameter's name determine them.")
      .def_static("zeros", &Initializer::zeros, "All 0.")
      .def_static("constant", &Initializer::constant, "value"_a, "All `value`.")
      .def_static("uniform", &Initializer::uniform, "limit"_a, "Uniform in [-limit, limit].")
      .def_static("normal", &Initializer::normal, "deviation"_a, "Normal with mean 0 and this standard deviation.")
      .def_static("xavier_uniform", &Initializer::xavier_uniform, "gain"_a = 1,
                  "Uniform in [-limit, limit] with limit = gain * sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio, "
                  "AISTATS 2010).")
      .def_static(
          "xavier_normal", &Initializer::xavier_normal, "gain"_a = 1,
          "Normal with mean 0 and standard deviation gain * sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio, AISTATS "
          "2010).");
  nb::class_<Parameter>(m, "Parameter",
                        "A dense parameter: x @ W multiplies each row by it, x + b adds it to each row.")
      .def_ro("name", &Parameter::name, "The name in checkpoints and in Trainer.parameters.")
      .def_prop_ro(
          "shape", [](const Parameter& p) { return to_tuple(p.shape); }, nb::sig("def shape(self) -> tuple[int, ...]"),
          "The declared shape.")
      .def("__repr__",
           [](const Parameter& p) { return fmt::format("<Parameter '{}' {}>", p.name, to_string(p.shape)); });
  nb::class_<Lookup>(m, "Lookup", "A table of rows [rows, d], read by index: E(v.pull_index(\"word\")).")
      .def_ro("name", &Lookup::name, "The name in checkpoints and in Trainer.parameters.")
      .def_prop_ro(
          "shape", [](const Lookup& t) { return to_tuple(t.shape); }, nb::sig("def shape(self) -> tuple[int, ...]"),
          "The declared shape (rows, d).")
      .def(
          "__call__",
          [](const Lookup& table, nb::handle of) {
            if (!nb::isinstance<IndexSymbol>(of))
              throw nb::type_error(fmt::format("[lookup] table '{}' is read by a {}; expected an IndexValue, such as "
                                               "v.pull_index(\"word\")",
                                               table.name, nb::type_name(of.type()).c_str())
                                       .c_str());
            const auto& index = nb::cast<const IndexSymbol&>(of);
            index.scope->open("lookup");
            return Symbol{table(IndexValue(index.value)), index.scope};
          },
          "index"_a, nb::sig("def __call__(self, index: IndexValue) -> Value"),
          "Looks up one row [d] per integer; zeros where the integer is -1.")
      .def("__repr__", [](const Lookup& t) { return fmt::format("<Lookup '{}' {}>", t.name, to_string(t.shape)); });
}

}  // namespace

void bind_symbols(nb::module_& m) {
  bind_parameter(m);
  bind_values(m);
  bind_vertex(m);
}

}  // namespace cavs::python
