#include "cavs/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <set>

#include "bindings.h"
#include "compile/program.h"
#include "support/check.h"

namespace cavs::python {

using namespace nb::literals;

namespace {

constexpr const char* kSession = "session, or what shares its parameters,";

struct PySession {
  Model model;
  PyParameters parameters;
  std::shared_ptr<const Program> program;
  Session session;
  // Of the last forward, so that graphs that are used again are bound once.
  std::shared_ptr<const GraphSet> given = nullptr;
  std::shared_ptr<const BoundGraphs> bound = nullptr;
  std::mutex mutex = {};

  /// Works without Python's lock. A run that Python drops meanwhile, in whatever thread, waits.
  template <typename F>
  auto work(F f) {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex);
    return f();
  }
};

struct PyRun {
  std::shared_ptr<PySession> session;
  std::optional<Run> run;
  std::int64_t vertices;

  PyRun(std::shared_ptr<PySession> of, Run made)
      : session(std::move(of)), run(std::move(made)), vertices(run->sample_begin().back()) {}
  ~PyRun() {
    const std::lock_guard lock(session->mutex);
    run.reset();
  }
  PyRun(const PyRun&) = delete;
  PyRun& operator=(const PyRun&) = delete;

  std::atomic<bool>& busy() const { return *session->parameters.busy; }
};

struct PyGradients {
  std::shared_ptr<Gradients> gradients;
};

std::shared_ptr<PySession> make_session(const PyModel& model, const PyParameters* parameters, bool training, bool loss,
                                        bool pull_gradients, bool push_gradients,
                                        const std::optional<std::vector<std::string>>& pushes,
                                        const std::vector<std::string>& disabled_passes, int threads,
                                        const std::string& engine, const std::string& policy,
                                        const std::string& precision, bool transposed_copies, std::uint64_t seed,
                                        const std::string& device) {
  user_check(!model.declaring, "the model is being declared; make a session afterwards");
  const SessionOptions options{.threads = threads,
                               .engine = option_named<EngineKind>(engine),
                               .device = option_named<DeviceKind>(device),
                               .policy = policy,
                               .precision = option_named<Precision>(precision),
                               .transposed_copies = transposed_copies,
                               .seed = seed};
  const CompileOptions compiled{.training = training,
                                .pull_gradients = pull_gradients,
                                .push_gradients = push_gradients,
                                .loss = loss,
                                .pushes = pushes,
                                .device = options.device,
                                .disabled_passes = disabled_passes};
  const Model copy = model.model;
  const PyParameters used = parameters != nullptr ? *parameters : initial_parameters(model);
  const Busy busy(*used.busy, kSession);
  const nb::gil_scoped_release release;
  const auto program = compile(copy, compiled);
  return std::shared_ptr<PySession>(new PySession{copy, used, program, Session(program, used.parameters, options)});
}

std::unique_ptr<PyRun> forward(const std::shared_ptr<PySession>& self, const PyGraphs& graphs, nb::handle samples,
                               std::uint32_t epoch, double loss_divisor) {
  std::vector<std::int32_t> chosen;
  if (samples.is_none()) {
    chosen.resize(graphs.set->size());
    std::iota(chosen.begin(), chosen.end(), 0);
  } else {
    chosen = int32_from("samples", samples);
  }
  const Busy busy(*self->parameters.busy, kSession);
  return self->work([&] {
    if (self->given != graphs.set) {
      graphs.expect_unchanged();
      self->bound = bind_graphs(self->program, graphs_for(self->model, "", graphs.set));
      self->given = graphs.set;
    }
    return std::make_unique<PyRun>(self,
                                   self->session.forward(*self->bound, chosen, ForwardOptions{epoch, loss_divisor}));
  });
}

/// A new array [vertices, width], which `fill` writes.
template <typename F>
nb::object rows_of(const PyRun& self, int width, F fill) {
  std::vector<float> values(static_cast<std::size_t>(self.vertices) * static_cast<std::size_t>(width));
  self.session->work([&] { fill(std::span<float>(values)); });
  return to_numpy(std::move(values), {static_cast<std::size_t>(self.vertices), static_cast<std::size_t>(width)});
}

nb::object output(const PyRun& self, const std::string& port) {
  const Busy busy(self.busy(), kSession);
  return rows_of(self, self.run->width(port), [&](auto values) { self.run->output(port, values); });
}

nb::object state(const PyRun& self, const std::string& name) {
  const Busy busy(self.busy(), kSession);
  return rows_of(self, self.run->state_width(name), [&](auto values) { self.run->state(name, values); });
}

nb::object pull_gradient(const PyRun& self, const std::string& port) {
  const Busy busy(self.busy(), kSession);
  std::vector<float> values = self.run->pull_gradient(port);
  const auto vertices = static_cast<std::size_t>(self.vertices);
  return to_numpy(std::move(values), {vertices, vertices == 0 ? 0 : values.size() / vertices});
}

PyGradients backward(PyRun& self, const std::map<std::string, nb::object>& pushes) {
  std::vector<std::vector<float>> values;
  std::vector<Run::PushGradient> given;
  values.reserve(pushes.size());
  const Busy busy(self.busy(), kSession);
  for (const auto& [port, array] : pushes) {
    std::vector<std::int64_t> shape;
    values.push_back(floats_from(fmt::format("the gradient of push '{}'", port), array, shape));
    const std::vector<std::int64_t> expected{self.vertices, self.run->width(port)};
    user_check(shape == expected, "the gradient of push '{}' is an array of [{}]; expected [{}]: [vertices, width]",
               port, fmt::join(shape, ", "), fmt::join(expected, ", "));
    given.push_back({port, values.back()});
  }
  return self.session->work([&] {
    PyGradients made{std::make_shared<Gradients>(*self.session->parameters.parameters)};
    self.run->backward(*made.gradients, given);
    return made;
  });
}

const std::vector<ParameterInfo>& infos_of(const PyGradients& self) { return *self.gradients->parameters; }

std::size_t find(const PyGradients& self, const std::string& name) {
  const auto& infos = infos_of(self);
  const auto at = std::ranges::find(infos, name, &ParameterInfo::name);
  if (at == infos.end()) throw nb::key_error(fmt::format("no parameter '{}'", name).c_str());
  return static_cast<std::size_t>(at - infos.begin());
}

/// Without a copy: the array keeps the gradients.
nb::object gradient(const PyGradients& self, const std::string& name) {
  const std::size_t p = find(self, name);
  const auto& dims = infos_of(self)[p].shape.dims;
  return view_of<float>(self.gradients->values[p].data(), {dims.begin(), dims.end()}, self.gradients);
}

std::vector<std::string> names(const PyGradients& self) {
  std::vector<std::string> all;
  for (const ParameterInfo& info : infos_of(self)) all.push_back(info.name);
  return all;
}

std::vector<std::string> ports_of(const PySession& self, std::vector<Output> TypeProgram::*outputs) {
  std::set<std::string> ports;
  for (const TypeProgram& type : self.program->types)
    for (const Output& out : type.*outputs) ports.insert(out.port);
  return {ports.begin(), ports.end()};
}

void bind_gradients(nb::module_& m) {
  nb::class_<PyGradients>(m, "Gradients",
                          "Gradients of parameters by name. The arrays are no copies; each is valid as long as it is "
                          "held.")
      .def("__getitem__", &gradient, "name"_a, nb::sig("def __getitem__(self, name: str, /) -> NDArray[numpy.float32]"))
      .def(
          "rows",
          [](const PyGradients& self, const std::string& table) {
            const std::vector<std::int32_t>& rows = self.gradients->table_rows[find(self, table)];
            return to_numpy(rows, {rows.size()});
          },
          "table"_a, nb::sig("def rows(self, table: str) -> NDArray[numpy.int32]"),
          "The rows of a table that have a gradient, each once; all others are zero.")
      .def("__len__", [](const PyGradients& self) { return infos_of(self).size(); })
      .def(
          "__contains__",
          [](const PyGradients& self, const std::string& name) {
            return std::ranges::count(infos_of(self), name, &ParameterInfo::name) > 0;
          },
          "name"_a)
      .def(
          "__iter__", [](const PyGradients& self) { return nb::iter(nb::cast(names(self))); },
          nb::sig("def __iter__(self) -> Iterator[str]"))
      .def("keys", &names, "Names of the parameters.")
      .def(
          "items",
          [](const PyGradients& self) {
            nb::list items;
            for (const std::string& name : names(self)) items.append(nb::make_tuple(name, gradient(self, name)));
            return items;
          },
          nb::sig("def items(self) -> list[tuple[str, NDArray[numpy.float32]]]"),
          "Name and gradient of each parameter.")
      .def("__repr__",
           [](const PyGradients& self) { return fmt::format("<cavs.Gradients: {}>", fmt::join(names(self), ", ")); });
}

void bind_run(nb::module_& m) {
  nb::class_<PyRun>(m, "Run",
                    "One evaluated minibatch. It keeps its values as long as it exists; arrays that it gives have "
                    "memory of their own. Rows are in the order of the samples and their vertices.")
      .def_prop_ro(
          "loss", [](const PyRun& self) { return self.run->loss(); },
          "The losses of all vertices, divided by the number of samples (or by loss_divisor); gradients are of this.")
      .def_prop_ro(
          "labels", [](const PyRun& self) { return self.run->labels(); }, "How many labels the losses have.")
      .def_prop_ro(
          "mean_loss", [](const PyRun& self) { return self.run->mean_loss(); }, "Per label.")
      .def_ro("vertices", &PyRun::vertices, "Rows of its arrays.")
      .def_prop_ro(
          "sample_begin",
          [](const PyRun& self) {
            const auto begin = self.run->sample_begin();
            return to_numpy(std::vector<std::int32_t>(begin.begin(), begin.end()), {begin.size()});
          },
          nb::sig("def sample_begin(self) -> NDArray[numpy.int32]"),
          "[samples + 1]: sample s has rows sample_begin[s] to sample_begin[s + 1].")
      .def("output", &output, "port"_a, nb::sig("def output(self, port: str) -> NDArray[numpy.float32]"),
           "What the vertices push: [vertices, width]; zeros where a type does not push.")
      .def("state", &state, "name"_a, nb::sig("def state(self, name: str) -> NDArray[numpy.float32]"),
           "What the vertices scatter, such as hidden states: [vertices, width]. A state that no vertex gathers is not "
           "kept.")
      .def(
          "backward", &backward, "pushes"_a = std::map<std::string, nb::object>{},
          nb::sig("def backward(self, pushes: Mapping[str, ArrayLike] = ...) -> Gradients"),
          "The gradients of the loss by the parameters; `pushes` adds gradients by push ports [vertices, width], which "
          "a model without a loss needs, and one with a loss where the session has push_gradients.")
      .def("pull_gradient", &pull_gradient, "port"_a,
           nb::sig("def pull_gradient(self, port: str) -> NDArray[numpy.float32]"),
           "After backward(), the gradient by a pulled port: [vertices, width]; of a session with pull_gradients.")
      .def("__repr__", [](const PyRun& self) {
        return fmt::format("<cavs.Run: {} samples, {} vertices>", self.run->sample_begin().size() - 1, self.vertices);
      });
}

}  // namespace

void bind_session(nb::module_& m) {
  bind_gradients(m);
  bind_run(m);
  nb::class_<PySession>(m, "Session",
                        "Evaluates minibatches: outputs, states and gradients, for loops of your own.\n\n"
                        "`parameters`: those of a trainer, a trained model or another session, which are then shared; "
                        "none: initial values. One thread at a time may use it and what shares its parameters.\n\n"
                        "training: with gradients and dropout. loss: False computes what is pushed alone.\n"
                        "pull_gradients: makes Run.pull_gradient available.\n"
                        "push_gradients: lets Run.backward take gradients by pushes beside a loss.\n"
                        "pushes: the ports that are computed; None: all. seed: of dropout. All else as Trainer.")
      .def(nb::new_(&make_session), "model"_a, "parameters"_a.none() = nb::none(), nb::kw_only(), "training"_a = true,
           "loss"_a = true, "pull_gradients"_a = false, "push_gradients"_a = false, "pushes"_a = nb::none(),
           "disabled_passes"_a = std::vector<std::string>{}, "threads"_a = 1, "engine"_a = "batched",
           "policy"_a = "frontier", "precision"_a = "fp32", "transposed_copies"_a = true, "seed"_a = 1,
           "device"_a = "cpu")
      .def("forward", &forward, "graphs"_a, "samples"_a = nb::none(), nb::kw_only(), "epoch"_a = 0,
           "loss_divisor"_a = 0,
           nb::sig("def forward(self, graphs: Graphs, samples: ArrayLike | None = None, *, epoch: int = 0, "
                   "loss_divisor: float = 0) -> Run"),
           "Evaluates these samples, or all, as one minibatch. `epoch` selects the masks of dropout.")
      .def_prop_ro(
          "parameters", [](const PySession& self) { return self.parameters; }, "Which may be shared.")
      .def_prop_ro(
          "outputs", [](const PySession& self) { return ports_of(self, &TypeProgram::pushes); },
          "Names for Run.output.")
      .def_prop_ro(
          "states", [](const PySession& self) { return ports_of(self, &TypeProgram::scatters); },
          "Names for Run.state.")
      .def("__repr__", [](const PySession& self) {
        return fmt::format("<cavs.Session of {} parameters>", self.parameters.parameters->size());
      });
}

}  // namespace cavs::python
