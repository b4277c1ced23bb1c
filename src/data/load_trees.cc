#include <fmt/format.h>

#include <algorithm>

#include "cavs/readers.h"
#include "cavs/sentence_graphs.h"
#include "data/data_kinds.h"

namespace cavs {
namespace {

GraphSet to_graphs(std::span<const Tree> trees, const Vocabulary& words, const std::string& name,
                   const GraphLimits& limits) {
  GraphSet graphs(tree_schema(), limits);
  for (const Tree& tree : trees) graphs.add(to_graph(tree, words), fmt::format("{}:{}", name, tree.line));
  return graphs;
}

/// Trees of two files; the second may be missing. The vocabulary is that of all training trees, whatever the limit.
Dataset load_files(const DataSpec::Files& files, const TreebankOptions& reading, const DataOptions& options) {
  std::vector<Tree> train = parse_treebank(read_text_file(files.train), files.train, reading);
  Dataset data;
  data.words =
      options.words != nullptr ? *options.words : Vocabulary::from_trees(train, options.min_count, options.vocabulary);
  train.resize(limited(static_cast<std::int64_t>(train.size()), options));
  data.train = to_graphs(train, data.words, files.train, options.limits);
  if (!files.dev.empty())
    data.dev =
        to_graphs(parse_treebank(read_text_file(files.dev), files.dev, reading), data.words, files.dev, options.limits);
  data.classes =
      reading.classes > 0 ? reading.classes : std::max(port_range(data.train, "label"), port_range(data.dev, "label"));
  return data;
}

}  // namespace

Dataset load_trees(DataSpec& spec, const DataOptions& options) {
  return load_files(spec.files(), {.classes = options.classes}, options);
}

std::vector<std::string> sst_files(DataSpec& spec) {
  const std::string expected = "train.txt and dev.txt";
  return {find_part(spec, "train.txt", expected), find_part(spec, "dev.txt", expected)};
}

Dataset load_sst(DataSpec& spec, const DataOptions& options) {
  const std::vector<std::string> files = sst_files(spec);
  const int classes = options.classes > 0 ? options.classes : kSentimentClasses;
  return load_files({files[0], files[1]}, {.classes = classes, .require_labels = true}, options);
}

SampleFiles tree_samples(DataSpec& spec, SampleOptions& options) {
  options.form = "trees";
  const DataSpec::Files files = spec.files();
  return {files.train, files.dev};
}

SampleFiles sst_samples(DataSpec& spec, SampleOptions& options) {
  options.form = "trees";
  const std::vector<std::string> files = sst_files(spec);
  return {files[0], files[1]};
}

}  // namespace cavs
