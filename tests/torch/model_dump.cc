// Prints parameters, graphs, loss and gradients of one minibatch as JSON, for models_torch.py.
// Usage: model_dump MODEL DATA SAMPLES ENGINE THREADS. DATA is a data spec, or the path of a treebank.

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cavs/data.h"
#include "cavs/models.h"
#include "cavs/readers.h"
#include "cavs/session.h"
#include "cavs/vocabulary.h"

namespace {

using Json = nlohmann::json;

/// The first trees of a treebank, with a vocabulary of the words in these trees.
cavs::GraphSet read_trees(const std::string& path, int count, int& words) {
  std::vector<cavs::Tree> trees = cavs::parse_treebank(cavs::read_text_file(path), path);
  trees.resize(std::min<std::size_t>(trees.size(), static_cast<std::size_t>(count)));
  const cavs::Vocabulary vocabulary = cavs::Vocabulary::from_trees(trees);
  words = vocabulary.size();
  cavs::GraphSet graphs(cavs::tree_schema());
  for (const cavs::Tree& tree : trees) graphs.add(cavs::to_graph(tree, vocabulary));
  return graphs;
}

cavs::GraphSet load(const std::string& data, const cavs::ZooModel& zoo, int count, int& words, int& classes) {
  const cavs::Model network = zoo.make({});
  if (data.starts_with("/")) {
    cavs::GraphSet trees = read_trees(data, count, words);
    const auto builder = cavs::graph_builder_for(zoo.graph_builder, &network, trees.schema());
    return builder ? cavs::build_graphs(std::move(trees), *builder) : trees;
  }
  cavs::DataOptions options;
  options.limit = count;
  options.graph_builder = zoo.graph_builder;
  options.network = &network;
  options.spelled_below = zoo.spelled_below;
  const cavs::Dataset set = cavs::load_data(data, options);
  words = set.rows("word");
  classes = std::max(classes, set.classes);
  return set.train;
}

/// The values of the port with this name, or nothing if there is no such port.
template <typename Values, typename Ports, typename Name>
Values port_values(const std::vector<Values>& values, const Ports& ports, Name name) {
  const auto at = std::find_if(ports.begin(), ports.end(), name) - ports.begin();
  return at == std::ssize(ports) ? Values() : values[static_cast<std::size_t>(at)];
}

std::vector<std::int32_t> integers(const cavs::GraphSet& graphs, const std::string& port) {
  return port_values(graphs.to_arrays().index_pulls, graphs.schema().index_ports,
                     [&](const auto& name) { return name == port; });
}

std::vector<float> numbers(const cavs::GraphSet& graphs, const std::string& port) {
  return port_values(graphs.to_arrays().float_pulls, graphs.schema().float_ports,
                     [&](const auto& p) { return p.name == port; });
}

Json graphs_json(const cavs::GraphSet& graphs) {
  const cavs::GraphArrays arrays = graphs.to_arrays();
  Json types = Json::array();
  for (const std::int32_t type : graphs.types()) types.push_back(graphs.schema().types[type]);
  return {{"types", types},
          {"vertex_begin", arrays.sample_begin},
          {"child_begin", arrays.child_offsets},
          {"children", arrays.children},
          {"levels", std::vector(graphs.levels().begin(), graphs.levels().end())},
          {"word", integers(graphs, "word")},
          {"character", integers(graphs, "character")},
          {"label", integers(graphs, "label")},
          {"score", numbers(graphs, "score")},
          {"pixels", numbers(graphs, "pixels")}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  int words = 0, classes = 10;
  const cavs::ZooModel& zoo = cavs::find_model(argv[1]);
  const cavs::GraphSet graphs = load(argv[2], zoo, std::atoi(argv[3]), words, classes);
  const cavs::Model model = zoo.make({.vocabulary = words, .embedding = 24, .hidden = 32, .classes = classes});
  const auto parameters = model.make_parameters();
  const auto program = cavs::compile(model);
  const auto bound = cavs::bind_graphs(program, graphs);
  cavs::SessionOptions options;
  options.engine = cavs::option_named<cavs::EngineKind>(argv[4]);
  options.threads = std::atoi(argv[5]);
  cavs::Session session(program, parameters, options);
  std::vector<std::int32_t> samples(graphs.size());
  std::iota(samples.begin(), samples.end(), 0);
  cavs::Run run = session.forward(*bound, samples);
  cavs::Gradients gradients(*parameters);
  run.backward(gradients);
  Json json{{"loss", run.loss()}, {"graphs", graphs_json(graphs)}, {"logits", run.output("logits")}};
  for (int p = 0; p < parameters->size(); ++p) {
    const cavs::ParameterInfo& info = parameters->info(p);
    const auto values = parameters->values(p);
    json["parameters"][info.name] = {{"shape", info.shape.dims},
                                     {"values", std::vector<float>(values.begin(), values.end())},
                                     {"gradient", gradients.values(p)}};
  }
  std::cout << json << "\n";
}
