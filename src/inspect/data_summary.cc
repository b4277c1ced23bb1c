#include "inspect/data_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cavs/vocabulary.h"
#include "graphs/port_views.h"

namespace cavs::inline v0_1 {
namespace {

std::vector<PortSummary> summaries_of_ports(const GraphSet& graphs, const PortWords& port_words) {
  std::vector<PortSummary> summaries;
  for (const PortView& port : ports_of(graphs)) {
    PortSummary& summary = summaries.emplace_back(PortSummary{.name = port.name, .width = port.width});
    summary.of_edges = port.of_edges;
    if (port.width > 0) {
      summary.present = std::ranges::count(port.present, 1);
      continue;
    }
    summary.present = std::ranges::count_if(port.indices, [](std::int32_t value) { return value >= 0; });
    summary.max_index = port.indices.empty() ? -1 : *std::ranges::max_element(port.indices);
    if (const auto words = port_words.find(port.name); words != port_words.end() && !port.of_edges) {
      summary.vocabulary = words->second.size();
      summary.unknown = std::ranges::count(port.indices, 0);
    }
  }
  return summaries;
}

void measure_samples(const GraphSet& graphs, PartSummary& part) {
  const auto labels = indices_at(graphs, "label");
  std::vector<std::int64_t> sizes, depths;
  for (std::int32_t s = 0; s < graphs.size(); ++s) {
    const std::int64_t begin = graphs.vertex_begin()[s], size = graphs.vertex_begin()[s + 1] - begin;
    sizes.push_back(size);
    depths.push_back(*std::ranges::max_element(graphs.levels().subspan(begin, size)));
    const bool labelled =
        !labels.empty() && std::ranges::any_of(labels.subspan(begin, size), [](auto label) { return label >= 0; });
    part.unlabelled_samples += labelled ? 0 : 1;
  }
  part.sizes = spread_of(std::move(sizes));
  part.depths = spread_of(std::move(depths));
}

void measure_vertices(const GraphSet& graphs, PartSummary& part) {
  std::vector<std::int64_t> arities;
  part.types.assign(graphs.schema().types.size(), 0);
  for (std::int64_t v = 0; v < graphs.vertices(); ++v) {
    ++part.types[graphs.types()[v]];
    part.roots += graphs.parent_begin()[v] == graphs.parent_begin()[v + 1] ? 1 : 0;
    const std::int64_t arity = graphs.child_begin()[v + 1] - graphs.child_begin()[v];
    if (arity > 0) arities.push_back(arity);
  }
  part.arities = spread_of(std::move(arities));
}

PartSummary summarise(const GraphSet& graphs, std::size_t classes, bool knows_words, const PortWords& port_words) {
  PartSummary part;
  part.samples = graphs.size();
  part.vertices = graphs.vertices();
  part.edges = static_cast<std::int64_t>(graphs.parents().size());
  measure_samples(graphs, part);
  measure_vertices(graphs, part);
  part.ports = summaries_of_ports(graphs, port_words);
  part.labels.assign(classes, 0);
  for (const std::int32_t label : indices_at(graphs, "label"))
    if (label >= 0) ++part.labels[label];
  part.labelled = std::reduce(part.labels.begin(), part.labels.end());
  for (const std::int32_t word : indices_at(graphs, "word"))
    if (word >= 0) {
      ++part.words;
      part.unknown_words += knows_words && word == 0 ? 1 : 0;
    }
  return part;
}

}  // namespace

Spread spread_of(std::vector<std::int64_t> numbers) {
  if (numbers.empty()) return {};
  std::ranges::sort(numbers);
  const std::size_t half = numbers.size() / 2;
  const auto middle = static_cast<double>(numbers[half]);
  const auto sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  return {.min = numbers.front(),
          .max = numbers.back(),
          .median = numbers.size() % 2 == 1 ? middle : (middle + static_cast<double>(numbers[half - 1])) / 2,
          .mean = sum / static_cast<double>(numbers.size())};
}

std::vector<std::string> names_of_classes(const Dataset& data) {
  // In running text, the label of a word is the next word, so the classes are the words.
  return data.class_names.empty() && data.words.id(Vocabulary::kEndOfLine) > 0 ? data.words.words() : data.class_names;
}

DataSummary summarise(const Dataset& data) {
  DataSummary summary{.schema = data.train.schema(), .train = {}, .dev = {}, .classes = {}, .oddities = {}};
  summary.vocabulary = data.words.size() > 1 ? data.words.size() : 0;
  summary.classes = names_of_classes(data);
  const auto classes = static_cast<std::size_t>(data.rows("label"));
  summary.classes.resize(std::min(classes, summary.classes.size()));
  while (summary.classes.size() < classes) summary.classes.push_back(fmt::format("{}", summary.classes.size()));
  summary.train = summarise(data.train, classes, summary.vocabulary > 0, data.port_words);
  if (data.dev.size() > 0) summary.dev = summarise(data.dev, classes, summary.vocabulary > 0, data.port_words);
  summary.oddities = find_oddities(data, summary);
  return summary;
}

}  // namespace cavs::inline v0_1
