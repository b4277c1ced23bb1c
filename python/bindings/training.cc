#include "training.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include "cavs/vocabulary.h"
#include "stream.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs::python {

using namespace nb::literals;

namespace {

constexpr const char* kTrainer = "trainer";

}  // namespace

std::optional<Metric> metric_named(const std::optional<std::string>& name) {
  if (!name) return std::nullopt;
  static constexpr std::pair<std::string_view, Metric> kMetrics[]{{"accuracy", Metric::kAccuracy},
                                                                  {"perplexity", Metric::kPerplexity},
                                                                  {"f1", Metric::kF1},
                                                                  {"correlation", Metric::kCorrelation}};
  std::vector<std::string_view> known;
  for (const auto& [text, metric] : kMetrics) {
    if (text == *name) return metric;
    known.push_back(text);
  }
  user_error("unknown metric '{}'; {}", *name, suggest(*name, known));
}

InUse::InUse(PyTrainer& trainer) : busy_(*trainer.busy) {
  if (const auto pending = trainer.pending; pending && *pending->open) {
    const nb::gil_scoped_release release;  // the step may need the GIL
    const std::lock_guard lock(*pending->settling);
    try {
      if (*pending->open) trainer.trainer->position();
    } catch (...) {
      pending->end();
      throw;
    }
    pending->end();
  }
  user_check(!busy_.exchange(true),
             "the {} is in use by another thread, or by the call that runs this callback; wait until it returns",
             kTrainer);
}

namespace {

using Data = std::variant<PyGraphs, PyDataset>;

/// Returns the stream that the model evaluates: for a network, the network's graphs for the stream's samples.
std::shared_ptr<SampleStream> stream_for(const Model& model, const std::shared_ptr<SampleStream>& stream) {
  if (stream->schema().connected) return stream;
  const auto builder = graph_builder_for("", &model, stream->schema());
  return builder ? build_graphs(stream, *builder) : stream;
}

/// Sets the trainer's data. Returns the record of the data for checkpoints.
DataRecord use_data(PyTrainer& self, const Data& data) {
  DataRecord record;
  if (const auto* graphs = std::get_if<PyGraphs>(&data)) {
    record.schema = graphs->set->schema();
    self.given = *graphs;
  } else {
    const auto& dataset = std::get<PyDataset>(data);
    record = data_record(*dataset.data);
    record.graph_builder = dataset.graph_builder;
    record.spec = dataset.spec;
    self.given = dataset.train;
    if (dataset.data->stream != nullptr) self.stream = stream_for(self.model, dataset.data->stream);
    if (dataset.dev.set->size() > 0) self.given_dev = dataset.dev;
  }
  self.given.expect_unchanged();
  self.given_dev.expect_unchanged();
  self.graphs = graphs_for(self.model, "", self.given.set);
  if (self.given_dev.set != nullptr) self.dev = graphs_for(self.model, "", self.given_dev.set);
  return record;
}

Data data_from(nb::handle given) {
  Data data;
  if (nb::try_cast(given, data)) return data;
  throw nb::type_error(fmt::format("data is of type {}; expected Graphs or a Dataset, as made by cavs.load_data, "
                                   "from_trees, from_networkx or Graphs.from_arrays",
                                   nb::type_name(given.type()).c_str())
                           .c_str());
}

void init(PyTrainer* at, const PyModel& model, nb::handle given, nb::kwargs keywords) {
  user_check(!model.declaring, "the model is being declared; train it afterwards");
  const Data data = data_from(given);
  const TrainOptions options = train_options(std::move(keywords));
  auto self = std::make_unique<PyTrainer>(PyTrainer{.model = model.model});
  if (const auto* dataset = std::get_if<PyDataset>(&data)) self->generator = dataset->generator;
  {
    const nb::gil_scoped_release release;
    DataRecord record = use_data(*self, data);
    self->trainer.reset(self->stream != nullptr ? new Trainer(self->model, self->stream, options)
                                                : new Trainer(self->model, *self->graphs, options));
    self->trainer->record().data = std::move(record);
    self->trainer->trained_by();  // called for its effect: it hashes the data as they are now
  }
  new (at) PyTrainer(std::move(*self));
}

TrainStep step(PyTrainer& self) {
  const InUse use(self);
  const nb::gil_scoped_release release;
  return self.trainer->step();
}

/// All steps that start() has begun. Python waits for them at exit, because a step that takes the GIL after that, such
/// as to read a generator, would end the process.
class BegunSteps {
 public:
  void add(const PendingStep& step) {
    const std::lock_guard lock(mutex_);
    std::erase_if(steps_, [](const PendingStep& begun) { return begun.done(); });
    steps_.push_back(step);
  }
  void wait() {
    if (::getpid() != process_) return;  // a forked process does not have the threads of its parent
    const std::lock_guard lock(mutex_);
    for (const PendingStep& step : std::exchange(steps_, {})) try {
        step.wait();
      } catch (...) {  // nobody waits for the result
      }
  }
  static BegunSteps& all() {
    static BegunSteps steps;
    return steps;
  }

 private:
  const pid_t process_ = ::getpid();
  std::mutex mutex_;
  std::vector<PendingStep> steps_;
};

PyPending start(PyTrainer& self) {
  InUse use(self);
  const auto begun = [&] {
    const nb::gil_scoped_release release;
    return self.trainer->start();
  }();
  BegunSteps::all().add(begun);
  self.pending = PyPending{begun, self.busy, self.settling};
  use.keep();
  return *self.pending;
}

TrainStep wait(const PyPending& self) {
  const nb::gil_scoped_release release;
  const auto end = [&] {
    const std::lock_guard lock(*self.settling);
    self.end();
  };
  try {
    TrainStep done = self.step.wait();
    end();
    return done;
  } catch (...) {
    end();
    throw;
  }
}

Evaluation evaluate_with(PyTrainer& self, const PyGraphs& graphs, int batch_size,
                         const std::optional<std::string>& metric) {
  const InUse use(self);
  const auto wanted = metric_named(metric);
  const nb::gil_scoped_release release;
  graphs.expect_unchanged();
  const auto evaluated = graphs_for(self.model, "", graphs.set);
  return evaluate(self.model, self.trainer->evaluated_parameters(), *evaluated, self.trainer->options().session,
                  batch_size, wanted, self.trainer->record().data.class_names);
}

void resume(PyTrainer& self, nb::handle from, bool strict) {
  const std::string path = path_from(from);
  const InUse use(self);
  const nb::gil_scoped_release release;
  const std::shared_ptr<Job>& job = self.trainer->options().job;
  const Checkpoint checkpoint = job == nullptr ? load_checkpoint(path) : load_checkpoint(path, *job);
  const std::vector<std::string>&before = checkpoint.data.words, &now = self.trainer->record().data.words;
  user_check(before == now,
             "{} has {} words, but the data have {} different ones; resume with the data that it was trained on", path,
             before.size(), now.size());
  try {
    self.trainer->restore(checkpoint, strict);
  } catch (const UserError& error) {
    user_error("{}: {}", path, error.what());
  }
}

/// Saves a checkpoint. With several ranks, rank 0 writes the file.
void save(Trainer& trainer, const std::string& path) {
  const std::shared_ptr<Job>& job = trainer.options().job;
  if (job == nullptr) return save_checkpoint(path, trainer.checkpoint());
  job->guard([&] {
    if (job->rank() == 0) save_checkpoint(path, trainer.checkpoint());
    job->meet("the checkpoint");
  });
}

std::int64_t set_vectors_of(PyTrainer& self, nb::handle from, const std::string& parameter) {
  const std::string path = path_from(from);
  const InUse use(self);
  const nb::gil_scoped_release release;
  const std::vector<std::string>& words = self.trainer->record().data.words;
  user_check(words.size() > 1, "the data have no words to load vectors for; train on a Dataset with words");
  const WordVectors vectors = load_vectors(path, Vocabulary(words));
  set_vectors(self.trainer->parameters(), parameter, vectors);
  return std::ssize(vectors.ids);
}

/// Returns a method that calls f(trainer) without the GIL, while no step of the trainer runs.
template <typename F>
auto while_idle(F f) {
  return [f](PyTrainer& self) {
    const InUse use(self);
    const nb::gil_scoped_release release;
    return f(self);
  };
}

void bind_pending(nb::module_& m) {
  nb::class_<PyPending>(m, "PendingStep", "A step that Trainer.start() has begun.")
      .def_prop_ro(
          "stale_loss", [](const PyPending& self) { return self.step.stale_loss(); },
          "The loss of the previous step, without waiting for this one; None before the first step.")
      .def_prop_ro(
          "done", [](const PyPending& self) { return self.step.done(); }, "True if wait() returns at once.")
      .def("wait", &wait,
           "Waits for the step and returns its results. Every call raises the error of a step that failed.");
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    const nb::gil_scoped_release release;
    BegunSteps::all().wait();
  }));
}

void bind_trainer(nb::module_& m) {
  static PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(visit_generator<PyTrainer>)}, {0, nullptr}};
  nb::class_<PyTrainer> trainer(
      m, "Trainer", nb::type_slots(slots),
      "Trains a model on graphs, or on the training part of a data set.\n\n"
      "The same seed, data and options give bit-identical results, whatever the number of threads. One thread at a "
      "time may use a trainer; the GIL is released while the trainer works.\n\n"
      "optimizer: the name of an optimizer, or the result of cavs.optimizer. lr: the learning rate.\n"
      "batch_size: samples per minibatch.\n"
      "accumulate: minibatches per step.\n"
      "shuffle: True visits the samples in an order that seed and epoch determine.\n"
      "buckets: number of minibatches whose samples are sorted by size together; 0 does not sort.\n"
      "shuffle_buffer: number of samples of a stream that are held in memory for shuffling.\n"
      "clip_norm: largest norm of all gradients together; 0 does not clip.\n"
      "gradient_norm: True computes the norm of the gradients for TrainStep, also without clipping.\n"
      "ema: decay of the moving averages of the parameters, from 0 to below 1. Evaluations use the averages; 0 keeps "
      "none.\n"
      "seed: seed of the order of samples and of dropout.\n"
      "threads: number of threads.\n"
      "engine, policy: the engine, and the policy of its schedules; None is the default engine of the device.\n"
      "device: \"cpu\", \"cuda\" or \"cuda:1\".\n"
      "precision: precision of matrix products: \"fp32\", \"bf16\" or, on a GPU, \"tf32\".\n"
      "disabled_passes: names of compiler passes to skip.\n"
      "job: a Job of cavs.distributed, whose ranks share the minibatches of a step. Their number changes no bit.\n\n"
      "Raises Error for data that the model cannot read and for options out of range, TypeError for an unknown "
      "argument. All members raise Error if another thread uses the trainer. After a fork, a trainer with several "
      "threads raises Error in the child process.");
  trainer
      .def("__init__", &init, "model"_a, "data"_a, "options"_a,
           nb::sig("def __init__(self, model: Model, data: Graphs | Dataset, *, optimizer: OptimizerOptions | str = "
                   "'adam', lr: float | None = None, batch_size: int = 64, shuffle: bool = True, buckets: int = 0, "
                   "shuffle_buffer: int = 10000, accumulate: int = 1, clip_norm: float = 0, gradient_norm: bool = "
                   "False, ema: float = 0, seed: int = 1, threads: int = 1, engine: str | None = None, policy: str = "
                   "'frontier', device: str = 'cpu', precision: str = 'fp32', disabled_passes: Sequence[str] = ..., "
                   "job: Job | bool | None = None) -> None"))
      .def(
          "__reduce__",
          [](const PyTrainer&) -> nb::object {
            throw nb::type_error(
                "a Trainer cannot be pickled, copied or sent to another process: save() a checkpoint, and resume() it "
                "in another Trainer, or load() it to predict");
          },
          nb::sig("def __reduce__(self) -> NoReturn"))
      .def("step", &step,
           "Trains on the next minibatch, or on the next `accumulate` minibatches.\n\n"
           "Raises Error if a loss or gradient is not finite, without changing the parameters. Exceptions of a "
           "generator of samples are passed on.")
      .def(
          "start", &start,
          "Starts the next step on a thread of the trainer and returns while the step runs. All other members wait for "
          "the step. Parameters can be read after such a wait. PendingStep.wait() raises the errors of step().")
      .def("evaluate", &evaluate_with, "graphs"_a, nb::kw_only(), "batch_size"_a = 64, "metric"_a = nb::none(),
           "Evaluates the current parameters (with `ema`, their averages) on labelled graphs.\n\n"
           "Raises Error for graphs that the model cannot read, or a metric that cannot be computed for them.")
      .def(
          "save",
          [](PyTrainer& self, nb::handle to) {
            const std::string path = path_from(to);
            while_idle([&](PyTrainer& t) { save(*t.trainer, path); })(self);
          },
          "path"_a, nb::sig("def save(self, path: str | os.PathLike[str]) -> None"),
          "Saves a checkpoint, which resume(), cavs.load and `cavs predict` read.\n\n"
          "Raises Error if the file cannot be written; an existing file is then unchanged.")
      .def("resume", &resume, "path"_a, nb::kw_only(), "strict"_a = true,
           nb::sig("def resume(self, path: str | os.PathLike[str], *, strict: bool = True) -> None"),
           "Continues from a checkpoint. The results are bit-identical to training without a stop.\n\n"
           "strict: False allows other data and options, such as another batch size; the results then differ.\n\n"
           "Raises Error for a file that is not a checkpoint, or a checkpoint of another model, other words or another "
           "optimizer. With strict=True, also raises Error for other data or options, if the checkpoint records them; "
           "checkpoints of `cavs train` do not.")
      .def("load_vectors", &set_vectors_of, "path"_a, "parameter"_a = "embedding",
           nb::sig("def load_vectors(self, path: str | os.PathLike[str], parameter: str = 'embedding') -> int"),
           "Loads pretrained word vectors (GloVe, word2vec, fastText's .vec) into a table.\n"
           "Returns the number of words that have a vector.\n\n"
           "Raises Error for data without words, a file in another format, or vectors of another width.")
      .def("trained", while_idle([](PyTrainer& self) { return make_trained(self.trainer->checkpoint()); }),
           "A copy of the model with its current parameters.")
      .def_prop_ro("parameters", while_idle([](PyTrainer& self) {
                     return PyParameters{self.trainer->shared_parameters(), self.busy};
                   }),
                   "The parameters that are trained, not a copy.")
      .def_prop_ro("steps", while_idle([](PyTrainer& self) { return self.trainer->position().step; }),
                   "Number of steps so far.")
      .def_prop_ro("epoch", while_idle([](PyTrainer& self) { return self.trainer->position().epoch; }),
                   "The epoch of the next step, from 0.")
      .def_prop_ro("steps_per_epoch", while_idle([](PyTrainer& self) { return self.trainer->steps_per_epoch(); }),
                   "Number of steps per epoch.")
      .def_prop_ro("learning_rate",
                   while_idle([](PyTrainer& self) { return self.trainer->optimizer().learning_rate(); }),
                   "Learning rate of the next step, according to the schedule.")
      .def_prop_rw(
          "rate_factor", while_idle([](PyTrainer& self) { return self.trainer->optimizer().rate_factor(); }),
          [](PyTrainer& self, double factor) {
            while_idle([&](PyTrainer& t) { t.trainer->optimizer().set_rate_factor(factor); })(self);
          },
          "A factor of the learning rate besides its schedule. Checkpoints contain it.");
  bind_fit(trainer);
}

}  // namespace

void bind_training(nb::module_& m) {
  bind_reports(m);
  bind_job(m);
  bind_pending(m);
  bind_trainer(m);
}

}  // namespace cavs::python
