#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "cavs/compile.h"
#include "cavs/inspect.h"
#include "support/check.h"

namespace cavs::python {

using namespace nb::literals;

namespace {

/// Opens a declaration of a vertex function. The destructor closes it.
class Declaration {
 public:
  Declaration(PyModel& m, const std::string& function) : m_(m), scope_(std::make_shared<Scope>()) {
    user_check(!m.declaring,
               "vertex function '{}' is declared inside another one of the same model; declare them one after the "
               "other",
               function);
    m.declaring = true;
    scope_->function = function;
  }
  ~Declaration() {
    m_.declaring = false;
    scope_->vertex = nullptr;
  }
  Declaration(const Declaration&) = delete;
  Declaration& operator=(const Declaration&) = delete;

  void call(Vertex& vertex, nb::handle declare) {
    scope_->vertex = &vertex;
    const nb::object result = declare(VertexSymbol{scope_});
    user_check(result.is_none(),
               "vertex function '{}' returns a {}; expected None: results are passed to v.scatter, v.push and v.loss",
               scope_->function, nb::type_name(result.type()).c_str());
  }

 private:
  PyModel& m_;
  ScopePtr scope_;
};

void declare(PyModel& m, const std::string& type, nb::handle function, const FunctionOptions& options) {
  Declaration declaration(m, type);
  m.model.vertex_function(
      type, [&](Vertex& vertex) { declaration.call(vertex, function); }, options);
}

std::string repr(const PyModel& m) {
  std::int64_t numbers = 0;
  for (const ParameterInfo& info : m.model.parameters()) numbers += info.shape.size();
  std::string text = fmt::format("<cavs.Model: {} parameters of {} numbers, {} vertex functions",
                                 m.model.parameters().size(), numbers, m.model.types().size());
  const char* separator = ": ";
  for (const std::string& type : m.model.types()) {
    text += separator + type;
    separator = ", ";
  }
  return text + ">";
}

void bind_row_map(nb::module_& m) {
  nb::class_<RowMap>(m, "RowMap", "Selects the rows of a push port that a connection passes to a pull port.")
      .def_static("same", &RowMap::same, "The row pushed at the same vertex.")
      .def_static("root", &RowMap::root, "The row pushed at the root.")
      .def_static("start", &RowMap::start,
                  "The row pushed at the root, but only at vertices where the pulling function has no children.")
      .def_static("all", &RowMap::all, "All rows of the sample, for Vertex.pull_all.")
      .def_static("given", &RowMap::given, "port"_a,
                  "The row pushed at the vertex whose number this index port of the data has.");
}

}  // namespace

void bind_model(nb::module_& m) {
  bind_row_map(m);
  nb::class_<PyModel>(m, "Model", "A model: parameters, and one vertex function per vertex type.")
      .def(
          "__init__", [](PyModel* self, std::uint64_t seed) { new (self) PyModel{Model({.seed = seed})}; },
          "seed"_a = 1)
      .def(
          "parameter",
          [](PyModel& self, const std::string& name, nb::handle shape, const Initializer& init) {
            return self.model.parameter(name, shape_from(shape), init);
          },
          "name"_a, "shape"_a, "init"_a = Initializer::xavier_uniform(),
          nb::sig("def parameter(self, name: str, shape: int | Sequence[int], init: Initializer = ...) -> Parameter"),
          "Declares a parameter. If the name is declared already, returns that parameter, which must have this shape.")
      .def(
          "lookup",
          [](PyModel& self, const std::string& name, nb::handle shape, const Initializer& init) {
            return self.model.lookup(name, shape_from(shape), init);
          },
          "name"_a, "shape"_a, "init"_a = Initializer::uniform(0.1F),
          nb::sig("def lookup(self, name: str, shape: Sequence[int], init: Initializer = ...) -> Lookup"),
          "Declares a lookup table of shape [rows, d].")
      .def(
          "vertex_function",
          [](PyModel& self, nb::callable function) {
            declare(self, nb::cast<std::string>(function.attr("__name__")), function, {});
            return function;
          },
          "function"_a,
          nb::sig("def vertex_function(self, function: Callable[[Vertex], None]) -> Callable[[Vertex], None]"),
          "Declares the vertex function of a type by calling `function` once; its name is the type.")
      .def(
          "vertex_function",
          [](nb::handle self, std::string type, std::vector<std::string> over, bool reverse) {
            const FunctionOptions options{.over = std::move(over), .reverse = reverse};
            return nb::cpp_function([self = nb::borrow(self), type, options](nb::callable function) {
              declare(nb::cast<PyModel&>(self), type, function, options);
              return function;
            });
          },
          "type"_a, "over"_a = std::vector<std::string>{}, "reverse"_a = false,
          nb::sig("def vertex_function(self, type: str, over: Sequence[str] = ..., reverse: bool = False) -> "
                  "Callable[[Callable[[Vertex], None]], Callable[[Vertex], None]]"),
          "Declares a vertex function for `type`.\n\n"
          "over: types of the data's vertices that it runs over, in a network. reverse: True swaps children and "
          "parents.")
      .def(
          "extend",
          [](PyModel& self, const std::string& type, nb::callable function) {
            Declaration declaration(self, type);
            self.model.extend(type, [&](Vertex& vertex) { declaration.call(vertex, function); });
          },
          "type"_a, "function"_a, nb::sig("def extend(self, type: str, function: Callable[[Vertex], None]) -> None"),
          "Adds the operations of `function` to the vertex function of `type`, which must be declared already.")
      .def(
          "connect",
          [](PyModel& self, const std::pair<std::string, std::string>& from,
             const std::pair<std::string, std::string>& to, const RowMap& rows) {
            self.model.connect({from.first, from.second}, {to.first, to.second}, rows);
          },
          "source"_a, "to"_a, "rows"_a = RowMap::same(),
          nb::sig("def connect(self, source: tuple[str, str], to: tuple[str, str], rows: RowMap = ...) -> None"),
          "Connects the push port `source` to the pull port `to`, both (function, port). rows: which rows are passed.")
      .def_prop_ro(
          "fingerprint", [](const PyModel& self) { return fmt::format("{:016x}", fingerprint(*compile(self.model))); },
          "A hash, as 16 hexadecimal digits, of everything that decides how vertices can be batched.")
      .def("parameters", &initial_parameters, "The parameters with their initial values. Each call returns a new set.")
      .def_prop_ro(
          "types", [](const PyModel& self) { return self.model.types(); },
          "Names of the vertex functions, in the order of declaration.")
      .def_prop_ro(
          "seed", [](const PyModel& self) { return self.model.seed(); }, "The seed of initial values and dropout.")
      .def(
          "to_json", [](const PyModel& self) { return self.model.to_json(); },
          "The model as versioned JSON: vertex functions, declared parameters and options.")
      .def_static(
          "from_json", [](const std::string& text) { return PyModel{Model::from_json(text)}; }, "text"_a,
          "Reads a model that to_json wrote. Raises Error for other text, or a later version.")
      .def("__getstate__", [](const PyModel& self) { return self.model.to_json(); })
      .def(
          "__setstate__", [](PyModel& self, const std::string& json) { new (&self) PyModel{Model::from_json(json)}; },
          "json"_a, nb::sig("def __setstate__(self, json: str, /) -> None"))
      .def("__copy__", [](const PyModel& self) { return PyModel{self.model}; })
      .def(
          "__deepcopy__", [](const PyModel& self, nb::handle) { return PyModel{self.model}; }, "memo"_a)
      .def("__str__", [](const PyModel& self) { return inspect::to_text(self.model); })
      .def("__repr__", &repr);
}

}  // namespace cavs::python
