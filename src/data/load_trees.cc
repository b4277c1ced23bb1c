#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cavs/readers.h"
#include "data/conll.h"
#include "data/data_kinds.h"
#include "data/text.h"
#include "data/treebank.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

GraphSet to_graphs(std::span<const Tree> trees, const Vocabulary& words, const std::string& name,
                   const GraphLimits& limits) {
  GraphSet graphs(tree_schema(), limits);
  for (const Tree& tree : trees) graphs.add(to_graph(tree, words), fmt::format("{}:{}", name, tree.line));
  return graphs;
}

/// The trees of a file, and the names that stand in place of labels.
struct TreeFile {
  std::string file;
  NameTable names{};
  std::vector<Tree> trees{};

  TreeFile(std::string path, const TreebankOptions& reading, const DataOptions& options) : file(std::move(path)) {
    if (!file.empty()) trees = parse_treebank(text_of(file, options), file, reading, names);
  }
  bool any_label(bool (*is_one)(std::int32_t)) const {
    return std::ranges::any_of(trees, [&](const Tree& tree) { return std::ranges::any_of(tree.labels, is_one); });
  }
};

using TreeFiles = std::array<TreeFile, 2>;  // train and dev, which may be empty

void add_names(const TreeFile& part, TagNames& tags) {
  for (const Tree& tree : part.trees)
    for (const std::int32_t label : tree.labels)
      if (is_named(label)) tags.add(part.names.name(name_of_label(label)));
}

/// @throws UserError for a label that is a name.
void check_integers(const TreeFile& part) {
  for (const Tree& tree : part.trees)
    for (const std::int32_t label : tree.labels)
      if (is_named(label))
        user_error(
            "{}:{}: the label '{}' is a name, while other labels of the data are integers; expected integers alone or "
            "names alone; a bracket may be without a label, as in ((the) (dog))",
            part.file, tree.line, excerpt(part.names.name(name_of_label(label))));
}

/// The names of the classes: a checkpoint's, or those of all labels where no label is an integer; else none.
std::vector<std::string> find_tags(const TreeFiles& parts, const DataOptions& options) {
  if (options.tags != nullptr) return *options.tags;
  const auto is_integer = [](std::int32_t label) { return label >= 0; };
  const bool integers = std::ranges::any_of(parts, [&](const TreeFile& part) { return part.any_label(is_integer); });
  if (options.classes > 0) return {};
  if (integers) {
    for (const TreeFile& part : parts) check_integers(part);
    return {};
  }
  TagNames tags;
  for (const TreeFile& part : parts) add_names(part, tags);
  return tags.sorted();
}

void number_labels(TreeFile& part, const std::vector<std::string>& tags) {
  if (!tags.empty()) return number_labels(part.trees, part.names, tags, part.file);
  for (Tree& tree : part.trees)
    for (std::int32_t& label : tree.labels) label = std::max(label, -1);
}

/// Trees of two files; the second may be missing. The vocabulary is that of all training trees, whatever the limit.
Dataset load_files(const DataSpec::Files& files, const TreebankOptions& reading, const DataOptions& options) {
  TreeFiles parts{TreeFile(files.train, reading, options), TreeFile(files.dev, reading, options)};
  auto& [train, dev] = parts;
  Dataset data;
  data.words = options.words != nullptr ? *options.words
                                        : Vocabulary::from_trees(train.trees, options.min_count, options.vocabulary);
  data.tags = find_tags(parts, options);
  for (TreeFile& part : parts) number_labels(part, data.tags);
  train.trees.resize(limited(std::ssize(train.trees), options));
  data.train = to_graphs(train.trees, data.words, files.train, options.limits);
  data.dev = to_graphs(dev.trees, data.words, files.dev, options.limits);
  data.classes =
      table_rows(data.train, data.dev, "label", std::max(reading.classes, static_cast<int>(data.tags.size())));
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

}  // namespace cavs::inline v0_1
