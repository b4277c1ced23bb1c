#include <algorithm>
#include <set>
#include <string_view>

#include "cavs/graph.h"
#include "support/check.h"
#include "support/parse_number.h"

namespace cavs::inline v0_1 {
namespace {

struct TextGraph {
  std::vector<std::int32_t> numbers;                         // of vertices; ascending and distinct
  std::vector<std::pair<std::int32_t, std::int32_t>> edges;  // (child, parent), in the order of the text
};

std::int32_t vertex_number(std::string_view text, std::string_view item, const std::string& where) {
  const auto number = parse_number<std::int32_t>(text);
  user_check(number && *number >= 0, "{}: expected a vertex number such as 3, or an edge such as 0>2; found '{}'",
             where, item);
  return *number;
}

TextGraph parse_graph(std::string_view text, const std::string& where) {
  TextGraph graph;
  constexpr std::string_view kSpace = " \t\r\n";
  for (auto at = text.find_first_not_of(kSpace); at != text.npos; at = text.find_first_not_of(kSpace, at)) {
    const auto end = std::min(text.find_first_of(kSpace, at), text.size());
    const std::string_view item = text.substr(at, end - at);
    const auto arrow = item.find('>');
    graph.numbers.push_back(vertex_number(item.substr(0, arrow), item, where));
    if (arrow != item.npos) {
      graph.numbers.push_back(vertex_number(item.substr(arrow + 1), item, where));
      graph.edges.emplace_back(graph.numbers[graph.numbers.size() - 2], graph.numbers.back());
    }
    at = end;
  }
  std::sort(graph.numbers.begin(), graph.numbers.end());
  graph.numbers.erase(std::unique(graph.numbers.begin(), graph.numbers.end()), graph.numbers.end());
  return graph;
}

InputGraph to_input_graph(const TextGraph& text) {
  const auto local = [&](std::int32_t number) {
    return std::lower_bound(text.numbers.begin(), text.numbers.end(), number) - text.numbers.begin();
  };
  std::vector<std::vector<std::int32_t>> children(text.numbers.size());
  for (auto [child, parent] : text.edges) children[local(parent)].push_back(static_cast<std::int32_t>(local(child)));
  InputGraph graph;
  graph.types.assign(text.numbers.size(), 0);
  graph.child_offsets.push_back(0);
  for (const auto& list : children) {
    graph.children.insert(graph.children.end(), list.begin(), list.end());
    graph.child_offsets.push_back(std::ssize(graph.children));
  }
  return graph;
}

}  // namespace

GraphSet graphs_from_text(const std::string& text) {
  GraphSet graphs(GraphSchema{.types = {"vertex"}, .index_ports = {}, .float_ports = {}});
  std::set<std::int32_t> seen;
  std::string_view rest = text;
  for (;;) {
    const auto bar = rest.find('|');
    const std::string where = fmt::format("text graph {}", graphs.size());
    const TextGraph graph = parse_graph(rest.substr(0, bar), where);
    for (std::int32_t number : graph.numbers)
      user_check(seen.insert(number).second, "{}: vertex {} is also in an earlier graph; numbers are global", where,
                 number);
    graphs.add(to_input_graph(graph), where);
    if (bar == rest.npos) return graphs;
    rest.remove_prefix(bar + 1);
  }
}

}  // namespace cavs::inline v0_1
