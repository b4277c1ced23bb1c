#include "cavs/inspect.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <numeric>

#include "bindings.h"
#include "cavs/compile.h"
#include "cavs/session.h"
#include "support/check.h"

namespace cavs::python {

using namespace nb::literals;

namespace {

struct PyProgram {
  Model model;  // owns the operators to which the program refers
  std::shared_ptr<const Program> program;
};

struct PyFunction {
  PyProgram of;
  std::size_t number;

  const Program& program() const { return *of.program; }
};

struct PySchedule {
  inspect::ScheduledBatch batch;
  std::string policy;

  std::string svg() const { return batch.to_svg(fmt::format("{}: {} tasks", policy, batch.tasks().size())); }
};

std::string escaped(const std::string& text) {
  return nb::cast<std::string>(nb::module_::import_("html").attr("escape")(text));
}

PyProgram compile_model(const PyModel& m, bool training, bool loss,
                        const std::optional<std::vector<std::string>>& pushes,
                        const std::vector<std::string>& disabled_passes) {
  user_check(!m.declaring, "the model is being declared; compile it afterwards");
  return {m.model,
          compile(m.model, {.training = training, .loss = loss, .pushes = pushes, .disabled_passes = disabled_passes})};
}

std::vector<PyFunction> functions_of(const PyProgram& self) {
  std::vector<PyFunction> all;
  for (std::size_t f = 0; f < inspect::functions(*self.program).size(); ++f) all.push_back({self, f});
  return all;
}

void bind_program(nb::module_& m) {
  nb::class_<PyFunction>(m, "Function", "A compiled vertex function: F and, for training, its backward pass ∂F.")
      .def_prop_ro(
          "name", [](const PyFunction& self) { return inspect::functions(self.program())[self.number]; },
          "The vertex type.")
      .def(
          "dot", [](const PyFunction& self) { return inspect::to_dot(self.program(), self.number); },
          "A graph for Graphviz.")
      .def(
          "svg",
          [](const PyFunction& self, bool gradient) { return inspect::to_svg(self.program(), self.number, gradient); },
          "gradient"_a = false, "Draws F, or with gradient=True F and ∂F, as an SVG. A notebook shows F.")
      .def("_repr_svg_", [](const PyFunction& self) { return inspect::to_svg(self.program(), self.number); })
      .def("__repr__", [](const PyFunction& self) { return inspect::to_text(self.program(), self.number); });
  nb::class_<PyProgram>(
      m, "Program",
      "A compiled model. It prints as in `cavs inspect`: one line per value with its shape, its domain "
      "(what it has one row for), and when it is computed.")
      .def_prop_ro("functions", &functions_of, "The compiled vertex functions, one per vertex type.")
      .def_prop_ro(
          "fingerprint", [](const PyProgram& self) { return fmt::format("{:016x}", fingerprint(*self.program)); },
          "A hash, as 16 hexadecimal digits, of everything that decides how vertices can be batched.")
      .def_prop_ro(
          "passes", [](const PyProgram& self) { return compiler_log(*self.program); },
          "A report of what each compiler pass did.")
      .def(
          "instructions", [](const PyProgram& self) { return inspect::instructions_to_text(*self.program); },
          "The instructions that run, as text.")
      .def(
          "dot", [](const PyProgram& self) { return inspect::to_dot(*self.program); }, "A graph for Graphviz.")
      .def("_repr_html_",
           [](const PyProgram& self) {
             std::string html;
             for (const PyFunction& f : functions_of(self)) html += inspect::to_svg(f.program(), f.number);
             return html + fmt::format("<details><summary>as text</summary><pre>{}</pre></details>",
                                       escaped(inspect::to_text(*self.program, self.model)));
           })
      .def("__repr__", [](const PyProgram& self) { return inspect::to_text(*self.program, self.model); });
}

PySchedule make(const PyModel& m, const PyGraphs& graphs, nb::handle samples, const std::string& policy) {
  const PyProgram compiled = compile_model(m, true, true, std::vector<std::string>{}, {});
  std::vector<std::int32_t> chosen;
  if (samples.is_none()) {
    chosen.resize(graphs.set->size());
    std::iota(chosen.begin(), chosen.end(), 0);
  } else {
    chosen = int32_from("samples", samples);
  }
  const nb::gil_scoped_release release;
  const auto bound = bind_graphs(compiled.program, graphs_for(m.model, "", graphs.set));
  return {inspect::ScheduledBatch(compiled.program, bound, chosen, policy), policy};
}

void bind_schedule(nb::module_& m) {
  nb::class_<PySchedule>(
      m, "Schedule",
      "The tasks of a minibatch (vertices that are evaluated together), in order, as in `cavs schedule`.")
      .def_prop_ro(
          "tasks",
          [](const PySchedule& self) {
            std::vector<std::pair<std::string, std::int32_t>> tasks;
            for (const auto& task : self.batch.tasks()) tasks.emplace_back(task.type, task.vertices);
            return tasks;
          },
          "The vertex type and the number of vertices of each task.")
      .def_prop_ro(
          "lower_bound", [](const PySchedule& self) { return self.batch.lower_bound(); },
          "A lower bound on the number of tasks, whatever the policy.")
      .def(
          "vertices", [](const PySchedule& self) { return self.batch.vertices_to_text(); },
          "The vertices of every task, as text.")
      .def(
          "dot", [](const PySchedule& self) { return self.batch.to_dot(); }, "A graph for Graphviz.")
      .def("svg", &PySchedule::svg,
           "Draws the graphs as an SVG, with the task of every vertex as a colour and a number.")
      .def("_repr_svg_", &PySchedule::svg)
      .def("__len__", [](const PySchedule& self) { return self.batch.tasks().size(); })
      .def("__repr__", [](const PySchedule& self) { return self.batch.to_text(); });
}

/// A drawing of a sample, for a terminal or a notebook.
struct PyDrawing {
  PyGraphs graphs;
  std::int32_t sample;
  inspect::VertexNotes notes;
};

PyDrawing draw(const PyGraphs& graphs, std::int32_t sample, const std::optional<std::vector<std::string>>& words) {
  const GraphSet& set = *graphs.set;
  user_check(0 <= sample && sample < set.size(), "sample {} of {}; expected a number from 0", sample, set.size());
  return {graphs, sample, inspect::notes_of(set, sample, words ? Vocabulary(*words) : Vocabulary())};
}

/// Returns HTML for notebooks: a table of the model's parameters, and its functions as declared.
std::string model_html(const PyModel& m) {
  std::string html = "<table><tr><th>parameter</th><th>shape</th><th>numbers</th></tr>";
  for (const ParameterInfo& info : m.model.parameters())
    html += fmt::format("<tr><td>{}</td><td>{}{}</td><td>{}</td></tr>", escaped(info.name), to_string(info.shape),
                        info.table ? ", looked up" : "", info.shape.size());
  html += "</table>";
  for (std::size_t f = 0; f < m.model.types().size(); ++f) html += inspect::to_svg(m.model, f);
  return html;
}

}  // namespace

void bind_inspect(nb::module_& m) {
  bind_program(m);
  bind_schedule(m);
  auto model = nb::borrow<nb::class_<PyModel>>(m.attr("Model"));
  model
      .def("compile", &compile_model, nb::kw_only(), "training"_a = true, "loss"_a = true, "pushes"_a = nb::none(),
           "disabled_passes"_a = std::vector<std::string>{},
           "Compiles the model for inspection, with gradients (training=True) or for inference.")
      .def("schedule", &make, "graphs"_a, "samples"_a = nb::none(), nb::kw_only(), "policy"_a = "frontier",
           nb::sig("def schedule(self, graphs: Graphs, samples: ArrayLike | None = None, *, policy: str = "
                   "\"frontier\") -> Schedule"),
           "The schedule of a training minibatch of these samples; None means all.")
      .def("_repr_html_", &model_html);
  nb::class_<PyDrawing>(m, "Drawing", "A drawing of a sample's graph: text for a terminal, an SVG for a notebook.")
      .def(
          "svg", [](const PyDrawing& self) { return inspect::to_svg(*self.graphs.set, self.sample, self.notes); },
          "The drawing as the text of an SVG.")
      .def("_repr_svg_",
           [](const PyDrawing& self) { return inspect::to_svg(*self.graphs.set, self.sample, self.notes); })
      .def("__repr__",
           [](const PyDrawing& self) { return inspect::to_text(*self.graphs.set, self.sample, self.notes); });
  auto graphs = nb::borrow<nb::class_<PyGraphs>>(m.attr("Graphs"));
  graphs.def("draw", &draw, "sample"_a = 0, "words"_a = nb::none(),
             "Draws a sample. words: the words of the ids at port \"word\", such as Dataset.words.");
}

}  // namespace cavs::python
