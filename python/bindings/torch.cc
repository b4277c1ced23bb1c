// The private C++ part of `cavs.torch`.

#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

#include "cavs/checkpoint.h"
#include "cavs/trained_model.h"
#include "evaluator.h"
#include "support/check.h"
#include "torch_pass.h"

namespace cavs::python {

using namespace nb::literals;

namespace {

using Floats = nb::ndarray<float, nb::c_contig, nb::device::cpu>;
using ConstFloats = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;

template <typename Array>
auto span_of(const Array& array) {
  return std::span(array.data(), array.size());
}

struct PyEvaluator {
  std::shared_ptr<Evaluator> evaluator;
  std::vector<Floats> bound;  // [parameters]: tensors whose memory the evaluator uses
};

/// An open pass. It keeps alive everything that backward reads. Destroying it returns its memory to the session.
struct TorchRun {
  std::shared_ptr<Evaluator> evaluator;
  std::shared_ptr<const GraphSet> graphs;
  std::size_t vertices;
  nb::object inputs;
  std::optional<Pass> pass = std::nullopt;
  double token = 0;

  TorchRun(std::shared_ptr<Evaluator> by, const PyBatch& batch, nb::object of)
      : evaluator(std::move(by)),
        graphs(batch.graphs),
        vertices(static_cast<std::size_t>(batch.vertices)),
        inputs(std::move(of)) {}
  TorchRun(const TorchRun&) = delete;
  TorchRun& operator=(const TorchRun&) = delete;
  ~TorchRun() {
    const std::scoped_lock lock(evaluator->mutex());
    pass.reset();
  }
};

/// Tensor.data_ptr() of a PyTorch tensor [vertices, width of the port]. Addresses are passed because making NumPy
/// arrays of the tensors would take as long as a small training step. cavs.torch has checked type, shape and strides.
using Address = std::uintptr_t;

/// Calls f(port, rows) for each port whose address is not 0.
template <typename F>
void each_given(const std::vector<EvaluatorPort>& ports, const std::vector<Address>& at, std::size_t vertices, F f) {
  CAVS_ASSERT(at.size() == ports.size());
  for (std::size_t i = 0; i < ports.size(); ++i)
    if (at[i] != 0) f(ports[i], std::span(reinterpret_cast<float*>(at[i]), vertices * ports[i].width));
}

void bind(PyEvaluator& self, int parameter, const Floats& values) {
  const Shape& shape = self.evaluator->parameters().info(parameter).shape;
  CAVS_ASSERT(std::ssize(self.bound) > parameter && static_cast<std::int64_t>(values.size()) == shape.size());
  {
    const nb::gil_scoped_release release;
    self.evaluator->bind(parameter, values.data());
  }
  self.bound[static_cast<std::size_t>(parameter)] = values;
}

std::unique_ptr<TorchRun> forward(PyEvaluator& self, const PyBatch& batch, int mode, std::uint32_t epoch,
                                  const std::vector<int>& written, const std::vector<Address>& inputs,
                                  const std::vector<Address>& outputs, nb::object keep) {
  auto made = std::make_unique<TorchRun>(self.evaluator, batch, std::move(keep));
  std::vector<RunPull> pulls;
  each_given(self.evaluator->inputs(), inputs, made->vertices, [&](const EvaluatorPort& port, std::span<float> rows) {
    pulls.push_back({port.name, rows});
  });
  std::vector<std::span<float>> memory;
  each_given(self.evaluator->outputs(), outputs, made->vertices,
             [&](const EvaluatorPort&, std::span<float> rows) { memory.push_back(rows); });
  const nb::gil_scoped_release release;
  for (const int parameter : written) self.evaluator->touch(parameter);
  made->pass.emplace(self.evaluator->forward(batch, mode_of(mode), std::move(pulls), epoch, memory));
  return made;
}

std::vector<Run::PushGradient> pushes_of(const TorchRun& run, const std::vector<Address>& outputs) {
  std::vector<Run::PushGradient> pushes;
  each_given(run.evaluator->outputs(), outputs, run.vertices, [&](const EvaluatorPort& port, std::span<float> rows) {
    pushes.push_back({port.name, rows});
  });
  return pushes;
}

void write_input_gradients(const TorchRun& run, const std::vector<Address>& inputs) {
  each_given(run.evaluator->inputs(), inputs, run.vertices, [&](const EvaluatorPort& port, std::span<float> rows) {
    run.evaluator->input_gradient(*run.pass, port, rows);
  });
}

void backward(TorchRun& self, const std::vector<Address>& outputs, Address parameters,
              const std::vector<Address>& inputs) {
  const auto pushes = pushes_of(self, outputs);
  const nb::gil_scoped_release release;
  const std::span flat(reinterpret_cast<float*>(parameters), Gradients::flat_size(self.evaluator->parameters()));
  Gradients gradients(self.evaluator->parameters(), flat);
  self.evaluator->backward(*self.pass, gradients, pushes);
  write_input_gradients(self, inputs);
}

/// The gradient of a table: the numbers of the rows that were read, ascending, and the gradients of these rows.
struct TableRows {
  std::vector<std::int64_t> rows = {};
  std::vector<float> values = {};
};

TableRows rows_of(const Gradients& gradients, std::size_t parameter, std::int64_t without) {
  TableRows found;
  const auto& rows = gradients.table_rows[parameter];
  std::ranges::copy_if(rows, std::back_inserter(found.rows), [&](std::int64_t row) { return row != without; });
  std::ranges::sort(found.rows);
  const auto width = static_cast<std::size_t>((*gradients.list())[parameter].shape.dims[1]);
  found.values.reserve(found.rows.size() * width);
  const std::span<const float> all = gradients.values(parameter);
  for (const std::int64_t row : found.rows)
    std::ranges::copy(all.subspan(static_cast<std::size_t>(row) * width, width), std::back_inserter(found.values));
  return found;
}

using Arrays = std::vector<std::pair<nb::object, nb::object>>;

Arrays backward_rows(TorchRun& self, const std::vector<Address>& outputs, const std::vector<Address>& parameters,
                     const std::vector<Address>& inputs, const std::vector<std::pair<int, std::int64_t>>& tables) {
  const auto pushes = pushes_of(self, outputs);
  std::vector<TableRows> found;
  {
    const nb::gil_scoped_release release;
    self.evaluator->backward(*self.pass, pushes, [&](const Gradients& gradients) {
      for (std::size_t p = 0; p < parameters.size(); ++p)
        if (parameters[p] != 0) std::ranges::copy(gradients.values(p), reinterpret_cast<float*>(parameters[p]));
      for (const auto& [table, without] : tables)
        found.push_back(rows_of(gradients, static_cast<std::size_t>(table), without));
    });
    write_input_gradients(self, inputs);
  }
  Arrays arrays;
  for (TableRows& table : found) {
    const std::size_t count = table.rows.size();
    const std::size_t width = count == 0 ? 0 : table.values.size() / count;
    arrays.emplace_back(to_numpy(std::move(table.rows), {count}), to_numpy(std::move(table.values), {count, width}));
  }
  return arrays;
}

/// Returns [parameters]: offset, in floats, of each parameter's gradient in Gradients::flat.
std::vector<std::int64_t> offsets_of(const Parameters& parameters) {
  const Gradients gradients(parameters);
  std::vector<std::int64_t> offsets;
  for (int p = 0; p < parameters.size(); ++p) offsets.push_back(gradients.offset(p));
  return offsets;
}

std::vector<std::pair<std::string, std::size_t>> pairs_of(const std::vector<EvaluatorPort>& ports) {
  std::vector<std::pair<std::string, std::size_t>> pairs;
  for (const EvaluatorPort& port : ports) pairs.emplace_back(port.name, port.width);
  return pairs;
}

/// Returns a method of PyBatch that returns an array with value(k, v) for each vertex v of the graphs, in sample k.
template <typename F>
auto by_vertex(F value) {
  return [value](const PyBatch& batch) {
    std::vector<std::int64_t> values;
    values.reserve(static_cast<std::size_t>(batch.vertices));
    const auto begin = batch.graphs->vertex_begin();
    for (std::size_t k = 0; k < batch.samples.size(); ++k) {
      const auto s = static_cast<std::size_t>(batch.samples[k]);
      for (std::int64_t v = begin[s]; v < begin[s + 1]; ++v) values.push_back(value(k, v));
    }
    const std::size_t count = values.size();
    return to_numpy(std::move(values), {count});
  };
}

/// Returns the numbers of the batch's vertices that have no parents, ascending.
nb::object roots_of(const PyBatch& batch) {
  std::vector<std::int64_t> roots;
  const auto begin = batch.graphs->vertex_begin(), parents = batch.graphs->parent_begin();
  std::int64_t vertex = 0;
  for (const std::int32_t sample : batch.samples)
    for (auto v = static_cast<std::size_t>(begin[sample]); v < static_cast<std::size_t>(begin[sample + 1]);
         ++v, ++vertex)
      if (parents[v] == parents[v + 1]) roots.push_back(vertex);
  const std::size_t count = roots.size();
  return to_numpy(std::move(roots), {count});
}

void bind_batch(nb::module_& m) {
  nb::class_<PyBatch>(m, "_Batch")
      .def(
          "__init__",
          [](PyBatch* self, const PyGraphs& graphs, nb::handle samples) {
            std::vector<std::int32_t> chosen;
            if (samples.is_none()) {
              chosen.resize(static_cast<std::size_t>(graphs.set->size()));
              std::iota(chosen.begin(), chosen.end(), 0);
            } else {
              chosen = int32_from("samples", samples);
            }
            graphs.expect_unchanged(chosen);
            new (self) PyBatch(graphs.set, std::move(chosen));
          },
          "graphs"_a, "samples"_a.none(),
          nb::sig("def __init__(self, graphs: Graphs, samples: ArrayLike | None) -> None"))
      .def("__len__", [](const PyBatch& self) { return self.samples.size(); })
      .def_prop_ro("vertices", [](const PyBatch& self) { return self.vertices; })
      .def("sample", by_vertex([](std::size_t k, std::int64_t) { return static_cast<std::int64_t>(k); }),
           nb::sig("def sample(self) -> NDArray[numpy.int64]"))
      .def("rows", by_vertex([](std::size_t, std::int64_t v) { return v; }),
           nb::sig("def rows(self) -> NDArray[numpy.int64]"))
      .def("roots", &roots_of, nb::sig("def roots(self) -> NDArray[numpy.int64]"));
}

void bind_run(nb::module_& m) {
  nb::class_<TorchRun>(m, "_Run", nb::is_weak_referenceable())
      .def("token", &token_of<TorchRun>, "number"_a, nb::sig("def token(self, number: int) -> NDArray[numpy.float64]"),
           kTokenDoc)
      .def(
          "backward", &backward, "outputs"_a, "parameters"_a, "inputs"_a,
          "Computes gradients of all parameters, in the flat block, and of inputs from gradients of outputs. Arguments "
          "are addresses of contiguous float32 rows; 0 is a gradient that is not given or not wanted.")
      .def("backward_rows", &backward_rows, "outputs"_a, "parameters"_a, "inputs"_a, "tables"_a,
           nb::sig("def backward_rows(self, outputs: Sequence[int], parameters: Sequence[int], inputs: Sequence[int], "
                   "tables: Sequence[tuple[int, int]]) -> list[tuple[NDArray[numpy.int64], NDArray[numpy.float32]]]"),
           "Like backward(), with one address per parameter. The gradients of `tables`, pairs of a parameter and its "
           "padding row (-1 for none), are returned as the rows that were read, ascending, and their gradients.");
}

void bind_files(nb::module_& m) {
  m.def(
      "_save_module",
      [](const PyModel& model, const std::vector<std::pair<std::string, ConstFloats>>& values,
         const std::string& path) {
        Checkpoint checkpoint;
        checkpoint.model = model.model.to_json();
        checkpoint.seed = model.model.seed();
        for (const auto& [name, array] : values) {
          Shape shape;
          for (std::size_t d = 0; d < array.ndim(); ++d)
            shape.dims.push_back(static_cast<std::int32_t>(array.shape(d)));
          checkpoint.parameters.push_back({name, shape, {array.data(), array.data() + array.size()}});
        }
        std::ranges::sort(checkpoint.parameters, {}, &Checkpoint::Tensor::name);
        const nb::gil_scoped_release release;
        save_checkpoint(path, checkpoint);
      },
      "model"_a, "values"_a, "path"_a,
      nb::sig(
          "def _save_module(model: Model, values: Sequence[tuple[str, NDArray[numpy.float32]]], path: str) -> None"));
}

}  // namespace

void bind_torch(nb::module_& m) {
  bind_batch(m);
  bind_run(m);
  bind_files(m);
  bind_torch_device(m);
  nb::class_<PyEvaluator>(m, "_Evaluator")
      .def(
          "__init__",
          [](PyEvaluator* self, const PyModel& model, std::vector<std::string> outputs, int threads,
             const std::string& engine, const std::string& policy, const std::string& precision) {
            user_check(!model.declaring, "the model is being declared; make a module of it afterwards");
            const SessionOptions options{.threads = threads,
                                         .engine = option_named<EngineKind>(engine),
                                         .policy = policy,
                                         .precision = option_named<Precision>(precision)};
            auto made = std::make_shared<Evaluator>(model.model, std::move(outputs), options);
            std::vector<Floats> bound(static_cast<std::size_t>(made->parameters().size()));
            new (self) PyEvaluator{std::move(made), std::move(bound)};
          },
          "model"_a, "outputs"_a, "threads"_a, "engine"_a, "policy"_a, "precision"_a,
          nb::sig("def __init__(self, model: Model, outputs: Sequence[str], threads: int, engine: str, policy: str, "
                  "precision: str) -> None"))
      .def_prop_ro("outputs", [](const PyEvaluator& self) { return pairs_of(self.evaluator->outputs()); })
      .def_prop_ro("inputs", [](const PyEvaluator& self) { return pairs_of(self.evaluator->inputs()); })
      .def_prop_ro("has_dropout", [](const PyEvaluator& self) { return self.evaluator->has_dropout(); })
      .def_prop_ro("names",
                   [](const PyEvaluator& self) {
                     std::vector<std::string> names;
                     for (const ParameterInfo& info : *self.evaluator->parameters().list()) names.push_back(info.name);
                     return names;
                   })
      .def_prop_ro(
          "flat_size", [](const PyEvaluator& self) { return Gradients::flat_size(self.evaluator->parameters()); },
          "Number of elements of the flat block of gradients.")
      .def_prop_ro("offsets", [](const PyEvaluator& self) { return offsets_of(self.evaluator->parameters()); })
      .def(
          "initial",
          [](const PyEvaluator& self, int parameter) {
            const auto values = std::as_const(self.evaluator->parameters()).values(parameter);
            const auto& dims = self.evaluator->parameters().info(parameter).shape.dims;
            return to_numpy(std::vector(values.begin(), values.end()), {dims.begin(), dims.end()});
          },
          "parameter"_a, nb::sig("def initial(self, parameter: int) -> NDArray[numpy.float32]"), "A copy.")
      .def("bind", &bind, "parameter"_a, "values"_a,
           nb::sig("def bind(self, parameter: int, values: NDArray[numpy.float32]) -> None"),
           "Makes the array the memory of a parameter.")
      .def(
          "touch",
          [](PyEvaluator& self, const std::vector<int>& written) {
            const nb::gil_scoped_release release;
            for (const int parameter : written) self.evaluator->touch(parameter);
          },
          "written"_a, "Announces that the values of these parameters have changed.")
      .def("forward", &forward, "batch"_a, "mode"_a, "epoch"_a, "written"_a, "inputs"_a, "outputs"_a,
           "keep"_a = nb::none(),
           nb::sig("def forward(self, batch: _Batch, mode: int, epoch: int, written: Sequence[int], "
                   "inputs: Sequence[int], outputs: Sequence[int], keep: object = None) -> _Run"),
           "Evaluates a batch. mode: bits (1 gradients, 2 dropout, 4 gradients of inputs). written: the parameters "
           "whose values have changed. inputs, outputs: addresses of contiguous float32 rows [vertices, width]; 0 for "
           "an input that the graphs have. keep: an object that the run keeps alive, such as the inputs.");
  m.def(
      "_without_leak_warnings", [] { nb::set_leak_warnings(false); },
      "Turns off reports of leaked objects at exit: PyTorch keeps everything that is registered with it, our types "
      "too.");
  m.def(
      "_number_at", [](Address token) { return std::bit_cast<std::int64_t>(*reinterpret_cast<const double*>(token)); },
      "address"_a, "Reads the number in a run's token.");
}

}  // namespace cavs::python
