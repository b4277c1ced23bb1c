#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "cavs/data.h"
#include "cavs/models.h"
#include "cavs/readers.h"
#include "cavs/vocabulary.h"
#include "helpers/graphs.h"
#include "helpers/sanitizer.h"

namespace cavs {

/// Returns random binary trees, as in treebanks: with a word at every leaf, and a label at nearly every vertex.
inline GraphSet random_trees(std::int32_t count, std::int32_t words, std::uint64_t seed,
                             std::int32_t most_leaves = 20) {
  GraphSet set(tree_schema());
  Numbers numbers(seed);
  for (std::int32_t i = 0; i < count; ++i) {
    Tree tree;
    // subtrees that are not built yet: parent, number of leaves
    std::vector<std::pair<std::int32_t, std::int32_t>> open{{-1, 1 + numbers.below(most_leaves)}};
    std::vector<std::int32_t> ids;
    while (!open.empty()) {
      const auto [parent, leaves] = open.back();
      open.pop_back();
      const std::int32_t label = numbers.below(8) == 0 ? -1 : numbers.below(5);
      const std::int32_t v = tree.add(parent, leaves == 1 ? "w" : "", label);
      ids.push_back(leaves == 1 ? numbers.below(words) : -1);
      if (leaves == 1) continue;
      const std::int32_t left = 1 + numbers.below(leaves - 1);
      open.emplace_back(v, leaves - left);
      open.emplace_back(v, left);
    }
    InputGraph graph = to_graph(tree, Vocabulary());
    graph.index_pulls[0] = ids;
    set.add(graph);
  }
  return set;
}

/// Returns chains as for language models, but with labels below 5 at nearly every vertex.
inline GraphSet random_chains(std::int32_t count, std::int32_t words, std::uint64_t seed, std::int32_t longest = 20) {
  GraphSet set(chain_schema());
  Numbers numbers(seed);
  for (std::int32_t i = 0; i < count; ++i) {
    std::vector<std::int32_t> ids(1 + numbers.below(longest));
    for (std::int32_t& id : ids) id = numbers.below(words);
    InputGraph graph = to_chain(numbers.below(words), ids);
    for (std::int32_t& label : graph.index_pulls[1]) label = numbers.below(8) == 0 ? -1 : numbers.below(5);
    set.add(graph);
  }
  return set;
}

/// Returns samples of a generator, with labels modulo 5. `words` is empty, or an option of the generator.
inline GraphSet generated_samples(const std::string& kind, const ZooModel& zoo, std::int32_t count,
                                  const std::string& words, std::uint64_t seed, std::int32_t longest) {
  const Model network = zoo.make({});
  const GraphSet set =
      load_data(
          kind + ":train=" + std::to_string(count) + ",test=0,length=" + std::to_string((longest + 1) / 2) + words,
          {.seed = seed, .spelled_below = zoo.spelled_below, .graph_builder = zoo.graph_builder, .network = &network})
          .train;
  const auto& ports = set.schema().index_ports;
  const auto label_port = std::find(ports.begin(), ports.end(), "label") - ports.begin();
  if (label_port == std::ssize(ports)) return set;
  GraphArrays arrays = set.to_arrays();
  for (std::int32_t& label : arrays.index_pulls[label_port]) label = label < 0 ? -1 : label % 5;
  return GraphSet::from_arrays(set.schema(), std::move(arrays), set.limits());
}

/// Returns samples that fit the model: chains, or the graphs that the model builds from binary trees.
inline GraphSet random_samples(const ZooModel& zoo, std::int32_t count, std::int32_t words, std::uint64_t seed,
                               std::int32_t largest = 20) {
  const std::string kind(zoo.data.substr(0, zoo.data.find(':')));
  if (kind == "expressions") return generated_samples(kind, zoo, count, "", seed, largest);
  if (kind == "moving-shapes") return generated_samples(kind, zoo, count, "", seed, std::min(largest, 6));
  if (kind == "tags" || kind == "lattices" || kind == "translations" || kind == "tree-pairs")
    return generated_samples(kind, zoo, count, ",vocabulary=" + std::to_string(words), seed, largest);
  if (zoo.metric == Metric::kPerplexity) return random_chains(count, words, seed, largest);
  // the number of vertices grows with the square of the number of leaves
  if (zoo.graph_builder == "time-delay") largest = std::min(largest, 6);
  GraphSet trees = random_trees(count, words, seed, largest);
  return zoo.graph_builder.empty() ? trees : build_graphs(std::move(trees), find_graph_builder(zoo.graph_builder));
}

/// Returns a small model of the zoo (the built-in models).
inline Model small_model(std::string_view name, double dropout = 0, std::int32_t hidden = 20) {
  return find_model(name).make(
      {.vocabulary = 50, .embedding = 12, .hidden = hidden, .classes = 10, .dropout = dropout, .seed = 3});
}

/// Returns ListOps expressions as trees: operators have up to five arguments, and only operators have labels.
inline GraphSet listops_trees(std::int32_t count) {
  const Dataset data = load_data("listops:train=" + std::to_string(count) + ",test=1,length=30");
  return data.train;
}

struct ZooCase {
  std::string name;
  Model model;
  GraphSet graphs;
};

constexpr std::string_view kOnListOps = " on listops";

/// Returns the names of the cases: every model on data of its own kind, and one model on other data.
inline std::vector<std::string> all_zoo_names() {
  std::vector<std::string> names;
  for (const ZooModel& zoo : all_models()) names.emplace_back(zoo.name);
  names.push_back("tree-lstm" + std::string(kOnListOps));
  return names;
}

/// Returns four models: for trees, with several vertex types and a CRF, with input at edges, and with attention. With
/// CAVS_ALL_MODELS in the environment, returns all models.
inline std::vector<std::string> zoo_names() {
  if (std::getenv("CAVS_ALL_MODELS") != nullptr) return all_zoo_names();
  return {"tree-lstm", "bilstm-crf", "lattice-lstm", "lstm-nmt"};
}

inline ZooCase zoo_case(const std::string& name, std::int32_t samples, double dropout = 0) {
  if (!name.ends_with(kOnListOps))
    return {name, small_model(name, dropout), random_samples(find_model(name), samples, 50, 11)};
  const auto model = name.substr(0, name.size() - kOnListOps.size());
  return {name, small_model(model, dropout), listops_trees(samples)};
}

inline std::vector<ZooCase> zoo_cases(std::int32_t samples, double dropout = 0) {
  std::vector<ZooCase> cases;
  for (const std::string& name : zoo_names()) cases.push_back(zoo_case(name, samples, dropout));
  return cases;
}

}  // namespace cavs
