#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "cavs/readers.h"
#include "cavs/vocabulary.h"
#include "data/columns.h"
#include "data/conll.h"
#include "data/data_kinds.h"
#include "data/dependency_graph.h"
#include "data/parts.h"
#include "data/table.h"
#include "data/text.h"
#include "data/text_chain.h"
#include "data/word_counts.h"
#include "support/check.h"
#include "support/parse_number.h"
#include "support/suggest.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::int32_t kMaxTableLabel = 999'999;
std::optional<std::int32_t> integer_label(const std::string& text) {
  const auto label = is_plain_integer(text) ? parse_number<std::int32_t>(text) : std::nullopt;
  return label && *label <= kMaxTableLabel ? label : std::nullopt;
}

/// Returns the names of the classes: those of a checkpoint, or all labels; empty if all labels are integers.
std::vector<std::string> find_class_names(const Parts<TableRow>& parts, const DataOptions& options) {
  if (options.class_names != nullptr) return *options.class_names;
  TagNames names;
  bool integers = true;
  for (const auto& rows : parts.samples)
    for (const TableRow& row : rows)
      if (const std::string& label = row.fields[kLabelColumn]; !is_no_label(label)) {
        names.add(label);
        integers = integers && integer_label(label);
      }
  return integers || options.classes > 0 ? std::vector<std::string>() : names.sorted();
}

/// Converts rows to graphs.
class RowGraphs {
 public:
  /// @param scored  true if the target of a row is a score.
  RowGraphs(const TableSpec& spec, bool scored, const Vocabulary& words, const std::vector<std::string>& class_names,
            int classes)
      : spec_(spec), scored_(scored), words_(words), class_names_(class_names), classes_(classes) {
    for (std::size_t c = 0; c < class_names.size(); ++c) numbers_.emplace(class_names[c], static_cast<std::int32_t>(c));
  }

  GraphSchema schema() const {
    if (spec_.has(kPairColumn) && scored_) return tree_pair_schema();
    GraphSchema schema = tree_schema();
    if (scored_) schema.float_ports.push_back({"score", 1});
    return schema;
  }

  InputGraph graph(const TableRow& row, const std::string& where) const {
    if (spec_.has(kPairColumn) && scored_) return scored_pair(row, where);
    InputGraph graph = spec_.has(kTreeColumn) ? to_graph(row.tree, words_) : chains(row, where);
    const std::size_t root = spec_.has(kTreeColumn) ? 0 : graph.types.size() - 1;
    graph.index_pulls[1].assign(graph.types.size(), -1);
    if (spec_.has(kLabelColumn)) graph.index_pulls[1][root] = label(row.fields[kLabelColumn], where);
    if (scored_) set_score(score(row.fields[kScoreColumn], where), root, graph);
    return graph;
  }

 private:
  InputGraph chains(const TableRow& row, const std::string& where) const {
    std::vector<std::vector<std::int32_t>> texts{ids(row, kTextColumn, where)};
    if (spec_.has(kPairColumn)) texts.push_back(ids(row, kPairColumn, where));
    return to_text_graph(texts);
  }

  std::vector<std::int32_t> ids(const TableRow& row, ColumnUse use, const std::string& where) const {
    std::vector<std::int32_t> ids = word_ids(split_words(row.fields[use]), words_);
    user_check(!ids.empty(), "{}: column '{}' has no word in this row; expected a text", where,
               excerpt(spec_.columns[use]));
    return ids;
  }

  InputGraph scored_pair(const TableRow& row, const std::string& where) const {
    std::optional<float> given = score(row.fields[kScoreColumn], where);
    const auto [low, high] = spec_.range;
    if (given == -1 && low > -1) given.reset();
    user_check(!given || (*given >= low && *given <= high),
               "{}: the score of a pair is '{}'; expected a number {} to {}; range=LOW:HIGH names other bounds", where,
               excerpt(row.fields[kScoreColumn]), low, high);
    if (given) given = spec_.range.of_model(*given);
    return to_tree_pair(to_word_chain(ids(row, kTextColumn, where)), to_word_chain(ids(row, kPairColumn, where)),
                        given);
  }

  std::int32_t label(const std::string& text, const std::string& where) const {
    if (is_no_label(text)) return -1;
    if (const auto number = numbers_.find(text); number != numbers_.end()) return number->second;
    if (!class_names_.empty())
      user_error("{}: the model does not know the label '{}'; {}", where, excerpt(text), suggest(text, class_names_));
    const std::optional<std::int32_t> integer = integer_label(text);
    const int classes = classes_ > 0 ? classes_ : kMaxTableLabel + 1;
    user_check(integer && *integer < classes, "{}: the label is '{}'; expected an integer 0 to {}", where,
               excerpt(text), classes - 1);
    return *integer;
  }

  /// Returns a score; nullopt if the field is empty or "_". -1 is a score unless the range of a pair begins above it.
  static std::optional<float> score(const std::string& text, const std::string& where) {
    if (text.empty() || text == "_") return std::nullopt;
    const auto value = parse_number<float>(text);
    user_check(value && std::isfinite(*value),
               "{}: the score is '{}'; expected a number, or an empty field for no score", where, excerpt(text));
    return value;
  }

  static void set_score(std::optional<float> value, std::size_t root, InputGraph& graph) {
    graph.float_pulls = {std::vector<float>(graph.types.size(), 0.0F)};
    graph.float_present = {std::vector<std::uint8_t>(graph.types.size(), 0)};
    graph.float_pulls[0][root] = value.value_or(0.0F);
    graph.float_present[0][root] = value ? 1 : 0;
  }

  const TableSpec& spec_;
  bool scored_;
  const Vocabulary& words_;
  const std::vector<std::string>& class_names_;
  int classes_;
  std::unordered_map<std::string_view, std::int32_t> numbers_;
};

WordCounts count_words(const std::vector<TableRow>& rows) {
  WordCounts counts;
  for (const TableRow& row : rows)
    for (const ColumnUse use : {kTextColumn, kPairColumn})
      for (const auto word : split_words(row.fields[use])) ++counts[word];
  for (const TableRow& row : rows)
    for (std::int32_t v = 0; v < row.tree.size(); ++v)
      if (const auto word = row.tree.word(v); !word.empty()) ++counts[word];
  return counts;
}

}  // namespace

std::vector<std::string> table_files(DataSpec& given) {
  const TableSpec spec(given);
  std::vector<std::string> files = plain_files(given);
  if (!spec.has(kTreeColumn)) return files;
  for (std::size_t t = 0, tables = files.size(); t < tables; ++t)
    for (const TableRow& row : read_table(read_text_file(files[t]), files[t], spec))
      files.push_back(row.fields[kTreeColumn]);
  return files;
}

Dataset load_table(DataSpec& given, const DataOptions& options) {
  const TableSpec spec(given, options.for_prediction);
  const DataSpec::Files files = given.files();
  const bool told = spec.has(kLabelColumn) || spec.has(kScoreColumn) || options.schema == nullptr;
  const bool scored = told ? spec.has(kScoreColumn) : !options.schema->float_ports.empty();
  const bool scored_pairs = spec.has(kPairColumn) && scored;
  user_check(scored_pairs || given.text("range").empty(),
             "data 'table': range is for the scores of pairs; expected pair=COLUMN and score=COLUMN, too");
  const Parts<TableRow> parts(files, options, [&](const std::string& text, const std::string& file, std::size_t) {
    return read_table(text, file, spec, options.for_prediction);
  });
  Dataset data;
  data.words = known_words(count_words(parts.samples[0]), options);
  data.class_names = find_class_names(parts, options);
  const RowGraphs rows(spec, scored, data.words, data.class_names, options.classes);
  const auto to_graph = [&](const TableRow& row, const std::string& file) {
    return rows.graph(row, fmt::format("{}:{}", file, row.line));
  };
  parts.add_graphs(rows.schema(), options, to_graph, data);
  const int known = std::max(options.classes, static_cast<int>(data.class_names.size()));
  data.classes =
      scored_pairs ? checked_scores(given.kind(), options) : table_rows(data.train, data.dev, "label", known);
  return data;
}

}  // namespace cavs::inline v0_1
