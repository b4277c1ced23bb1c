#include "layout/variables.h"

#include <algorithm>
#include <set>

#include "compile/domains.h"
#include "ir/op.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

std::int32_t columns_of(const Node& node) { return static_cast<std::int32_t>(node.shape.size()); }

bool has_memory(const Node& node) {
  return node.op->kind != OpKind::kSink && !node.is_index && !node.is(OpId::kConstant);
}

}  // namespace

Variables::Variables(std::span<const Function* const> functions, std::span<const std::string> parameters)
    : functions_(functions.begin(), functions.end()), parameters_(parameters.begin(), parameters.end()) {
  std::map<Key, std::set<std::int32_t>> cuts;  // by owner: columns at which a value within it begins or ends
  std::map<Key, Key> first_node;               // by owner: the first function that has it, and its value there
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(functions_.size()); ++t) {
    place_values(*functions_[t]);
    for (ValueId id = 0; id < functions_[t]->forward; ++id) {
      const Place& place = places_[t][id];
      if (place.owner < 0) continue;
      const Key key = key_of(t, place.owner);
      cuts[key].insert({place.begin, place.begin + place.width});
      first_node.emplace(key, Key{t, place.owner});
    }
  }
  std::map<std::pair<std::int32_t, std::string>, std::int32_t> storages;
  for (const auto& [key, columns] : cuts) {  // parameters come first
    const auto [t, value] = first_node[key];
    const std::string domain = key.first < 0 ? "" : to_string(functions_[t]->nodes[value].domain);
    const std::int32_t storage = storages.emplace(std::pair(key.first, domain), storages.size()).first->second;
    std::vector<std::int32_t>& own = variables_of_[key];
    for (auto begin = columns.begin(), end = std::next(begin); end != columns.end(); ++begin, ++end) {
      own.push_back(static_cast<std::int32_t>(variables_.size()));
      variables_.push_back({t, value, *begin, *end - *begin, storage, key.first < 0});
    }
    if (own.size() > 1) records_.push_back(own);
  }
}

std::int32_t Variables::parameter(const std::string& name) const {
  const auto it = std::find(parameters_.begin(), parameters_.end(), name);
  CAVS_ASSERT(it != parameters_.end());
  return static_cast<std::int32_t>(it - parameters_.begin());
}

Variables::Key Variables::key_of(std::int32_t function, ValueId owner) const {
  const Node& node = functions_[function]->nodes[owner];
  return node.is(OpId::kParameter) ? Key{-1, parameter(node.attribute_name())} : Key{function, owner};
}

void Variables::place_values(const Function& f) {
  std::vector<Place>& places = places_.emplace_back(f.nodes.size());
  place_concats(f, places);
  for (ValueId id = 0; id < f.forward; ++id) {
    const Node& node = f.nodes[id];
    if (places[id].owner >= 0 || !has_memory(node)) continue;
    places[id].owner = id;
    places[id].width = columns_of(node);
    if (node.op->kind != OpKind::kView) continue;
    const Place& base = places[node.in[0]];
    std::int32_t begin = base.begin;
    if (node.is(OpId::kSlice)) begin += node.get<attr::Columns>().begin;
    if (node.is(OpId::kPart)) begin += node.get<attr::Part>().index * columns_of(node);
    places[id] = {base.owner, begin, columns_of(node)};
  }
}

/// Finds concats that are written in place: all inputs are computed, for this concat alone. Outer concats come first.
void Variables::place_concats(const Function& f, std::vector<Place>& places) const {
  for (ValueId id = f.forward; id-- > 0;) {
    const Node& node = f.nodes[id];
    if (node.op->kind != OpKind::kConcat) continue;
    const std::set<ValueId> inputs(node.in.begin(), node.in.end());
    places[id].parts_in_place =
        inputs.size() == node.in.size() && std::all_of(inputs.begin(), inputs.end(), [&](ValueId input) {
          return is_computed(f.nodes[input]) && places[input].owner < 0 && f.nodes[input].domain == node.domain;
        });
    if (places[id].owner < 0) {
      places[id].owner = id;
      places[id].width = columns_of(node);
    }
    if (!places[id].parts_in_place) continue;
    std::int32_t begin = places[id].begin;
    for (ValueId input : node.in) {
      places[input] = {places[id].owner, begin, columns_of(f.nodes[input])};
      begin += columns_of(f.nodes[input]);
    }
  }
}

std::vector<std::int32_t> Variables::of(std::int32_t function, ValueId value) const {
  const Place& place = places_[function][value];
  std::vector<std::int32_t> variables;
  if (place.owner < 0) return variables;
  for (std::int32_t variable : variables_of_.at(key_of(function, place.owner)))
    if (variables_[variable].begin >= place.begin && variables_[variable].begin < place.begin + place.width)
      variables.push_back(variable);
  return variables;
}

}  // namespace cavs::inline v0_1
