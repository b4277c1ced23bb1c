#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings.h"
#include "cavs/readers.h"
#include "stream.h"
#include "support/check.h"

namespace cavs::python {

using namespace nb::literals;

PyDataset dataset_of(Dataset data, const std::string& spec, std::string graph_builder) {
  const auto all = std::make_shared<Dataset>(std::move(data));
  return {.generator = {},
          .data = all,
          .spec = spec,
          .train = {std::shared_ptr<const GraphSet>(all, &all->train)},
          .dev = {std::shared_ptr<const GraphSet>(all, &all->dev)},
          .graph_builder = std::move(graph_builder)};
}

namespace {

using Texts = std::map<std::string, std::string>;

PyDataset load(const std::string& spec, std::int64_t limit, std::uint64_t seed, int min_count, int vocabulary,
               int steps, bool stream, int spelled_below, const PyModel* network, const Texts& texts) {
  user_check(spec.find('\0') == std::string::npos, "the spec of the data has a NUL character; expected text");
  const std::optional<Model> copy = network == nullptr ? std::nullopt : std::optional(network->model);
  const DataOptions options{.limit = limit,
                            .seed = seed,
                            .min_count = min_count,
                            .vocabulary = vocabulary,
                            .stream = stream,
                            .steps = steps,
                            .spelled_below = spelled_below,
                            .network = copy ? &*copy : nullptr,
                            .texts = texts.empty() ? nullptr : &texts};
  Dataset data;
  {
    const nb::gil_scoped_release release;
    data = load_data(spec, options);
  }
  for (const std::string& warning : data.warnings) warn(warning);
  return dataset_of(std::move(data), spec);
}

using Words = std::optional<std::vector<std::string>>;

/// Returns a data set of the caller's graphs. With a stream, `train` has the stream's schema and no samples.
PyDataset described(const PyGraphs& train, std::shared_ptr<SampleStream> stream, const std::optional<PyGraphs>& dev,
                    const Words& words, const std::vector<std::string>& class_names, int classes) {
  const GraphSchema& schema = train.set->schema();
  PyDataset self{.data = nullptr, .spec = "", .train = train, .dev = {std::make_shared<GraphSet>(schema)}};
  if (dev) self.dev = *dev;
  user_check(self.dev.set->schema() == schema, "dev has other types or ports than train; expected the same in both");
  Dataset data;
  data.train = GraphSet(schema);
  data.stream = std::move(stream);
  data.dev = GraphSet(schema);
  data.kind = "graphs";
  data.schema = schema;
  data.class_names = class_names;
  if (words) data.words = Vocabulary(*words);
  const int found = table_rows(*self.train.set, *self.dev.set, "label", 0);
  user_check(class_names.empty() || found <= std::ssize(class_names),
             "the largest label is {}; expected labels below {}, the number of class_names", found - 1,
             class_names.size());
  data.classes = std::max({classes, found, static_cast<int>(class_names.size())});
  self.data = std::make_shared<Dataset>(std::move(data));
  return self;
}

PyDataset from_graphs(const PyGraphs& train, const std::optional<PyGraphs>& dev, const Words& words,
                      const std::vector<std::string>& class_names, int classes) {
  return described(train, nullptr, dev, words, class_names, classes);
}

PyDataset from_generator(nb::object function, std::optional<std::int64_t> samples, const std::optional<PyGraphs>& dev,
                         const Words& words, const std::vector<std::string>& class_names, int classes) {
  nb::object generator = nb::cast(Generator{std::move(function)});
  auto stream = stream_from(nb::cast<Generator&>(generator), samples);
  const PyGraphs none{std::make_shared<GraphSet>(stream->schema())};
  PyDataset self = described(none, std::move(stream), dev, words, class_names, classes);
  self.generator = std::move(generator);
  return self;
}

std::int32_t rows(const PyDataset& self, const std::string& port) {
  return table_rows(*self.train.set, *self.dev.set, port, self.data->rows(port));
}

std::string show(const PyDataset& self) {
  const Dataset& data = *self.data;
  const std::string train = data.stream == nullptr ? fmt::format("{}", self.train.set->size())
                                                   : fmt::format("a stream of {}", data.stream->samples());
  return fmt::format("<cavs.Dataset '{}': {} training and {} development samples, {} words, {} classes>",
                     self.spec.empty() ? data.kind : self.spec, train, self.dev.set->size(), data.words.size(),
                     data.classes);
}

void bind_making(nb::class_<PyDataset>& dataset) {
  dataset
      .def_static(
          "from_graphs", &from_graphs, "train"_a, "dev"_a = nb::none(), nb::kw_only(), "words"_a = nb::none(),
          "class_names"_a = std::vector<std::string>(), "classes"_a = 0,
          "Makes a data set of your own graphs. A model trained on it keeps the words, classes and their names.\n\n"
          "words: the words of the ids at the port \"word\", in the order of ids; \"<unk>\" is first.\n"
          "class_names: the names, in the order of the labels.\n"
          "classes: number of classes, at least the largest label plus 1.")
      .def_static(
          "from_generator", &from_generator, "function"_a, nb::kw_only(), "samples"_a = nb::none(),
          "dev"_a = nb::none(), "words"_a = nb::none(), "class_names"_a = std::vector<std::string>(), "classes"_a = 0,
          nb::sig("def from_generator(function: Callable[[], Iterable[Graphs]], *, samples: int | None = None, "
                  "dev: Graphs | None = None, words: Sequence[str] | None = None, class_names: Sequence[str] = ..., "
                  "classes: int = 0) -> Dataset"),
          "Makes a data set whose training samples are generated on demand, for data larger than memory.\n\n"
          "function: called for every epoch. It returns an iterable of Graphs with one or more samples each, "
          "which must have the same samples every time. They are shuffled in a buffer (Trainer's "
          "shuffle_buffer).\n"
          "samples: number of samples per epoch. None counts them in one pass at the start.\n"
          "dev, words, class_names, classes: as in from_graphs.\n\n"
          "An exception in the generator ends training and gets a note with the number of the sample.");
}

}  // namespace

void bind_data(nb::module_& m) {
  bind_generator(m);
  static PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(visit_generator<PyDataset>)}, {0, nullptr}};
  nb::class_<PyDataset> dataset(
      m, "Dataset", nb::type_slots(slots),
      "A data set: graphs for training and for development, the words, and the names of the classes.");
  bind_making(dataset);
  dataset.def_ro("train", &PyDataset::train, "The training graphs; empty if `streamed` is True.")
      .def_ro("dev", &PyDataset::dev, "The development graphs; empty if the data have no development part.")
      .def(
          "__reduce__",
          [](const PyDataset&) -> nb::object {
            throw nb::type_error(
                "a Dataset cannot be pickled or copied: pickle its Graphs (train, dev), or call load_data where it is "
                "needed");
          },
          nb::sig("def __reduce__(self) -> NoReturn"))
      .def_prop_ro(
          "samples",
          [](const PyDataset& self) {
            return self.data->stream == nullptr ? std::int64_t{self.train.set->size()} : self.data->stream->samples();
          },
          "Number of training samples.")
      .def_prop_ro(
          "streamed", [](const PyDataset& self) { return self.data->stream != nullptr; },
          "True if training samples are read or generated during training.")
      .def_prop_ro(
          "words", [](const PyDataset& self) { return self.data->words.words(); },
          "The words, in the order of their ids.")
      .def_prop_ro(
          "class_names", [](const PyDataset& self) { return self.data->class_names; },
          "Names of the classes; may be empty.")
      .def_prop_ro(
          "edge_names", [](const PyDataset& self) { return self.data->edge_names; },
          "For each index port of edges, the names of its numbers.")
      .def_prop_ro(
          "classes", [](const PyDataset& self) { return self.data->classes; }, "Number of classes.")
      .def_prop_ro(
          "kind", [](const PyDataset& self) { return self.data->kind; }, "The kind of graphs: trees, chains, ...")
      .def_prop_ro(
          "spec", [](const PyDataset& self) { return self.spec; }, "The spec that load_data was called with.")
      .def("rows", &rows, "index_port"_a,
           "Number of rows that a lookup table needs for an index port, such as data.rows(\"word\").")
      .def("__repr__", &show);
  m.def("load_data", &load, "spec"_a, nb::kw_only(), "limit"_a = 0, "seed"_a = 1, "min_count"_a = 1, "vocabulary"_a = 0,
        "steps"_a = 0, "stream"_a = false, "spelled_below"_a = 0, "network"_a.none() = nb::none(), "texts"_a = Texts(),
        nb::sig("def load_data(spec: str, *, limit: int = 0, seed: int = 1, min_count: int = 1, vocabulary: int = 0, "
                "steps: int = 0, stream: bool = False, spelled_below: int = 0, network: Model | None = None, "
                "texts: Mapping[str, str] = ...) -> Dataset"),
        "Reads or generates the data that `spec` names, as `cavs train --data` does: \"sst:DIR\", \"listops\", "
        "\"jsonl:FILE\", ...\n\n"
        "limit: largest number of samples in each part; 0 means all.\n"
        "seed: seed of generated data.\n"
        "min_count: words that occur less often are unknown.\n"
        "vocabulary: largest number of words, <unk> included; the most frequent are kept. 0 keeps all.\n"
        "steps: number of words per chain of text; 0 makes one chain per line.\n"
        "stream: True reads text during training instead of loading it first.\n"
        "spelled_below: words of tagged text that occur less often get spellings.\n"
        "network: a network; the data set then has the graphs that it evaluates.\n"
        "texts: contents of files that the spec names: load_data(\"trees:train=a,dev=b\", texts={\"a\": ...}).\n\n"
        "Raises Error for broken data, with the file, the line and what was expected.");
}

}  // namespace cavs::python
