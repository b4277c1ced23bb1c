#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "cavs/models.h"
#include "support/check.h"

namespace cavs::python {

using namespace nb::literals;

namespace {

/// @throws UserError unless the size is at most `most`, so that sizes computed from it do not overflow.
void check_size(const char* what, int size, int most) {
  user_check(1 <= size && size <= most, "{} is {}; expected 1 to {}", what, size, most);
}

PyModel make(const std::string& name, int vocabulary, int embedding, int hidden, int classes, double dropout,
             std::uint64_t seed) {
  check_size("vocabulary", vocabulary, 100'000'000);
  check_size("embedding", embedding, 65'536);
  check_size("hidden", hidden, 65'536);
  check_size("classes", classes, 10'000'000);
  user_check(0 <= dropout && dropout < 1, "dropout is {}; expected 0 to below 1", dropout);
  return PyModel{find_model(name).make({.vocabulary = vocabulary,
                                        .embedding = embedding,
                                        .hidden = hidden,
                                        .classes = classes,
                                        .dropout = dropout,
                                        .seed = seed})};
}

PyDataset data_of(const std::string& name, std::int64_t limit, std::uint64_t seed) {
  const nb::gil_scoped_release release;
  const ZooModel& zoo = find_model(name);
  const Model network = zoo.make({});  // used for its connections alone, which do not depend on sizes
  const std::string spec(zoo.data), builder(zoo.graph_builder);
  const DataOptions options{.limit = limit,
                            .seed = seed,
                            .steps = zoo.steps,
                            .spelled_below = zoo.spelled_below,
                            .graph_builder = builder,
                            .network = network.is_network() ? &network : nullptr};
  return dataset_of(load_data(spec, options), spec, builder);
}

}  // namespace

void bind_zoo(nb::module_& m) {
  nb::class_<ZooModel>(m, "ZooModel", "A model that comes with the library.")
      .def_prop_ro(
          "name", [](const ZooModel& self) { return std::string(self.name); }, "The name, for zoo and zoo_data.")
      .def_prop_ro(
          "doc", [](const ZooModel& self) { return std::string(self.doc); }, "A description in one line.")
      .def_prop_ro(
          "data", [](const ZooModel& self) { return std::string(self.data); },
          "The spec of generated data for the model, for load_data.")
      .def_prop_ro(
          "graph_builder", [](const ZooModel& self) { return std::string(self.graph_builder); },
          "The graph builder that makes its graphs from the data's; empty if it uses the data's graphs.")
      .def("__repr__",
           [](const ZooModel& self) { return fmt::format("<cavs.ZooModel '{}': {}>", self.name, self.doc); });
  m.def(
      "zoo_models",
      [] {
        const auto all = all_models();
        return std::vector<ZooModel>(all.begin(), all.end());
      },
      "Lists the models that come with the library, as `cavs models` does.");
  m.def("zoo", &make, "name"_a, nb::kw_only(), "vocabulary"_a = 1000, "embedding"_a = 64, "hidden"_a = 64,
        "classes"_a = 5, "dropout"_a = 0, "seed"_a = 1, "Makes a model that comes with the library, in these sizes.");
  m.def("zoo_data", &data_of, "name"_a, nb::kw_only(), "limit"_a = 0, "seed"_a = 1,
        "Makes generated data for a model that comes with the library, with the graphs that the model evaluates.");
}

}  // namespace cavs::python
