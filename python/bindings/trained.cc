#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "cavs/evaluator.h"
#include "cavs/readers.h"
#include "cavs/trained_model.h"
#include "support/check.h"
#include "training.h"

namespace cavs::python {

using namespace nb::literals;

std::unique_ptr<PyTrained> make_trained(Checkpoint checkpoint) {
  auto made = std::make_unique<PyTrained>(PyTrained{.trained = trained_model(checkpoint)});
  made->checkpoint = std::move(checkpoint);
  made->parameters = {made->trained.parameters, std::make_shared<std::atomic<bool>>(false)};
  return made;
}

namespace {

/// The rows of one port for all vertices: [vertices, width].
struct Pushed {
  std::vector<float> values;
  std::size_t width = 0;
};

/// Returns zeros [vertices, width] for each port that the model pushes.
std::map<std::string, Pushed> no_rows(const Program& program, std::size_t vertices) {
  std::map<std::string, Pushed> pushed;
  for (const FunctionPorts& function : function_ports(program))
    for (const FunctionPorts::Port& port : function.pushes) {
      const auto width = static_cast<std::size_t>(port.width);
      pushed[port.name] = {std::vector<float>(vertices * width), width};
    }
  return pushed;
}

SessionOptions options_of(const PyTrained::Where& where) {
  return {.threads = where.first, .device = device_named(where.second)};
}

/// Returns the session for a number of threads and a device. Sessions are cached.
Session& session_of(PyTrained& self, const PyTrained::Where& where) {
  PyTrained::Forward& forward = self.forward;
  if (forward.program == nullptr) forward.program = compile(self.trained.model, {.training = false, .loss = false});
  std::unique_ptr<Session>& session = forward.sessions[where];
  if (session == nullptr)
    session = std::make_unique<Session>(forward.program, self.trained.parameters, options_of(where));
  return *session;
}

std::map<std::string, Pushed> run_all(PyTrained& self, const std::shared_ptr<const GraphSet>& graphs, int batch_size,
                                      const PyTrained::Where& where) {
  Session& session = session_of(self, where);
  auto pushed = no_rows(*self.forward.program, static_cast<std::size_t>(graphs->vertices()));
  const auto bound = bind_graphs(self.forward.program, graphs);
  for (std::int32_t begin = 0; begin < graphs->size(); begin += batch_size) {
    std::vector<std::int32_t> samples(std::min(batch_size, graphs->size() - begin));
    std::iota(samples.begin(), samples.end(), begin);
    const Run run = session.forward(*bound, samples);
    for (auto& [port, all] : pushed) {
      const std::span<const std::int64_t> at = graphs->vertex_begin();
      const auto first = static_cast<std::size_t>(at[begin]) * all.width;
      const auto last = static_cast<std::size_t>(at[begin + static_cast<std::int32_t>(samples.size())]) * all.width;
      run.output(port, std::span(all.values).subspan(first, last - first));
    }
  }
  return pushed;
}

/// Returns rows of the given vertices: copies of the rows of the evaluated vertices outputs[v], or NaN if that is -1.
Pushed rows_of(const Pushed& pushed, const GraphSet& given, const GraphSet& evaluated,
               const std::vector<std::int32_t>& outputs) {
  const std::size_t width = pushed.width;
  Pushed rows{
      std::vector<float>(static_cast<std::size_t>(given.vertices()) * width, std::numeric_limits<float>::quiet_NaN()),
      width};
  for (std::int32_t s = 0; s < given.size(); ++s)
    for (std::int64_t v = given.vertex_begin()[s]; v < given.vertex_begin()[s + 1]; ++v)
      if (outputs[v] >= 0)
        std::copy_n(
            pushed.values.begin() + (evaluated.vertex_begin()[s] + outputs[v]) * static_cast<std::int64_t>(width),
            width, rows.values.begin() + v * static_cast<std::int64_t>(width));
  return rows;
}

std::map<std::string, Pushed> predict_all(PyTrained& self, const std::shared_ptr<const GraphSet>& graphs,
                                          int batch_size, const PyTrained::Where& where) {
  user_check(batch_size > 0, "batch_size is {}; expected at least 1", batch_size);
  const Model& model = self.trained.model;
  const std::string& name = self.trained.graph_builder;
  const bool built = !graphs->schema().connected && graph_builder_for(name, &model, graphs->schema()).has_value();
  if (!built) return run_all(self, graphs, batch_size, where);
  const auto evaluated = graphs_for(model, name, graphs);
  std::map<std::string, Pushed> pushed = run_all(self, evaluated, batch_size, where);
  for (auto& [port, rows] : pushed) {
    std::vector<std::int32_t> outputs;
    const GraphBuilder builder =
        name.empty() ? network_builder(model, graphs->schema(), port) : find_graph_builder(name);
    build_graphs(*graphs, builder, &outputs);
    if (!outputs.empty()) rows = rows_of(rows, *graphs, *evaluated, outputs);
  }
  return pushed;
}

}  // namespace

nb::dict predict(PyTrained& self, const PyGraphs& graphs, int batch_size, int threads, const std::string& device) {
  std::map<std::string, Pushed> pushed;
  {
    const nb::gil_scoped_release release;
    const Turn turn(self.busy());
    graphs.expect_unchanged();
    pushed = predict_all(self, graphs.set, batch_size, {threads, device});
  }
  nb::dict arrays;
  for (auto& [port, rows] : pushed) {
    const std::size_t vertices = rows.values.size() / rows.width;
    arrays[port.c_str()] = to_numpy(std::move(rows.values), {vertices, rows.width});
  }
  return arrays;
}

namespace {

std::vector<Prediction> predict_text(PyTrained& self, const std::string& text, int threads, const std::string& device) {
  const nb::gil_scoped_release release;
  const Turn turn(self.busy());
  PyTrained::Forward& forward = self.forward;
  if (!forward.reading) {
    forward.reading = sample_options(self.trained);
    forward.reading->name = "text";
  }
  const Samples samples = parse_samples(text, *forward.reading);
  const PyTrained::Where where{threads, device};
  std::unique_ptr<Predictor>& predictor = forward.predictors[where];
  if (predictor == nullptr) predictor = std::make_unique<Predictor>(self.trained, options_of(where));
  return predictor->predict(samples.graphs);
}

PyDataset load_for(PyTrained& self, const std::string& spec, std::int64_t limit, std::optional<std::uint64_t> seed) {
  const nb::gil_scoped_release release;
  DataOptions options = data_options(self.trained);
  options.limit = limit;
  options.seed = seed.value_or(self.checkpoint.seed);
  options.for_prediction = true;
  options.graph_builder = self.trained.graph_builder;
  options.network = &self.trained.model;
  return dataset_of(load_data(spec, options), spec);
}

Evaluation evaluate_on(PyTrained& self, const PyGraphs& graphs, int batch_size, int threads,
                       const std::string& device) {
  const nb::gil_scoped_release release;
  const Turn turn(self.busy());
  graphs.expect_unchanged();
  const auto evaluated = graphs_for(self.trained.model, self.trained.graph_builder, graphs.set);
  return evaluate(self.trained.model, self.trained.parameters, *evaluated,
                  {.threads = threads, .device = device_named(device)}, batch_size, std::nullopt,
                  self.trained.class_names);
}

/// Saves the checkpoint unchanged. If parameters were set, saves a checkpoint for prediction only.
void save(PyTrained& self, nb::handle to) {
  const std::string path = path_from(to);
  const nb::gil_scoped_release release;
  const Turn turn(self.busy());
  if (*self.parameters.written) {
    self.checkpoint.averages.reset();
    self.checkpoint.optimizer.reset();
    capture(*self.trained.parameters, nullptr, self.checkpoint);
    *self.parameters.written = false;
  }
  save_checkpoint(path, self.checkpoint);
}

void bind_prediction(nb::module_& m) {
  nb::class_<Prediction>(m, "Prediction", "Predictions for the vertices of one sample.")
      .def_ro("classes", &Prediction::classes, "[vertices]: the predicted class; -1 where no class is predicted.")
      .def_ro("probabilities", &Prediction::probabilities, "[vertices][classes]: the probability of each class.")
      .def_ro("scores", &Prediction::scores, "[vertices]: the predicted score; empty if the model predicts none.")
      .def_prop_ro(
          "roots",
          [](const Prediction& self) {
            std::vector<std::int32_t> vertices;
            for (const Prediction::Root& root : self.roots) vertices.push_back(root.vertex);
            return vertices;
          },
          "The vertices without parents, ascending.")
      .def("__repr__", [](const Prediction& self) {
        return fmt::format("<cavs.Prediction: {} vertices, classes {}>", self.classes.size(),
                           nb::repr(nb::cast(self.classes)).c_str());
      });
}

}  // namespace

void bind_trained(nb::module_& m) {
  bind_prediction(m);
  nb::class_<PyTrained>(m, "TrainedModel",
                        "A trained model, with the words, classes and options that reading its inputs needs.")
      .def(
          "predict", &predict, "graphs"_a, nb::kw_only(), "batch_size"_a = 64, "threads"_a = 1, "device"_a = "cpu",
          nb::sig(
              "def predict(self, graphs: Graphs, *, batch_size: int = 64, threads: int = 1, device: str = 'cpu') -> "
              "dict[str, NDArray[numpy.float32]]"),
          "Evaluates graphs and returns the outputs: port -> [vertices, width], in the order of the samples and their "
          "vertices.\n\n"
          "batch_size: samples per minibatch; the bits of the outputs do not depend on it.\n"
          "threads, device: as in Trainer.\n\n"
          "Raises Error for graphs that the model cannot read (a type, port or state that is missing, an id beyond its "
          "table). Threads that predict with the same model wait for each other.")
      .def("predict_text", &predict_text, "text"_a, nb::kw_only(), "threads"_a = 1, "device"_a = "cpu",
           "Predicts for samples in any format that `cavs predict` reads: trees in brackets, sentences, JSON lines.\n\n"
           "Raises Error for other text, with the number of the line.")
      .def("evaluate", &evaluate_on, "graphs"_a, nb::kw_only(), "batch_size"_a = 64, "threads"_a = 1,
           "device"_a = "cpu", "Evaluates the model on labelled graphs.\n\nRaises Error as predict does.")
      .def("load_data", &load_for, "spec"_a, nb::kw_only(), "limit"_a = 0, "seed"_a = nb::none(),
           "Like cavs.load_data, with the words and classes of the model. Labels, and their column in a table, "
           "may be missing.")
      .def("save", &save, "path"_a, nb::sig("def save(self, path: str | os.PathLike[str]) -> None"),
           "Saves the model as it was loaded or trained: the same bytes, unless parameters were set.\n\n"
           "Raises Error if the file cannot be written; an existing file is then unchanged.")
      .def(
          "__reduce__",
          [](const PyTrained&) -> nb::object {
            throw nb::type_error(
                "a TrainedModel cannot be pickled or copied: save() the model and load() the file where it is needed");
          },
          nb::sig("def __reduce__(self) -> NoReturn"))
      .def_prop_ro(
          "parameters", [](PyTrained& self) { return self.parameters; }, "The parameters that predict() uses.")
      .def_prop_ro(
          "model", [](const PyTrained& self) { return PyModel{self.trained.model}; }, "A copy of the declared model.")
      .def_prop_ro(
          "words", [](const PyTrained& self) { return self.trained.words.words(); },
          "The words, in the order of their ids; empty if the data have numbers instead of words.")
      .def_prop_ro(
          "class_names", [](const PyTrained& self) { return self.trained.class_names; },
          "Names of the classes; may be empty.")
      .def_prop_ro(
          "classes", [](const PyTrained& self) { return self.trained.classes; }, "Number of classes.")
      .def_prop_ro(
          "data", [](const PyTrained& self) { return self.trained.data; },
          "The kind of data that the model was trained on.")
      .def_prop_ro(
          "metrics", [](const PyTrained& self) { return self.checkpoint.metrics; },
          "Metrics of training by name, with one value per epoch.")
      .def("__repr__", [](const PyTrained& self) {
        return fmt::format("<cavs.TrainedModel: {} parameters, {} words, {} classes, after {} steps>",
                           self.trained.parameters->size(), self.trained.words.size(), self.trained.classes,
                           self.checkpoint.position.step);
      });
  m.def(
      "load",
      [](nb::handle from) {
        const std::string path = path_from(from);
        const nb::gil_scoped_release release;
        return make_trained(load_checkpoint(path));
      },
      "path"_a, nb::sig("def load(path: str | os.PathLike[str]) -> TrainedModel"),
      "Loads a checkpoint that Python or `cavs train` saved.\n\n"
      "Raises Error for a file that cannot be read, is damaged, or is not a checkpoint.");
}

}  // namespace cavs::python
