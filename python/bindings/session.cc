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
#include <utility>

#include "bindings.h"
#include "network_graphs.h"
#include "support/check.h"
#include "training.h"

namespace cavs::python {

using namespace nb::literals;

namespace {

constexpr const char* kSession = "session, or what shares its parameters,";

struct PySession {
  /// Graphs, and what the session evaluates for them.
  struct Used {
    std::shared_ptr<const GraphSet> given = nullptr;
    std::shared_ptr<const NetworkGraphs> network = nullptr;  // null if the graphs are evaluated as given
    std::shared_ptr<const BoundGraphs> bound = nullptr;
  };
  Model model;
  PyParameters parameters;
  std::shared_ptr<const Program> program;
  Session session;
  Used last = {};  // graphs of the last forward pass, which are not bound again for the next one
  std::mutex mutex = {};

  /// Calls f without the GIL, and with `mutex` held, for which the deletion of a run on another thread waits.
  template <typename F>
  auto work(F f) {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex);
    return f();
  }
};

/// An evaluated minibatch. Rows that Python sees are in the order of the data's vertices.
struct PyRun {
  std::shared_ptr<PySession> session;
  std::optional<Run> run;
  PyGraphs graphs;
  std::vector<std::int32_t> samples;
  std::shared_ptr<const NetworkGraphs> network;  // null if the graphs are evaluated as given
  std::vector<std::int32_t> sample_begin;
  std::vector<std::int64_t> evaluated_rows = {};       // for networks: as NetworkGraphs::rows returns
  std::vector<std::int32_t> evaluated_functions = {};  // for networks: as NetworkGraphs::functions returns
  std::vector<std::uint64_t> versions = {};            // [parameters]: versions at the time of the run

  PyRun(std::shared_ptr<PySession> of, Run made, PyGraphs used, std::vector<std::int32_t> chosen)
      : session(std::move(of)),
        run(std::move(made)),
        graphs(std::move(used)),
        samples(std::move(chosen)),
        network(session->last.network),
        sample_begin(run->sample_begin().begin(), run->sample_begin().end()) {
    const Parameters& parameters = *session->parameters.parameters;
    for (int p = 0; p < parameters.size(); ++p) versions.push_back(parameters.version(p));
    if (network == nullptr) return;
    sample_begin = network->sample_begin(samples);
    evaluated_rows = network->rows(samples);
    evaluated_functions = network->functions(samples);
  }
  /// @throws UserError if a parameter has changed since the run, since gradients would then be wrong.
  void expect_same_parameters() const {
    const Parameters& parameters = *session->parameters.parameters;
    for (int p = 0; p < parameters.size(); ++p)
      user_check(parameters.version(p) == versions[static_cast<std::size_t>(p)],
                 "parameter '{}' has changed since the run whose backward() is called; call forward() again",
                 parameters.info(p).name);
  }
  ~PyRun() {
    const std::lock_guard lock(session->mutex);
    run.reset();
  }
  PyRun(const PyRun&) = delete;
  PyRun& operator=(const PyRun&) = delete;

  std::atomic<bool>& busy() const { return *session->parameters.busy; }
  std::int32_t vertices() const { return sample_begin.back(); }
};

struct PyGradients {
  std::shared_ptr<Gradients> gradients;
};

std::shared_ptr<PySession> make_session(const PyModel& model, const PyParameters* parameters, bool training, bool loss,
                                        bool pull_gradients, bool push_gradients,
                                        const std::optional<std::vector<std::string>>& pushes,
                                        const std::vector<std::string>& disabled_passes, int threads,
                                        const std::optional<std::string>& engine, const std::string& policy,
                                        const std::string& precision, std::uint64_t seed, const std::string& device) {
  user_check(!model.declaring, "the model is being declared; make a session afterwards");
  const SessionOptions options{.threads = threads,
                               .device = device_named(device),
                               .engine = engine_named(engine),
                               .policy = policy,
                               .precision = option_named<Precision>(precision),
                               .seed = seed};
  const CompileOptions compiled{.training = training,
                                .pull_gradients = pull_gradients,
                                .push_gradients = push_gradients,
                                .loss = loss,
                                .pushes = pushes,
                                .disabled_passes = disabled_passes};
  const Model copy = model.model;
  const PyParameters used = parameters != nullptr ? *parameters : initial_parameters(model);
  const Busy busy(*used.busy, kSession);
  const nb::gil_scoped_release release;
  const auto program = compile(copy, compiled);
  return std::shared_ptr<PySession>(new PySession{copy, used, program, Session(program, used.parameters, options)});
}

/// Returns graphs bound to the program of the session.
PySession::Used use(const PySession& self, const PyGraphs& graphs) {
  graphs.expect_unchanged();
  if (!self.model.is_network() || graphs.set->schema().connected)
    return {.given = graphs.set, .bound = bind_graphs(self.program, graphs.set)};
  const auto network = std::make_shared<const NetworkGraphs>(self.model, *graphs.set);
  return {.given = graphs.set, .network = network, .bound = bind_graphs(self.program, network->shared())};
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
  PySession::Used before;  // destroyed at the end, with the GIL held, because it may own arrays
  return self->work([&] {
    if (self->last.given == graphs.set)
      graphs.expect_unchanged(chosen);
    else
      before = std::exchange(self->last, use(*self, graphs));
    Run run = self->session.forward(*self->last.bound, chosen, ForwardOptions{epoch, loss_divisor});
    return std::make_unique<PyRun>(self, std::move(run), graphs, chosen);
  });
}

using Outputs = std::vector<FunctionPorts::Port> FunctionPorts::*;

/// Returns, for each evaluated vertex of a network, the row of its data vertex; -1 if its function does not have the
/// output `name`, or an earlier function at that data vertex has it.
std::vector<std::int64_t> rows_with(const PyRun& self, Outputs outputs, const std::string& name) {
  std::vector<std::int64_t> rows = self.evaluated_rows;
  std::vector<char> taken(static_cast<std::size_t>(self.vertices()));
  std::vector<bool> has_output;  // [functions]: true if the function has the output
  for (const FunctionPorts& function : function_ports(*self.session->program))
    has_output.push_back(std::ranges::count(function.*outputs, name, &FunctionPorts::Port::name) > 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool first = has_output[self.evaluated_functions[i]] && taken[rows[i]] == 0;
    taken[rows[i]] |= static_cast<char>(first);
    if (!first) rows[i] = -1;
  }
  return rows;
}

/// Returns a new array [vertices, width] of the data's vertices. `fill` writes the rows of the evaluated vertices.
template <typename F>
nb::object rows_of(const PyRun& self, Outputs outputs, const std::string& name, int width, F fill) {
  const auto vertices = static_cast<std::size_t>(self.vertices()), columns = static_cast<std::size_t>(width);
  std::vector<float> values(vertices * columns);
  self.session->work([&] {
    if (self.network == nullptr) return fill(std::span<float>(values));
    std::vector<float> evaluated(self.evaluated_rows.size() * columns);
    fill(std::span<float>(evaluated));
    add_up(evaluated, rows_with(self, outputs, name), columns, values);
  });
  return to_numpy(std::move(values), {vertices, columns});
}

nb::object output(const PyRun& self, const std::string& port) {
  const Busy busy(self.busy(), kSession);
  return rows_of(self, &FunctionPorts::pushes, port, self.run->width(port),
                 [&](auto values) { self.run->output(port, values); });
}

nb::object state(const PyRun& self, const std::string& name) {
  const Busy busy(self.busy(), kSession);
  return rows_of(self, &FunctionPorts::states, name, self.run->state_width(name),
                 [&](auto values) { self.run->state(name, values); });
}

nb::object pull_gradient(const PyRun& self, const std::string& port) {
  const Busy busy(self.busy(), kSession);
  std::vector<float> values = self.run->pull_gradient(port);
  const auto vertices = static_cast<std::size_t>(self.vertices());
  const std::size_t width = values.size() / self.run->sample_begin().back();
  if (self.network != nullptr) {
    std::vector<float> of_data(vertices * width);
    add_up(values, self.evaluated_rows, width, of_data);
    values = std::move(of_data);
  }
  return to_numpy(std::move(values), {vertices, width});
}

PyGradients backward(PyRun& self, const std::map<std::string, nb::object>& pushes) {
  std::vector<std::vector<float>> values;
  std::vector<Run::PushGradient> given;
  values.reserve(pushes.size());
  const Busy busy(self.busy(), kSession);
  for (const auto& [port, array] : pushes) {
    std::vector<std::int64_t> shape;
    values.push_back(floats_from(fmt::format("the gradient of push '{}'", port), array, shape));
    const std::int64_t width = self.run->width(port);
    const std::vector<std::int64_t> expected{self.vertices(), width};
    user_check(shape == expected, "the gradient of push '{}' has shape [{}]; expected [{}]: [vertices, width]", port,
               fmt::join(shape, ", "), fmt::join(expected, ", "));
    if (self.network != nullptr)
      values.back() = spread(values.back(), rows_with(self, &FunctionPorts::pushes, port), width);
    given.push_back({port, values.back()});
  }
  return self.session->work([&] {
    self.graphs.expect_unchanged(self.samples);
    self.expect_same_parameters();
    PyGradients made{std::make_shared<Gradients>(*self.session->parameters.parameters)};
    self.run->backward(*made.gradients, given);
    return made;
  });
}

const std::vector<ParameterInfo>& infos_of(const PyGradients& self) { return *self.gradients->list(); }

std::size_t find(const PyGradients& self, const std::string& name) {
  const auto& infos = infos_of(self);
  const auto at = std::ranges::find(infos, name, &ParameterInfo::name);
  if (at == infos.end()) throw nb::key_error(no_parameter(infos, name).c_str());
  return static_cast<std::size_t>(at - infos.begin());
}

/// Returns an array over the memory of the gradients, which the array keeps alive.
nb::object gradient(const PyGradients& self, const std::string& name) {
  const std::size_t p = find(self, name);
  const auto& dims = infos_of(self)[p].shape.dims;
  return view_of<float>(self.gradients->values(p).data(), {dims.begin(), dims.end()}, self.gradients);
}

std::vector<std::string> names(const PyGradients& self) {
  std::vector<std::string> all;
  for (const ParameterInfo& info : infos_of(self)) all.push_back(info.name);
  return all;
}

std::vector<std::string> ports_of(const PySession& self, Outputs outputs) {
  std::set<std::string> ports;
  for (const FunctionPorts& function : function_ports(*self.program))
    for (const FunctionPorts::Port& port : function.*outputs) ports.insert(port.name);
  return {ports.begin(), ports.end()};
}

void bind_gradients(nb::module_& m) {
  nb::class_<PyGradients>(m, "Gradients",
                          "Gradients of parameters by name. The arrays are not copies; each is valid as long as it is "
                          "held.")
      .def("__getitem__", &gradient, "name"_a, nb::sig("def __getitem__(self, name: str, /) -> NDArray[numpy.float32]"))
      .def(
          "rows",
          [](const PyGradients& self, const std::string& table) {
            const std::vector<std::int32_t>& rows = self.gradients->table_rows[find(self, table)];
            return to_numpy(rows, {rows.size()});
          },
          "table"_a, nb::sig("def rows(self, table: str) -> NDArray[numpy.int32]"),
          "The distinct rows of a table that have a gradient; the gradients of all other rows are zero.")
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
          nb::sig("def items(self) -> list[tuple[str, NDArray[numpy.float32]]]"), "Pairs of a name and a gradient.")
      .def("__repr__",
           [](const PyGradients& self) { return fmt::format("<cavs.Gradients: {}>", fmt::join(names(self), ", ")); });
}

void bind_run(nb::module_& m) {
  nb::class_<PyRun>(
      m, "Run",
      "One evaluated minibatch. It keeps its values as long as it exists; arrays that it returns are "
      "copies. There is one row per vertex of the data, in the order of the samples and their vertices. If "
      "several functions of a network have the same output or state at a vertex, the row is that of the "
      "function that was declared first.")
      .def_prop_ro(
          "loss", [](const PyRun& self) { return self.run->loss(); },
          "The sum of all losses, divided by the number of samples or by loss_divisor. Gradients are those of this "
          "loss.")
      .def_prop_ro(
          "labels", [](const PyRun& self) { return self.run->labels(); }, "Number of labels in the losses.")
      .def_prop_ro(
          "mean_loss", [](const PyRun& self) { return self.run->mean_loss(); }, "Mean loss per label.")
      .def_prop_ro("vertices", &PyRun::vertices, "Number of vertices, and so of rows of its arrays.")
      .def_prop_ro(
          "sample_begin", [](const PyRun& self) { return to_numpy(self.sample_begin, {self.sample_begin.size()}); },
          nb::sig("def sample_begin(self) -> NDArray[numpy.int32]"),
          "[samples + 1]: sample s has the rows sample_begin[s]:sample_begin[s + 1].")
      .def("output", &output, "port"_a, nb::sig("def output(self, port: str) -> NDArray[numpy.float32]"),
           "The pushed rows of a port: [vertices, width]; zeros at vertices that push nothing there.")
      .def("state", &state, "name"_a, nb::sig("def state(self, name: str) -> NDArray[numpy.float32]"),
           "The scattered rows of a state: [vertices, width]. A state that no vertex gathers is not "
           "kept.")
      .def(
          "backward", &backward, "pushes"_a = std::map<std::string, nb::object>{},
          nb::sig("def backward(self, pushes: Mapping[str, ArrayLike] = ...) -> Gradients"),
          "Computes the gradients of the loss with respect to the parameters.\n\n"
          "pushes: port -> gradient [vertices, width] of an output. A model without a loss needs them; a model with a "
          "loss accepts them only if the session has push_gradients=True.\n\n"
          "Raises Error for a wrong port or shape, for parameters that have changed since forward(), and for a session "
          "with training=False.")
      .def("pull_gradient", &pull_gradient, "port"_a,
           nb::sig("def pull_gradient(self, port: str) -> NDArray[numpy.float32]"),
           "The gradient of the loss with respect to a pulled port: [vertices, width]. Call it after backward(), in a "
           "session with pull_gradients=True.\n\n"
           "Raises Error before backward(), or for an unknown port.")
      .def("__repr__", [](const PyRun& self) {
        return fmt::format("<cavs.Run: {} samples, {} vertices>", self.sample_begin.size() - 1, self.vertices());
      });
}

}  // namespace

void bind_session(nb::module_& m) {
  bind_gradients(m);
  bind_run(m);
  nb::class_<PySession>(
      m, "Session",
      "Evaluates minibatches for training loops of your own: outputs, states and gradients. One thread "
      "at a time may use a session and all objects that share its parameters.\n\n"
      "parameters: parameters of a trainer, a trained model or another session, which are then shared. "
      "None makes new ones with initial values.\n"
      "training: True computes gradients and applies dropout.\n"
      "loss: False computes only outputs.\n"
      "pull_gradients: True makes Run.pull_gradient available.\n"
      "push_gradients: True lets Run.backward take gradients of outputs in a model with a loss.\n"
      "pushes: the ports to compute; None computes all.\n"
      "seed: seed of dropout.\n"
      "threads, engine, policy, device, precision, disabled_passes: as in Trainer.")
      .def(nb::new_(&make_session), "model"_a, "parameters"_a.none() = nb::none(), nb::kw_only(), "training"_a = true,
           "loss"_a = true, "pull_gradients"_a = false, "push_gradients"_a = false, "pushes"_a = nb::none(),
           "disabled_passes"_a = std::vector<std::string>{}, "threads"_a = 1, "engine"_a = nb::none(),
           "policy"_a = "frontier", "precision"_a = "fp32", "seed"_a = 1, "device"_a = "cpu")
      .def("forward", &forward, "graphs"_a, "samples"_a = nb::none(), nb::kw_only(), "epoch"_a = 0,
           "loss_divisor"_a = 0,
           nb::sig("def forward(self, graphs: Graphs, samples: ArrayLike | None = None, *, epoch: int = 0, "
                   "loss_divisor: float = 0) -> Run"),
           "Evaluates samples as one minibatch.\n\n"
           "samples: numbers of the samples; None evaluates all.\n"
           "epoch: selects the dropout masks.\n"
           "loss_divisor: the loss is divided by this number; 0 divides it by the number of samples.\n\n"
           "Raises Error for no samples or a wrong number, graphs that the model cannot read (a type, port or "
           "state that is missing, an id beyond its table), and where a thread uses the session or what shares its "
           "parameters.")
      .def_prop_ro(
          "parameters", [](const PySession& self) { return self.parameters; }, "The parameters, which may be shared.")
      .def_prop_ro(
          "outputs", [](const PySession& self) { return ports_of(self, &FunctionPorts::pushes); },
          "Names of the outputs, for Run.output.")
      .def_prop_ro(
          "states", [](const PySession& self) { return ports_of(self, &FunctionPorts::states); },
          "Names of the states, for Run.state.")
      .def("__repr__", [](const PySession& self) {
        return fmt::format("<cavs.Session of {} parameters>", self.parameters.parameters->size());
      });
}

}  // namespace cavs::python
