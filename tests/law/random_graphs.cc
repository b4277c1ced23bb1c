#include "law/random_graphs.h"

#include <algorithm>
#include <numeric>

namespace cavs::law {
namespace {

class GraphDrawing {
 public:
  GraphDrawing(Numbers& numbers, const LawModel& model, Family family)
      : numbers_(numbers), model_(model), family_(family) {}

  LawGraph draw(int vertices) {
    for (int v = 0; v < vertices; ++v) add_vertex(v);
    if (family_ == Family::kTree) join_roots();
    LawGraph graph = numbers_.below(3) == 0 ? shuffled() : graph_;
    for (LawVertex& v : graph) dress(v);
    return graph;
  }

 private:
  void add_vertex(int number) {
    LawVertex v;
    if (number > 0 && family_ != Family::kSingle) {
      if (family_ == Family::kChain) v.children = {number - 1};
      if (family_ == Family::kTree) take_roots(v);
      if (family_ == Family::kDag && numbers_.below(4) != 0) take_any(v, number);
    }
    v.type = type_for(v);
    roots_.push_back(number);
    graph_.push_back(std::move(v));
  }
  int arity() { return 1 + numbers_.below(numbers_.below(4) == 0 ? 5 : 2); }
  /// Makes some vertices without a parent children of v.
  void take_roots(LawVertex& v) {
    if (roots_.size() < 2 || numbers_.below(2) == 0) return;
    for (int n = arity(); n > 0 && !roots_.empty(); --n) {
      v.children.push_back(roots_.back());
      roots_.pop_back();
    }
  }
  void take_any(LawVertex& v, int number) {
    for (int n = arity(); n > 0; --n) v.children.push_back(numbers_.below(6) == 0 ? -1 : numbers_.below(number));
  }
  /// Adds a last vertex over all vertices without a parent.
  void join_roots() {
    if (roots_.size() == 1) return;
    LawVertex v;
    v.children = roots_;
    graph_.push_back(std::move(v));
  }
  /// A type whose function takes this number of children. Type 0 takes any number.
  int type_for(const LawVertex& v) {
    const int type = numbers_.below(model_.types);
    if (model_.network) return type;
    const int slots = model_.functions[type].slots;
    return slots == LawFunction::kAny || std::ssize(v.children) <= slots ? type : 0;
  }
  LawGraph shuffled() {
    const int count = static_cast<int>(graph_.size());
    std::vector<int> place(count);
    std::iota(place.begin(), place.end(), 0);
    for (int i = count - 1; i > 0; --i) std::swap(place[i], place[numbers_.below(i + 1)]);
    LawGraph graph(count);
    for (int v = 0; v < count; ++v) {
      for (int& child : graph_[v].children) child = child < 0 ? -1 : place[child];
      graph[place[v]] = graph_[v];
    }
    return graph;
  }
  int some_number(int bound, int absent_in) { return numbers_.below(absent_in) == 0 ? -1 : numbers_.below(bound); }
  void dress(LawVertex& v) {
    v.word = some_number(kWords, 5);
    v.label = some_number(kLabels, 3);
    v.box = some_number(9, 4);
    v.at = some_number(static_cast<int>(graph_.size()), 4);
    for (const int child : v.children) {
      v.relations.push_back(child < 0 ? -1 : some_number(kRelations, 4));
      v.bonds.push_back(child < 0 ? -1 : some_number(9, 4));
    }
  }

  Numbers& numbers_;
  const LawModel& model_;
  Family family_;
  LawGraph graph_;
  std::vector<int> roots_;
};

/// Element i of row `row`.
float number_of(int row, int i) { return row < 0 ? 0.0F : static_cast<float>((row * 5 + i * 3) % 9 - 4) * 0.25F; }

void add_row(std::vector<float>& values, std::vector<std::uint8_t>& present, int row, int width) {
  present.push_back(row < 0 ? 0 : 1);
  for (int i = 0; i < width; ++i) values.push_back(number_of(row, i));
}

}  // namespace

std::vector<LawGraph> draw_graphs(Numbers& numbers, const LawModel& model, Family family, int size) {
  // A few chains are long, so that threads without a task compute lazy values meanwhile.
  const bool is_long = family == Family::kChain && numbers.below(3) == 0;
  std::vector<LawGraph> graphs(1 + numbers.below(is_long ? 2 : 5));
  const int most = family == Family::kSingle ? 1 : is_long ? 100 + 3 * size : 2 + size / 5;
  for (LawGraph& graph : graphs) {
    const int vertices = is_long ? most : numbers.below(5) == 0 ? 1 : 1 + numbers.below(most);
    graph = GraphDrawing(numbers, model, family).draw(vertices);
  }
  return graphs;
}

GraphSchema schema_of(const LawModel& model) {
  GraphSchema schema{.index_ports = {"word", "label", "at"},
                     .float_ports = {{"box", kBoxWidth}},
                     .edge_index_ports = {"relation"},
                     .edge_float_ports = {{"bond", kBondWidth}}};
  for (int t = 0; t < model.types; ++t) schema.types.push_back(type_name(t));
  return schema;
}

InputGraph to_input(const LawGraph& graph) {
  InputGraph input{.child_offsets = {0}};
  input.index_pulls.resize(3);
  for (auto* rows : {&input.float_pulls, &input.edge_float_pulls}) rows->resize(1);
  for (auto* present : {&input.float_present, &input.edge_float_present}) present->resize(1);
  input.edge_index_pulls.resize(1);
  for (const LawVertex& v : graph) {
    input.types.push_back(v.type);
    input.children.insert(input.children.end(), v.children.begin(), v.children.end());
    input.child_offsets.push_back(std::ssize(input.children));
    input.index_pulls[0].push_back(v.word);
    input.index_pulls[1].push_back(v.label);
    input.index_pulls[2].push_back(v.at);
    add_row(input.float_pulls[0], input.float_present[0], v.box, kBoxWidth);
    for (std::size_t k = 0; k < v.children.size(); ++k) {
      input.edge_index_pulls[0].push_back(v.relations[k]);
      add_row(input.edge_float_pulls[0], input.edge_float_present[0], v.bonds[k], kBondWidth);
    }
  }
  return input;
}

GraphSet to_set(const LawModel& model, const std::vector<LawGraph>& graphs) {
  GraphSet set(schema_of(model));
  for (const LawGraph& graph : graphs) set.add(to_input(graph));
  return set;
}

namespace {

void erase_slot(LawVertex& v, std::size_t slot) {
  for (auto* numbers : {&v.children, &v.relations, &v.bonds})
    numbers->erase(numbers->begin() + static_cast<std::ptrdiff_t>(slot));
}

}  // namespace

LawGraph without_vertex(const LawGraph& graph, int vertex) {
  LawGraph smaller = graph;
  const std::vector<int>& below = graph[vertex].children;
  const int instead = below.empty() ? -1 : below[0];
  smaller.erase(smaller.begin() + vertex);
  for (LawVertex& v : smaller) {
    v.at = v.at == vertex ? -1 : v.at > vertex ? v.at - 1 : v.at;
    for (std::size_t k = v.children.size(); k-- > 0;) {
      int& child = v.children[k];
      const bool is_gone = child == vertex && instead < 0;
      if (child == vertex) child = instead;
      if (child > vertex) --child;
      if (is_gone) erase_slot(v, k);
    }
  }
  return smaller;
}

}  // namespace cavs::law
