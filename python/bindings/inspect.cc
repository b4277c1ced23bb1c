#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <sstream>

#include "bindings.h"
#include "cavs/compile.h"
#include "cavs/session.h"
#include "compile/program.h"
#include "inspect/function_drawing.h"
#include "inspect/graph_drawing.h"
#include "inspect/print_function.h"
#include "inspect/print_operator.h"
#include "inspect/print_program.h"
#include "inspect/schedule_drawing.h"
#include "inspect/svg.h"
#include "schedule/resolve_policy.h"
#include "schedule/schedule.h"
#include "support/check.h"

namespace cavs::python {

using namespace nb::literals;

namespace {

struct PyProgram {
  Model model;  // whose operators the program refers to
  std::shared_ptr<const Program> program;
};

struct PyFunction {
  PyProgram of;
  std::size_t type;

  const TypeProgram& program() const { return of.program->types[type]; }
};

struct PySchedule {
  PyProgram of;
  std::shared_ptr<const BoundGraphs> graphs;
  Minibatch minibatch = {};
  Schedule schedule = {};
  std::string policy = {};

  std::vector<std::string> types() const {
    std::vector<std::string> names;
    for (const TypeProgram& type : of.program->types) names.push_back(type.function.name);
    return names;
  }
  std::string svg() const {
    return to_svg(ScheduleDrawing{minibatch, schedule, types()},
                  fmt::format("{}: {} tasks", policy, schedule.tasks.size()));
  }
};

/// Text as it may stand in a page, with its lines.
std::string preformatted(const std::string& text) {
  std::string html;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) html += escape_xml(line) + "\n";
  return fmt::format("<pre>{}</pre>", html);
}

PyProgram compile_model(const PyModel& m, bool training, bool loss,
                        const std::optional<std::vector<std::string>>& pushes,
                        const std::vector<std::string>& disabled_passes) {
  user_check(!m.declaring, "the model is being declared; compile it afterwards");
  return {m.model,
          compile(m.model, {.training = training, .loss = loss, .pushes = pushes, .disabled_passes = disabled_passes})};
}

std::string text_of(const PyFunction& f) { return to_text(f.program().function, f.program().stages); }

std::vector<PyFunction> functions_of(const PyProgram& self) {
  std::vector<PyFunction> all;
  for (std::size_t t = 0; t < self.program->types.size(); ++t) all.push_back({self, t});
  return all;
}

std::string text_of(const PyProgram& self) {
  std::string text = operators_to_text(self.model.functions());
  for (const PyFunction& f : functions_of(self)) text += text_of(f);
  return text;
}

std::string dot_of(const std::vector<PyFunction>& functions) {
  std::string text = dot_begin();
  for (const PyFunction& f : functions) text += to_dot(f.program().function, f.program().stages);
  return text + dot_end();
}

void bind_program(nb::module_& m) {
  nb::class_<PyFunction>(m, "Function", "A compiled vertex function: F, and in training its derivative ∂F.")
      .def_prop_ro(
          "name", [](const PyFunction& self) { return self.program().function.name; }, "The type of vertices.")
      .def(
          "dot", [](const PyFunction& self) { return dot_of({self}); }, "A graph for Graphviz.")
      .def(
          "svg",
          [](const PyFunction& self, bool gradient) {
            return to_svg(self.program().function, self.program().stages, gradient);
          },
          "gradient"_a = false, "A drawing of F, or of F and ∂F; a notebook shows that of F.")
      .def("_repr_svg_", [](const PyFunction& self) { return to_svg(self.program().function, self.program().stages); })
      .def("__repr__", [](const PyFunction& self) { return text_of(self); });
  nb::class_<PyProgram>(m, "Program",
                        "A compiled model, as `cavs inspect` prints it: a line for each value with its shape, the rows "
                        "that it has, and when it is computed.")
      .def_prop_ro("functions", &functions_of, "One for each type of vertices.")
      .def_prop_ro(
          "fingerprint", [](const PyProgram& self) { return fmt::format("{:016x}", self.program->fingerprint); },
          "16 hexadecimal digits of what decides how vertices can be batched.")
      .def_prop_ro(
          "passes", [](const PyProgram& self) { return self.program->log; }, "What each pass of the compiler did.")
      .def(
          "instructions",
          [](const PyProgram& self) {
            std::string text;
            for (std::size_t t = 0; t < self.program->types.size(); ++t)
              text += instructions_to_text(*self.program, static_cast<std::int32_t>(t));
            return text;
          },
          "The code that runs, as text.")
      .def(
          "dot", [](const PyProgram& self) { return dot_of(functions_of(self)); }, "A graph for Graphviz.")
      .def("_repr_html_",
           [](const PyProgram& self) {
             std::string html;
             for (const PyFunction& f : functions_of(self)) html += to_svg(f.program().function, f.program().stages);
             return html + fmt::format("<details><summary>as text</summary>{}</details>", preformatted(text_of(self)));
           })
      .def("__repr__", [](const PyProgram& self) { return text_of(self); });
}

PySchedule make(const PyModel& m, const PyGraphs& graphs, nb::handle samples, const std::string& policy) {
  PySchedule made{.of = compile_model(m, true, true, std::vector<std::string>{}, {}), .graphs = nullptr};
  std::vector<std::int32_t> chosen;
  if (samples.is_none()) {
    chosen.resize(graphs.set->size());
    std::iota(chosen.begin(), chosen.end(), 0);
  } else {
    chosen = int32_from("samples", samples);
  }
  user_check(!chosen.empty(), "a schedule of no samples; expected at least one");
  const nb::gil_scoped_release release;
  made.graphs = bind_graphs(made.of.program, graphs_for(m.model, "", graphs.set));
  made.minibatch.clear(*made.graphs);
  for (const std::int32_t s : chosen) {
    user_check(0 <= s && s < graphs.set->size(), "sample {} of {}; expected numbers from 0", s, graphs.set->size());
    made.minibatch.add(s);
  }
  Scheduler scheduler;
  make_schedule(made.minibatch, *resolve_policy(policy, nullptr, *made.of.program), scheduler, made.schedule);
  made.policy = policy;
  return made;
}

void bind_schedule(nb::module_& m) {
  nb::class_<PySchedule>(
      m, "Schedule", "Which vertices of a minibatch run together, and in which order, as `cavs schedule` prints it.")
      .def_prop_ro(
          "tasks",
          [](const PySchedule& self) {
            const auto types = self.types();
            std::vector<std::pair<std::string, std::int32_t>> tasks;
            for (const Task& task : self.schedule.tasks) tasks.emplace_back(types[task.type], task.end - task.begin);
            return tasks;
          },
          "Type and number of vertices of each task.")
      .def_prop_ro(
          "lower_bound", [](const PySchedule& self) { return lower_bound(self.minibatch); },
          "The fewest tasks that any policy can take.")
      .def(
          "vertices", [](const PySchedule& self) { return to_text(self.schedule, self.types()); },
          "The vertices of every task, as text.")
      .def(
          "dot",
          [](const PySchedule& self) {
            return to_dot(ScheduleDrawing{self.minibatch, self.schedule, self.types()});
          },
          "A graph for Graphviz.")
      .def("svg", &PySchedule::svg, "A drawing with a colour and the number of its task at every vertex.")
      .def("_repr_svg_", &PySchedule::svg)
      .def("__len__", [](const PySchedule& self) { return self.schedule.tasks.size(); })
      .def("__repr__", [](const PySchedule& self) {
        return tasks_to_text(*self.of.program, self.schedule, lower_bound(self.minibatch));
      });
}

/// A sample, drawn in a terminal or a notebook.
struct PyDrawing {
  PyGraphs graphs;
  std::int32_t sample;
  VertexNotes notes;
};

PyDrawing draw(const PyGraphs& graphs, std::int32_t sample, const std::optional<std::vector<std::string>>& words) {
  const GraphSet& set = *graphs.set;
  user_check(0 <= sample && sample < set.size(), "sample {} of {}; expected a number from 0", sample, set.size());
  const auto vertices = static_cast<std::size_t>(set.vertex_begin()[sample + 1] - set.vertex_begin()[sample]);
  const Vocabulary vocabulary = words ? Vocabulary(*words) : Vocabulary();
  return {graphs, sample,
          VertexNotes{.words = vertex_words(set, sample, nullptr, vocabulary),
                      .predictions = std::vector<std::int32_t>(vertices, -1),
                      .labels = vertex_labels(set, sample)}};
}

/// A page's table of a model's parameters, and its functions as they were declared.
std::string model_html(const PyModel& m) {
  std::string html = "<table><tr><th>parameter</th><th>shape</th><th>numbers</th></tr>";
  for (const ParameterInfo& info : m.model.parameters())
    html += fmt::format("<tr><td>{}</td><td>{}{}</td><td>{}</td></tr>", escape_xml(info.name), to_string(info.shape),
                        info.table ? ", looked up" : "", info.shape.size());
  html += "</table>";
  for (const Function& f : m.model.functions()) html += to_svg(f, {});
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
           "The compiled functions, to look at: with their gradients, or as for inference.")
      .def("schedule", &make, "graphs"_a, "samples"_a = nb::none(), nb::kw_only(), "policy"_a = "frontier",
           nb::sig("def schedule(self, graphs: Graphs, samples: ArrayLike | None = None, *, policy: str = "
                   "\"frontier\") -> Schedule"),
           "How a minibatch of these samples is evaluated in training.")
      .def("_repr_html_", &model_html);
  nb::class_<PyDrawing>(m, "Drawing", "A drawing of a sample's graph: text for a terminal, an SVG for a notebook.")
      .def(
          "svg", [](const PyDrawing& self) { return to_svg(*self.graphs.set, self.sample, self.notes); },
          "The drawing of a notebook, as text.")
      .def("_repr_svg_", [](const PyDrawing& self) { return to_svg(*self.graphs.set, self.sample, self.notes); })
      .def("__repr__", [](const PyDrawing& self) { return draw_tree(*self.graphs.set, self.sample, self.notes); });
  auto graphs = nb::borrow<nb::class_<PyGraphs>>(m.attr("Graphs"));
  graphs.def("draw", &draw, "sample"_a = 0, "words"_a = nb::none(),
             "Draws a sample; `words`: those of the ids at port \"word\", such as Dataset.words.");
}

}  // namespace cavs::python
