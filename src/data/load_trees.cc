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

using LabelNames = std::array<NameTable, 2>;  // [parts]: names that are written in place of labels

/// Returns the names of the classes: those of a checkpoint, or all labels if no label is an integer; else none.
/// @throws UserError if some labels are names and others integers.
std::vector<std::string> find_class_names(const Parts<Tree>& parts, const LabelNames& names,
                                          const DataOptions& options) {
  if (options.class_names != nullptr) return *options.class_names;
  if (options.classes > 0) return {};
  const auto has_integer = [](const Tree& tree) {
    return std::ranges::any_of(tree.labels, [](std::int32_t label) { return label >= 0; });
  };
  const bool integers =
      std::ranges::any_of(parts.samples, [&](const auto& trees) { return std::ranges::any_of(trees, has_integer); });
  TagNames tags;
  for (std::size_t p = 0; p < names.size(); ++p)
    for (const Tree& tree : parts.samples[p])
      for (const std::int32_t label : tree.labels) {
        if (!is_named(label)) continue;
        const std::string& name = names[p].name(name_of_label(label));
        if (integers)
          user_error(
              "{}:{}: the label '{}' is a name, but other labels of the data are integers; expected only integers or "
              "only names; a label may be missing, as in ((the) (dog))",
              parts.files[p], tree.line, excerpt(name));
        tags.add(name);
      }
  return tags.sorted();
}

/// Loads trees of two files; the second may be missing. The vocabulary is from all training trees, whatever the limit.
Dataset load_files(const DataSpec::Files& files, const TreebankOptions& reading, const DataOptions& options) {
  LabelNames names;
  Parts<Tree> parts(files, options, [&](const std::string& text, const std::string& file, std::size_t part) {
    return parse_treebank(text, file, reading, names[part]);
  });
  Dataset data;
  data.words = options.words != nullptr
                   ? *options.words
                   : Vocabulary::from_trees(parts.samples[0], options.min_count, options.vocabulary);
  data.class_names = find_class_names(parts, names, options);
  for (std::size_t p = 0; p < names.size(); ++p)
    if (!data.class_names.empty())
      number_labels(parts.samples[p], names[p], data.class_names, parts.files[p]);
    else
      for (Tree& tree : parts.samples[p])
        for (std::int32_t& label : tree.labels) label = std::max(label, -1);
  parts.add_graphs(
      tree_schema(), options, [&](const Tree& tree, const std::string&) { return to_graph(tree, data.words); }, data);
  data.classes =
      table_rows(data.train, data.dev, "label", std::max(reading.classes, static_cast<int>(data.class_names.size())));
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
