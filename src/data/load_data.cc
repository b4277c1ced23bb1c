#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <utility>

#include "cavs/data.h"
#include "data/data_spec.h"
#include "data/listops.h"
#include "support/check.h"

namespace cavs {
namespace {

constexpr std::int64_t kMostSamples = 100'000'000;
constexpr int kSentimentClasses = 5, kListOpsClasses = 10;

std::int64_t limited(std::int64_t samples, const DataOptions& options) {
  return options.limit > 0 ? std::min(samples, options.limit) : samples;
}

/// 1 + the largest value of an index port; 0 where there is none.
std::int32_t port_range(const GraphSet& graphs, std::string_view port) {
  const auto& names = graphs.schema().index_ports;
  const auto at = std::find(names.begin(), names.end(), port);
  if (at == names.end()) return 0;
  const auto& values = graphs.index_pulls[at - names.begin()];
  return values.empty() ? 0 : 1 + *std::max_element(values.begin(), values.end());
}

GraphSet to_graphs(std::span<const Tree> trees, const Vocabulary& words, const std::string& name,
                   const GraphLimits& limits) {
  GraphSet graphs(tree_schema(), limits);
  for (const Tree& tree : trees) graphs.add(to_graph(tree, words), fmt::format("{}:{}", name, tree.line));
  return graphs;
}

Dataset load_listops(DataSpec& spec, const DataOptions& options) {
  constexpr std::array<std::string_view, 6> kKeys{"train", "test", "length", "arguments", "depth", "seed"};
  constexpr int kMost = std::numeric_limits<int>::max() / 4;
  spec.parse_options(kKeys);
  ListOpsOptions shape;
  shape.length = static_cast<int>(spec.integer("length", shape.length, 4, kMost));
  shape.max_arguments = static_cast<int>(spec.integer("arguments", shape.max_arguments, 2, kMost));
  shape.max_depth = static_cast<int>(spec.integer("depth", shape.max_depth, 1, kMost));
  const auto seed = static_cast<std::uint64_t>(
      spec.integer("seed", static_cast<std::int64_t>(options.seed), 0, std::numeric_limits<std::int64_t>::max()));
  user_check(options.classes == 0 || options.classes >= kListOpsClasses,
             "data 'listops': labels are 0 to 9, but the model has {} classes; expected at least 10", options.classes);
  Dataset data;
  data.classes = std::max(options.classes, kListOpsClasses);
  data.words = options.words != nullptr ? *options.words : listops_vocabulary();
  const auto generate = [&](Split split, std::int64_t samples) {
    GraphSet graphs(tree_schema(), options.limits);
    for (std::int64_t i = 0; i < samples; ++i)
      graphs.add(to_graph(generate_listops(shape, seed, split, i), data.words), fmt::format("listops sample {}", i));
    return graphs;
  };
  data.train = generate(Split::kTrain, limited(spec.integer("train", 20'000, 1, kMostSamples), options));
  data.dev = generate(Split::kTest, spec.integer("test", 2'000, 0, kMostSamples));
  return data;
}

Dataset load_binary_trees(DataSpec& spec, const DataOptions& options) {
  constexpr std::array<std::string_view, 4> kKeys{"leaves", "samples", "vocabulary", "seed"};
  spec.parse_options(kKeys);
  const auto leaves = static_cast<int>(spec.integer("leaves", 256, 1, 1 << 28));
  const auto seed = static_cast<std::uint64_t>(
      spec.integer("seed", static_cast<std::int64_t>(options.seed), 0, std::numeric_limits<std::int64_t>::max()));
  Dataset data;
  data.classes = options.classes > 0 ? options.classes : kSentimentClasses;
  if (options.words != nullptr) {
    data.words = *options.words;
  } else {
    std::vector<std::string> words{"<unk>"};
    const std::int64_t size = spec.integer("vocabulary", 1'000, 2, 10'000'000);
    for (std::int64_t id = 1; id < size; ++id) words.push_back(fmt::format("w{}", id));
    data.words = Vocabulary(std::move(words));
  }
  data.train = GraphSet(tree_schema(), options.limits);
  const std::int64_t samples = limited(spec.integer("samples", 64, 1, kMostSamples), options);
  for (std::int64_t i = 0; i < samples; ++i)
    data.train.add(generate_binary_tree(leaves, data.words.size(), data.classes, seed, i),
                   fmt::format("binary-trees sample {}", i));
  return data;
}

/// Trees of two files; the second may be missing. The vocabulary is that of all training trees, whatever the limit.
Dataset load_trees(const DataSpec::Files& files, const TreebankOptions& reading, const DataOptions& options) {
  std::vector<Tree> train = parse_treebank(read_text_file(files.train), files.train, reading);
  Dataset data;
  data.words = options.words != nullptr ? *options.words : Vocabulary::from_trees(train, options.min_count);
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

Dataset load_jsonl(const DataSpec::Files& files, const DataOptions& options) {
  Dataset data;
  const std::string text = read_text_file(files.train);
  data.train = parse_jsonl(text, files.train, {options.schema, options.limits, options.limit});
  data.dev = GraphSet(data.train.schema(), options.limits);
  if (!files.dev.empty())
    data.dev = parse_jsonl(read_text_file(files.dev), files.dev, {&data.train.schema(), options.limits});
  if (options.words != nullptr) data.words = *options.words;
  const int range = std::max(port_range(data.train, "label"), port_range(data.dev, "label"));
  user_check(options.classes == 0 || range <= options.classes,
             "data '{}': the largest label is {}, but the model has {} classes; expected 0 to {}", files.train,
             range - 1, options.classes, options.classes - 1);
  data.classes = std::max(options.classes, range);
  return data;
}

Dataset load_kind(DataSpec& spec, const DataOptions& options) {
  if (spec.kind() == "listops") return load_listops(spec, options);
  if (spec.kind() == "binary-trees") return load_binary_trees(spec, options);
  if (spec.kind() == "jsonl") return load_jsonl(spec.files(), options);
  if (spec.kind() == "trees") return load_trees(spec.files(), {.classes = options.classes}, options);
  CAVS_ASSERT(spec.kind() == "sst");
  user_check(!spec.path().empty(), "data 'sst': no folder; expected sst:DIR, where DIR holds train.txt and dev.txt");
  const int classes = options.classes > 0 ? options.classes : kSentimentClasses;
  return load_trees({find_part(spec.path(), "train.txt"), find_part(spec.path(), "dev.txt")},
                    {.classes = classes, .require_labels = true}, options);
}

}  // namespace

std::int32_t Dataset::rows(std::string_view index_port) const {
  std::int32_t known = 0;
  if (index_port == "word") known = words.size();
  if (index_port == "label") known = classes;
  return std::max({known, port_range(train, index_port), port_range(dev, index_port)});
}

Dataset load_data(const std::string& spec, const DataOptions& options) {
  user_check(options.limit >= 0 && options.min_count >= 0 && options.classes >= 0,
             "data options: limit {}, min_count {}, classes {}; expected none below 0", options.limit,
             options.min_count, options.classes);
  DataSpec parts(spec);
  Dataset data = load_kind(parts, options);
  data.kind = parts.kind();
  return data;
}

}  // namespace cavs
