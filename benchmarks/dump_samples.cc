// Prints the samples that `cavs bench` measures, for programs of other libraries (peers/dynet):
//
//   dump_samples MODEL DATA LIMIT [HIDDEN STEPS]
//
// The format is text with numbers between spaces: "samples N words V classes C", then for each sample its number of
// vertices and one line per vertex, children before parents: the number of children, their numbers, then word, label,
// character, first and last, where -1 is absent. These are the graphs as read, before a model's graph builder.
//
// With HIDDEN, which is also the embedding size, "parameters N" follows, with the name, number of values and values
// (row-major) of each parameter; and "losses N", the losses of STEPS steps of SGD on all samples as one minibatch, with
// learning rate 0.02.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "cavs/data.h"
#include "cavs/models.h"
#include "cavs/trainer.h"

namespace {

using namespace cavs;

constexpr const char* kPorts[] = {"word", "label", "character", "first", "last"};

/// The vertices of a sample, children before parents.
std::vector<std::int64_t> vertices_of(const GraphSet& graphs, std::int32_t sample) {
  const auto begin = graphs.vertex_begin()[sample], end = graphs.vertex_begin()[sample + 1];
  std::vector<std::int64_t> order(end - begin);
  std::iota(order.begin(), order.end(), begin);
  if (graphs.schema().types == tree_schema().types)  // trees may have any order; chains are in order, with spellings
    std::ranges::stable_sort(order, std::less<>(), [&](std::int64_t v) { return graphs.levels()[v]; });
  return order;
}

/// The lines of all samples and their vertices.
std::string samples_text(const GraphSet& graphs) {
  const GraphArrays arrays = graphs.to_arrays();
  const auto& names = graphs.schema().index_ports;
  std::string text;
  const auto out = std::back_inserter(text);
  for (std::int32_t s = 0; s < graphs.size(); ++s) {
    const std::vector<std::int64_t> order = vertices_of(graphs, s);
    std::vector<std::size_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i] - arrays.sample_begin[s]] = i;
    fmt::format_to(out, "{}\n", order.size());
    for (const std::int64_t v : order) {
      fmt::format_to(out, "{}", arrays.child_offsets[v + 1] - arrays.child_offsets[v]);
      for (auto slot = arrays.child_offsets[v]; slot < arrays.child_offsets[v + 1]; ++slot)
        fmt::format_to(out, " {}", place.at(arrays.children[slot]));
      for (const char* port : kPorts) {
        const auto at = std::ranges::find(names, port);
        fmt::format_to(out, " {}", at == names.end() ? -1 : arrays.index_pulls[at - names.begin()][v]);
      }
      text += '\n';
    }
  }
  return text;
}

std::string parameters_text(const Parameters& parameters) {
  std::string text = fmt::format("parameters {}\n", parameters.size());
  for (int p = 0; p < parameters.size(); ++p) {
    const auto values = parameters.values(p);
    fmt::format_to(std::back_inserter(text), "{} {} {:.9g}\n", parameters.info(p).name, values.size(),
                   fmt::join(values, " "));
  }
  return text;
}

/// The parameters before training, and the losses of `steps` steps.
std::string training_text(const ZooModel& zoo, const std::string& spec, int limit, int hidden, int steps) {
  const Model network = zoo.make({});
  const Dataset data = load_data(spec, {.limit = limit,
                                        .steps = zoo.steps,
                                        .spelled_below = zoo.spelled_below,
                                        .graph_builder = zoo.graph_builder,
                                        .network = &network});
  const Model model =
      zoo.make({.vocabulary = data.rows("word"), .embedding = hidden, .hidden = hidden, .classes = data.classes});
  TrainOptions options{.batch_size = data.train.size(), .shuffle = false};
  options.optimizer.kind = "sgd";
  options.optimizer.lr = 0.02;
  Trainer trainer(model, data.train, options);
  std::string text = parameters_text(*model.make_parameters());
  fmt::format_to(std::back_inserter(text), "losses {}", steps);
  for (int i = 0; i < steps; ++i) fmt::format_to(std::back_inserter(text), " {:.9g}", trainer.step().loss);
  return text + "\n";
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4 && argc != 6) {
    fmt::print(stderr, "usage: {} MODEL DATA LIMIT [HIDDEN STEPS]\n", argv[0]);
    return 2;
  }
  const ZooModel& zoo = find_model(argv[1]);
  const int limit = std::atoi(argv[3]);
  const Dataset data = load_data(argv[2], {.limit = limit, .steps = zoo.steps, .spelled_below = zoo.spelled_below});
  fmt::print("samples {} words {} classes {}\n", data.train.size(), data.rows("word"), data.classes);
  fmt::print("{}", samples_text(data.train));
  if (argc == 6) fmt::print("{}", training_text(zoo, argv[2], limit, std::atoi(argv[4]), std::atoi(argv[5])));
  return 0;
} catch (const std::exception& e) {
  fmt::print(stderr, "dump_samples: {}\n", e.what());
  return 1;
}
