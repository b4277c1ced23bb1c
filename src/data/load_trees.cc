#include <algorithm>
#include <filesystem>

#include "data/data_kinds.h"
#include "support/check.h"

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

std::string find_part(const std::string& folder, const std::string& name) {
  const std::filesystem::path plain = std::filesystem::path(folder) / name;
  std::error_code ignored;
  for (const std::string& path : {plain.string(), plain.string() + ".gz"})
    if (std::filesystem::exists(path, ignored)) return path;
  user_error("data 'sst:{}': neither {} nor {}.gz is there; expected a folder with train.txt and dev.txt", folder,
             plain.string(), plain.string());
}

}  // namespace

Dataset load_trees(DataSpec& spec, const DataOptions& options) {
  return load_files(spec.files(), {.classes = options.classes}, options);
}

Dataset load_sst(DataSpec& spec, const DataOptions& options) {
  user_check(!spec.path().empty(), "data 'sst': no folder; expected sst:DIR, where DIR holds train.txt and dev.txt");
  const int classes = options.classes > 0 ? options.classes : kSentimentClasses;
  return load_files({find_part(spec.path(), "train.txt"), find_part(spec.path(), "dev.txt")},
                    {.classes = classes, .require_labels = true}, options);
}

}  // namespace cavs
