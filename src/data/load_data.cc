#include <algorithm>
#include <limits>
#include <utility>

#include "cavs/data.h"
#include "data/data_kinds.h"
#include "data/text.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs {
namespace {

const DataKind& find_kind(const std::string& name, const std::string& spec) {
  std::vector<std::string_view> known;
  for (const DataKind& kind : all_data_kinds()) {
    if (kind.name == name) return kind;
    known.push_back(kind.name);
  }
  user_error("data '{}': unknown kind '{}'; {}", excerpt(spec), excerpt(name), suggest(name, known));
}

}  // namespace

std::int64_t limited(std::int64_t samples, const DataOptions& options) {
  return options.limit > 0 ? std::min(samples, options.limit) : samples;
}

std::uint64_t generator_seed(const DataSpec& spec, const DataOptions& options) {
  return static_cast<std::uint64_t>(
      spec.integer("seed", static_cast<std::int64_t>(options.seed), 0, std::numeric_limits<std::int64_t>::max()));
}

std::int32_t end_of_line(const Vocabulary& words, const std::string& kind, int classes) {
  const std::int32_t id = words.id(Vocabulary::kEndOfLine);
  user_check(
      id > 0 && (classes == 0 || classes == words.size()),
      "data '{}': labels are words, but the model has {} words (with{} {}) and {} classes; expected a model that "
      "was trained on text",
      kind, words.size(), id > 0 ? "" : "out", Vocabulary::kEndOfLine, classes);
  return id;
}

Vocabulary numbered_words(std::vector<std::string> first, std::int64_t size) {
  for (auto id = std::ssize(first); id < size; ++id) first.push_back(fmt::format("w{}", id));
  return Vocabulary(std::move(first));
}

Vocabulary generated_words(const DataSpec& spec, const DataOptions& options) {
  if (options.words != nullptr) return *options.words;
  const int size = options.vocabulary > 0 ? options.vocabulary : 1'000;
  return numbered_words({std::string(Vocabulary::kUnknown)}, spec.integer("vocabulary", size, 2, 10'000'000));
}

std::int32_t port_range(const GraphSet& graphs, std::string_view port) {
  const auto& names = graphs.schema().index_ports;
  const auto at = std::find(names.begin(), names.end(), port);
  if (at == names.end()) return 0;
  const auto& values = graphs.index_pulls[at - names.begin()];
  return values.empty() ? 0 : 1 + *std::max_element(values.begin(), values.end());
}

std::int32_t Dataset::rows(std::string_view index_port) const {
  std::int32_t known = 0;
  if (index_port == "word") known = words.size();
  if (index_port == "label") known = classes;
  return std::max({known, port_range(train, index_port), port_range(dev, index_port)});
}

Dataset load_data(const std::string& spec, const DataOptions& options) {
  user_check(options.limit >= 0 && options.min_count >= 0 && options.vocabulary >= 0 && options.steps >= 0 &&
                 options.classes >= 0,
             "data options: limit {}, min_count {}, vocabulary {}, steps {}, classes {}; expected none below 0",
             options.limit, options.min_count, options.vocabulary, options.steps, options.classes);
  DataSpec parts(spec);
  Dataset data = find_kind(parts.kind(), spec).load(parts, options);
  data.kind = parts.kind();
  data.schema = data.train.schema();
  if (options.graph_builder.empty()) return data;
  const GraphBuilder& builder = find_graph_builder(options.graph_builder);
  if (data.dev.size() == 0) data.dev = GraphSet(data.schema, options.limits);
  data.train = build_graphs(std::move(data.train), builder);
  data.dev = build_graphs(std::move(data.dev), builder);
  return data;
}

}  // namespace cavs
