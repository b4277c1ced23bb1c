#include <fmt/format.h>

#include <array>

#include "data/conllu.h"
#include "data/data_kinds.h"
#include "data/dependency_graph.h"
#include "data/word_counts.h"

namespace cavs::inline v0_1 {
namespace {

using DependencyTrees = std::vector<DependencySentence>;

GraphSet to_graphs(const DependencyTrees& part, std::int64_t sentences, const Dataset& data, const std::string& name,
                   const GraphLimits& limits) {
  GraphSet graphs(tree_schema(), limits);
  const TagIds ids(data.tags);
  for (std::int64_t i = 0; i < sentences; ++i) {
    const DependencySentence& sentence = part[i];
    graphs.add(to_dependency_graph(sentence.heads, word_ids(sentence.tokens, data.words), ids.of(sentence, name)),
               fmt::format("{}:{}", name, sentence.line));
  }
  return graphs;
}

}  // namespace

Dataset load_conllu(DataSpec& spec, const DataOptions& options) {
  constexpr std::array<std::string_view, 1> kKeys{"label"};
  spec.split_off_options(kKeys);
  const ConlluColumn column = conllu_column(spec.choice("label", "upos", kConlluColumnNames));
  const DataSpec::Files files = spec.files();
  const std::string texts[] = {text_of(files.train, options), files.dev.empty() ? "" : text_of(files.dev, options)};
  const DependencyTrees train = parse_conllu(texts[0], files.train, column);
  const DependencyTrees dev = files.dev.empty() ? DependencyTrees() : parse_conllu(texts[1], files.dev, column);
  WordCounts counts;
  TagNames names;
  for (const DependencyTrees* part : {&train, &dev})
    for (const DependencySentence& sentence : *part) names.add(sentence);
  for (const DependencySentence& sentence : train)
    for (const auto token : sentence.tokens) ++counts[token];
  Dataset data = words_and_tags(std::move(counts), names, "conllu", options);
  data.train = to_graphs(train, limited(std::ssize(train), options), data, files.train, options.limits);
  data.dev = to_graphs(dev, std::ssize(dev), data, files.dev, options.limits);
  return data;
}

void prepare_conllu(DataSpec& spec, SampleOptions& options) {
  constexpr std::array<std::string_view, 1> kKeys{"label"};
  spec.split_off_options(kKeys);
  options.label_column = spec.choice("label", options.label_column, kConlluColumnNames);
}

}  // namespace cavs::inline v0_1
