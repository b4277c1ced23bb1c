#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "cavs/data.h"
#include "cavs/readers.h"
#include "cavs/vocabulary.h"
#include "data/data_kinds.h"
#include "data/text.h"
#include "graphs/port_views.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs::inline v0_1 {
std::span<const DataKind> all_data_kinds() {
  static constexpr std::array kKinds{
      DataKind{"listops", load_listops, listops_files, "expressions"},
      DataKind{"binary-trees", load_binary_trees},
      DataKind{"random-trees", load_random_trees},
      DataKind{"markov", load_markov},
      DataKind{"sst", load_sst, sst_files, "trees"},
      DataKind{"trees", load_trees, plain_files, "trees"},
      DataKind{"jsonl", load_jsonl, plain_files, "jsonl"},
      DataKind{"table", load_table, table_files},
      DataKind{"text", load_text, files_before_options},
      DataKind{"tags", load_tags},
      DataKind{"lattices", load_lattices},
      DataKind{"translations", load_translations},
      DataKind{"tree-pairs", load_tree_pairs},
      DataKind{"expressions", load_expressions},
      DataKind{"moving-shapes", load_moving_shapes},
      DataKind{"conllu", load_conllu, files_before_options, "conllu", prepare_conllu},
      DataKind{"sick", load_sick, sick_files},
      DataKind{"conll", load_conll, files_before_options, "conll", prepare_conll},
      DataKind{"lattice", load_lattice, lattice_files, "conll", prepare_lattice},
      DataKind{"weibo", load_lattice, lattice_files, "conll", prepare_lattice},
      DataKind{"parallel", load_parallel, parallel_files},
  };
  return kKinds;
}

const DataKind& find_data_kind(const std::string& name, const std::string& spec) {
  std::vector<std::string_view> known;
  for (const DataKind& kind : all_data_kinds()) {
    if (kind.name == name) return kind;
    known.push_back(kind.name);
  }
  std::error_code ignored;
  const bool is_file = spec == name && std::filesystem::is_regular_file(spec, ignored);
  user_check(!is_file, "data '{}': this is a file without its kind; expected KIND:{}, where KIND is one of {}",
             excerpt(spec), excerpt(spec), fmt::join(known, ", "));
  user_error("data '{}': unknown kind '{}'; {}", excerpt(spec), excerpt(name), suggest(name, known));
}

std::vector<std::string> plain_files(DataSpec& spec) {
  DataSpec::Files files = spec.files();
  std::vector<std::string> all{std::move(files.train)};
  if (!files.dev.empty()) all.push_back(std::move(files.dev));
  return all;
}

std::vector<std::string> files_before_options(DataSpec& spec) {
  spec.cut_off_options();
  return plain_files(spec);
}

std::vector<DataKindInfo> data_kinds() {
  std::vector<DataKindInfo> kinds;
  for (const DataKind& kind : all_data_kinds())
    kinds.push_back({kind.name, kind.files != nullptr && kind.files != listops_files});
  return kinds;
}

std::vector<std::string> data_files(const std::string& spec) {
  DataSpec parts(spec);
  const DataKind& kind = find_data_kind(parts.kind(), spec);
  return kind.files == nullptr ? std::vector<std::string>() : kind.files(parts);
}

std::string text_of(const std::string& file, const DataOptions& options) {
  if (options.texts != nullptr)
    if (const auto text = options.texts->find(file); text != options.texts->end()) return text->second;
  return read_text_file(file);
}

std::int64_t limited(std::int64_t samples, const DataOptions& options) {
  return options.limit > 0 ? std::min(samples, options.limit) : samples;
}

std::uint64_t generator_seed(const DataSpec& spec, const DataOptions& options) {
  return static_cast<std::uint64_t>(
      spec.integer("seed", static_cast<std::int64_t>(options.seed), 0, std::numeric_limits<std::int64_t>::max()));
}

std::int32_t end_of_line(const Vocabulary& words, const std::string& kind, int classes) {
  const std::int32_t id = words.id(Vocabulary::kEndOfLine);
  user_check(id > 0 && (classes == 0 || classes == words.size()),
             "data '{}': labels are words, but the model has {} words (with{} {}) and {} classes; expected a model "
             "that was trained on text",
             kind, words.size(), id > 0 ? "" : "out", Vocabulary::kEndOfLine, classes);
  return id;
}

Vocabulary numbered_words(std::vector<std::string> first, std::int64_t size) {
  for (auto id = std::ssize(first); id < size; ++id) first.push_back(fmt::format("w{}", id));
  return Vocabulary(std::move(first));
}

Vocabulary generated_words(const DataSpec& spec, const DataOptions& options) {
  if (options.words != nullptr) return *options.words;
  return numbered_words({std::string(Vocabulary::kUnknown)}, generated_size(spec, options, 2));
}

std::int64_t generated_size(const DataSpec& spec, const DataOptions& options, std::int64_t min) {
  const int size = options.vocabulary > 0 ? options.vocabulary : 1'000;
  const std::int64_t asked = spec.integer("vocabulary", size, min, 10'000'000);
  const std::int64_t found = options.words != nullptr ? options.words->size() : asked;
  user_check(found >= min, "data '{}': the vocabulary has {} words; expected at least {}", spec.kind(), found, min);
  return found;
}

int checked_classes(const std::vector<std::string>& tags, const std::string& kind, const DataOptions& options) {
  const auto count = static_cast<int>(tags.size());
  user_check(options.classes == 0 || options.classes == count,
             "data '{}': {} tags, but the model has {} classes; expected a model that was trained on these tags", kind,
             count, options.classes);
  return count;
}

int checked_scores(const std::string& kind, const DataOptions& options) {
  constexpr int kScores = 5;
  user_check(options.classes == 0 || options.classes == kScores,
             "data '{}': scores are 1 to {}, but the model has {} classes; expected a model of scores", kind, kScores,
             options.classes);
  return kScores;
}

std::string find_part(const DataSpec& spec, const std::string& name, const std::string& expected) {
  user_check(!spec.path().empty(), "data '{}': no folder; expected {}:DIR, where DIR has {}", spec.kind(), spec.kind(),
             expected);
  const std::filesystem::path plain = std::filesystem::path(spec.path()) / name;
  std::error_code ignored;
  for (const std::string& path : {plain.string(), plain.string() + ".gz"})
    if (std::filesystem::exists(path, ignored)) return path;
  user_error("data '{}:{}': neither {} nor {}.gz exists; expected a folder with {}", spec.kind(), spec.path(),
             plain.string(), plain.string(), expected);
}

namespace {

/// Returns the values of an index port of vertices or edges.
std::span<const std::int32_t> pulls(const GraphSet& graphs, std::string_view port) {
  const auto& of_edges = graphs.schema().edge_index_ports;
  const auto at = std::ranges::find(of_edges, port);
  return at == of_edges.end() ? indices_at(graphs, port) : graphs.edge_index_pulls(at - of_edges.begin());
}

std::int64_t port_range(const GraphSet& graphs, std::string_view port) {
  const std::span<const std::int32_t> values = pulls(graphs, port);
  return values.empty() ? 0 : 1 + std::int64_t{*std::max_element(values.begin(), values.end())};
}

}  // namespace

std::int32_t table_rows(const GraphSet& train, const GraphSet& dev, std::string_view port, std::int32_t known) {
  constexpr std::int64_t kAlways = 1'000'000, kPerPull = 1'000, kMost = std::numeric_limits<std::int32_t>::max();
  const std::int64_t rows = std::max(port_range(train, port), port_range(dev, port));
  if (rows <= known) return known;
  const std::ptrdiff_t pulled = std::ssize(pulls(train, port)) + std::ssize(pulls(dev, port));
  const std::int64_t most = std::clamp(kPerPull * pulled, kAlways, kMost);
  user_check(rows <= most,
             "port '{}' has the number {}, so its table has {} rows, for {} vertices or edges; expected numbers below "
             "{}; number the values from 0, without gaps",
             port, rows - 1, rows, pulled, most);
  return static_cast<std::int32_t>(rows);
}

std::int32_t Dataset::rows(std::string_view index_port) const {
  std::int32_t known = 0;
  if (index_port == "word") known = words.size();
  if (index_port == "label") known = classes;
  if (const auto port = port_words.find(index_port); port != port_words.end()) known = port->second.size();
  if (const auto names = edge_names.find(std::string(index_port)); names != edge_names.end())
    known = static_cast<std::int32_t>(names->second.size());
  return table_rows(train, dev, index_port, known);
}

namespace {

/// Warns of classes without labels, and of data with only one class.
void warn_of_labels(Dataset& data) {
  if (data.words.id(Vocabulary::kEndOfLine) > 0) return;  // in a text, the classes are the words
  std::vector<std::int64_t> labels(static_cast<std::size_t>(std::max(data.rows("label"), data.classes)));
  const auto name = [&](std::size_t c) {
    return c < data.class_names.size() ? data.class_names[c] : fmt::format("{}", c);
  };
  for (const std::int32_t label : indices_at(data.train, "label"))
    if (label >= 0) ++labels[label];
  std::vector<std::string> missing;
  std::size_t last = 0;
  for (std::size_t c = 0; c < labels.size(); ++c)
    if (labels[c] == 0)
      missing.push_back(excerpt(name(c)));
    else
      last = c;
  if (missing.size() == labels.size()) return;
  if (missing.size() + 1 == labels.size())
    data.warnings.push_back(
        fmt::format("all {} labels of the training data are of one class, '{}'; a model learns nothing from them",
                    labels[last], excerpt(name(last))));
  if (missing.empty()) return;
  constexpr std::size_t kShown = 5;
  const bool counted = data.class_names.empty() && data.kind != "listops" && data.kind != "sst";
  data.warnings.push_back(fmt::format(
      "{} of {} classes have no label in the training data: {}{}{}", missing.size(), labels.size(),
      fmt::join(std::span(missing).first(std::min(kShown, missing.size())), ", "),
      missing.size() > kShown ? ", ..." : "",
      counted ? "; classes are the numbers from 0 to the largest label; number them without gaps, or use names" : ""));
}

}  // namespace

Dataset load_data(const std::string& spec, const DataOptions& options) {
  user_check(options.limit >= 0 && options.min_count >= 0 && options.vocabulary >= 0 && options.steps >= 0 &&
                 options.classes >= 0,
             "data options: limit {}, min_count {}, vocabulary {}, steps {}, classes {}; expected values from 0",
             options.limit, options.min_count, options.vocabulary, options.steps, options.classes);
  DataSpec parts(spec);
  if (options.texts != nullptr)
    for (const auto& [name, text] : *options.texts)
      user_check(!name.empty() && parts.path().find(name) != std::string::npos,
                 "data '{}': a text '{}' is given, but not named here; expected the names of texts in place of files, "
                 "as in trees:train=a,dev=b",
                 excerpt(spec), excerpt(name));
  const DataKind& kind = find_data_kind(parts.kind(), spec);
  Dataset data = kind.load(parts, options);
  user_check(!options.stream || data.stream != nullptr,
             "data '{}': samples of this kind cannot be streamed; expected text with one sample per line (text:FILE)",
             excerpt(spec));
  data.kind = parts.kind();
  data.spec = spec;
  data.graph_builder = options.graph_builder;
  data.schema = data.train.schema();
  const bool generated = kind.files == nullptr || (kind.files == listops_files && data_files(spec).empty());
  if (!generated && options.limit == 0 && options.words == nullptr && data.stream == nullptr) warn_of_labels(data);
  const auto builder = graph_builder_for(options.graph_builder, options.network, data.schema);
  if (!builder) return data;
  if (data.dev.size() == 0) data.dev = GraphSet(data.schema, options.limits);
  data.train = build_graphs(std::move(data.train), *builder);
  if (data.stream != nullptr) data.stream = build_graphs(data.stream, *builder);
  data.dev = build_graphs(std::move(data.dev), *builder);
  return data;
}

}  // namespace cavs::inline v0_1
