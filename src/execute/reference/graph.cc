#include "execute/reference/graph.h"

#include "support/check.h"

namespace cavs::reference {

Graph::Graph(const Minibatch& minibatch, std::span<const Function> functions, std::span<const float* const> pulls)
    : data_(*minibatch.bound), graphs_(data_.graphs()), functions_(functions), pulls_(pulls) {
  for (const TypeProgram& type : data_.program().types) first_edge_.push_back(type.first_edge_slot);
  for (const std::int32_t sample : minibatch.samples) {
    const std::int64_t begin = graphs_.vertex_begin()[sample], end = graphs_.vertex_begin()[sample + 1];
    for (std::int64_t source = begin; source < end; ++source)
      places_.push_back({sample, vertices() - static_cast<std::int32_t>(source - begin), source});
  }
  CAVS_ASSERT(vertices() == minibatch.vertices());
  std::vector<char> placed(places_.size(), 0);
  for (std::int32_t v = 0; v < vertices(); ++v) place_children_first(v, placed);
}

/// Appends the vertices below `root` to the order, children first. Uses a stack of its own, since chains may be long.
void Graph::place_children_first(std::int32_t root, std::vector<char>& placed) {
  struct Visit {
    std::int32_t vertex, next_slot;
  };
  std::vector<Visit> path{{root, 0}};
  while (!path.empty()) {
    auto& [vertex, slot] = path.back();
    if (placed[vertex] == 0 && slot < slots(vertex)) {
      if (const std::int32_t below = child(vertex, slot++); below >= 0) path.push_back({below, 0});
      continue;
    }
    if (placed[vertex] == 0) order_.push_back(vertex);
    placed[vertex] = 1;
    path.pop_back();
  }
}

std::int32_t Graph::slots(std::int32_t vertex) const {
  const std::int64_t source = places_[vertex].source;
  return static_cast<std::int32_t>(graphs_.child_begin()[source + 1] - graphs_.child_begin()[source]);
}

std::int64_t Graph::slot_of_data(std::int32_t vertex, std::int32_t slot) const {
  return graphs_.child_begin()[places_[vertex].source] + slot;
}

std::int32_t Graph::child(std::int32_t vertex, std::int32_t slot) const {
  if (slot >= slots(vertex)) return -1;
  const std::int32_t child = graphs_.children()[slot_of_data(vertex, slot)];
  return child < 0 ? -1 : places_[vertex].first + child;
}

std::vector<std::int32_t> Graph::edges(std::int32_t vertex) const {
  std::vector<std::int32_t> present;
  for (std::int32_t slot = first_edge_[type(vertex)]; slot < slots(vertex); ++slot)
    if (child(vertex, slot) >= 0) present.push_back(slot);
  return present;
}

std::int32_t Graph::float_port(const std::string& name) const {
  const auto& ports = data_.program().float_ports;
  std::int32_t port = 0;
  while (port < std::ssize(ports) && ports[port].name != name) ++port;
  CAVS_ASSERT(port < std::ssize(ports));
  return port;
}

std::int32_t Graph::index(std::int32_t vertex, const std::string& port) const {
  return data_.index_port(port)[places_[vertex].source];
}

std::int32_t Graph::edge_index(std::int32_t vertex, std::int32_t edge, const std::string& port) const {
  return data_.edge_index_port(port)[slot_of_data(vertex, edge)];
}

std::span<const float> Graph::row(std::int32_t vertex, const std::string& port, std::int64_t width) const {
  const std::int32_t number = float_port(port);
  const auto present = data_.float_present(number);
  const bool from_run = data_.is_run_port(port);
  const std::int64_t row = from_run ? vertex : places_[vertex].source;
  if (!present.empty() && present[row] == 0) return {};
  return {(from_run ? pulls_[number] : data_.float_port(number)) + row * width, static_cast<std::size_t>(width)};
}

std::span<const float> Graph::edge_row(std::int32_t vertex, std::int32_t edge, const std::string& port,
                                       std::int64_t width) const {
  return {data_.float_port(float_port(port)) + slot_of_data(vertex, edge) * width, static_cast<std::size_t>(width)};
}

MaskKey Graph::mask_key(std::int32_t vertex, const attr::Dropout& dropout) const {
  const auto& [sample, first, source] = places_[vertex];
  MaskKey key{.mask = static_cast<std::uint32_t>(dropout.mask + (type(vertex) << 16)),
              .sample = static_cast<std::uint32_t>(sample)};
  if (!dropout.by_sample) key.vertex = static_cast<std::uint32_t>(vertex - first);
  return key;
}

MaskKey Graph::edge_mask_key(std::int32_t vertex, std::int32_t edge, const attr::Dropout& dropout) const {
  MaskKey key = mask_key(vertex, dropout);
  const std::int64_t first = graphs_.child_begin()[graphs_.vertex_begin()[places_[vertex].sample]];
  if (key.vertex) key.vertex = static_cast<std::uint32_t>(slot_of_data(vertex, edge) - first);
  return key;
}

}  // namespace cavs::reference
