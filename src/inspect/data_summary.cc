#include "inspect/data_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cavs/vocabulary.h"

namespace cavs {
namespace {

/// The values at a port of the schema; empty where there is none of this name.
std::span<const std::int32_t> index_port(const GraphSet& graphs, std::string_view name) {
  const auto& ports = graphs.schema().index_ports;
  const auto at = std::ranges::find(ports, name);
  return at == ports.end() ? std::span<const std::int32_t>() : graphs.index_pulls(at - ports.begin());
}

std::vector<PortSummary> ports_of(const GraphSet& graphs, const PortWords& port_words) {
  std::vector<PortSummary> ports;
  const GraphSchema& schema = graphs.schema();
  const auto add_index = [&](const std::string& name, std::span<const std::int32_t> values, bool of_edges) {
    ports.push_back({name, 0, std::ranges::count_if(values, [](std::int32_t value) { return value >= 0; }),
                     values.empty() ? -1 : *std::ranges::max_element(values), of_edges});
  };
  const auto add_float = [&](const GraphSchema::FloatPort& port, std::span<const std::uint8_t> present, bool of_edges) {
    ports.push_back({port.name, port.width, std::ranges::count(present, 1), 0, of_edges});
  };
  for (std::size_t p = 0; p < schema.index_ports.size(); ++p) {
    add_index(schema.index_ports[p], graphs.index_pulls(p), false);
    if (const auto words = port_words.find(schema.index_ports[p]); words != port_words.end())
      ports.back().vocabulary = words->second.size(),
      ports.back().unknown = std::ranges::count(graphs.index_pulls(p), 0);
  }
  for (std::size_t p = 0; p < schema.float_ports.size(); ++p)
    add_float(schema.float_ports[p], graphs.float_present(p), false);
  for (std::size_t p = 0; p < schema.edge_index_ports.size(); ++p)
    add_index(schema.edge_index_ports[p], graphs.edge_index_pulls(p), true);
  for (std::size_t p = 0; p < schema.edge_float_ports.size(); ++p)
    add_float(schema.edge_float_ports[p], graphs.edge_float_present(p), true);
  return ports;
}

void measure_samples(const GraphSet& graphs, PartSummary& part) {
  const auto labels = index_port(graphs, "label");
  std::vector<std::int64_t> sizes, depths;
  for (std::int32_t s = 0; s < graphs.size(); ++s) {
    const std::int64_t begin = graphs.vertex_begin()[s], size = graphs.vertex_begin()[s + 1] - begin;
    sizes.push_back(size);
    depths.push_back(*std::ranges::max_element(graphs.levels().subspan(begin, size)));
    const bool labelled =
        !labels.empty() && std::ranges::any_of(labels.subspan(begin, size), [](auto label) { return label >= 0; });
    part.unlabelled_samples += labelled ? 0 : 1;
  }
  part.sizes = spread_of(std::move(sizes)), part.depths = spread_of(std::move(depths));
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
  part.samples = graphs.size(), part.vertices = graphs.vertices();
  part.edges = static_cast<std::int64_t>(graphs.parents().size());
  measure_samples(graphs, part);
  measure_vertices(graphs, part);
  part.ports = ports_of(graphs, port_words);
  part.labels.assign(classes, 0);
  for (const std::int32_t label : index_port(graphs, "label"))
    if (label >= 0) ++part.labels[label];
  part.labelled = std::reduce(part.labels.begin(), part.labels.end());
  for (const std::int32_t word : index_port(graphs, "word"))
    if (word >= 0) ++part.words, part.unknown_words += knows_words && word == 0 ? 1 : 0;
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
  // Of text the next word is the class.
  return data.tags.empty() && data.words.id(Vocabulary::kEndOfLine) > 0 ? data.words.words() : data.tags;
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

}  // namespace cavs
