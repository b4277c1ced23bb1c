#include "data/jsonl.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "cavs/readers.h"
#include "data/jsonl_line.h"
#include "data/text.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs {
namespace {

using Port = JsonlLine::Port;

std::string place(const std::string& name, std::int64_t line) { return fmt::format("{}:{}", name, line); }

std::vector<JsonlLine> parse_lines(std::string_view text, const std::string& name) {
  std::vector<JsonlLine> lines;
  std::int64_t number = 1;
  for (text = checked_text(text, name); !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r\v\f") == line.npos) continue;
    lines.push_back(parse_jsonl_line(line, place(name, number)));
    lines.back().line = number;
  }
  user_check(!lines.empty(), "{}:{}: no graph; expected a line such as {}, found the end of the text", name, number,
             R"({"children":[[],[],[0,1]]})");
  return lines;
}

/// The canonical names first, so that trees written as JSON have the schema of trees.
void put_first(std::vector<std::string>& names, std::string_view first) {
  const auto at = std::find(names.begin(), names.end(), first);
  if (at != names.end()) std::rotate(names.begin(), at, at + 1);
}

std::vector<std::string> derive_types(const std::vector<JsonlLine>& lines) {
  if (!lines.front().has_types) return {"vertex"};
  std::vector<std::string> types;
  std::map<std::string, int, std::less<>> seen;
  for (const JsonlLine& line : lines)
    for (const std::string& type : line.types)
      if (seen.emplace(type, 0).second) types.push_back(type);
  if (seen.contains("leaf") != seen.contains("inner")) types.push_back(seen.contains("leaf") ? "inner" : "leaf");
  put_first(types, "inner");
  put_first(types, "leaf");
  return types;
}

/// Ports of the first line, which every other one must have, too; a float port whose rows are all null there takes its
/// width from a later line.
GraphSchema derive_schema(const std::vector<JsonlLine>& lines, const std::string& name) {
  GraphSchema schema;
  schema.types = derive_types(lines);
  std::map<std::string_view, const Port*> ports;
  for (const Port& port : lines.front().ports) ports.emplace(port.name, &port);
  for (const JsonlLine& line : lines)
    for (const Port& port : line.ports)
      if (const auto known = ports.find(port.name); known != ports.end())
        if (known->second->kind == Port::Kind::kUnknown) known->second = &port;
  for (const auto& [port_name, port] : ports) {
    user_check(port->kind != Port::Kind::kUnknown, "{}: float port '{}' has no row in any line; expected at least one",
               place(name, lines.front().line), excerpt(port_name));
    if (port->kind == Port::Kind::kIndex)
      schema.index_ports.emplace_back(port_name);
    else
      schema.float_ports.push_back({std::string(port_name), port->width});
  }
  schema.index_ports.insert(schema.index_ports.begin(), "label");
  put_first(schema.index_ports, "word");
  return schema;
}

/// Puts lines into the shape of one schema; what does not fit is an error that names the line.
class LineFitter {
 public:
  LineFitter(const GraphSchema& schema, bool types_given, const std::string& name)
      : schema_(schema), types_given_(types_given), name_(name) {
    for (std::size_t i = 0; i < schema.types.size(); ++i)
      type_ids_.emplace(schema.types[i], static_cast<std::int32_t>(i));
    for (const std::string& port : schema.index_ports)
      if (port != "label") known_ports_.insert(port);
    for (const auto& port : schema.float_ports) known_ports_.insert(port.name);
  }

  InputGraph fit(JsonlLine&& line) const {
    const std::string where = place(name_, line.line);
    InputGraph graph;
    fit_types(line, graph, where);
    const Ports ports = ports_of(line, where);
    fit_index_ports(line, ports, graph, where);
    for (const auto& port : schema_.float_ports) fit_float_port(find(ports, port.name, where), port, graph, where);
    graph.child_offsets = std::move(line.child_offsets);
    graph.children = std::move(line.children);
    return graph;
  }

 private:
  using Ports = std::unordered_map<std::string_view, Port*>;

  /// By name: a line may have very many. A misspelt one is told before the one that is missing for it.
  Ports ports_of(JsonlLine& line, const std::string& where) const {
    Ports ports;
    for (Port& port : line.ports) {
      ports.emplace(port.name, &port);
      if (!known_ports_.contains(port.name)) report_unknown_port(port.name, where);
    }
    return ports;
  }

  void fit_types(const JsonlLine& line, InputGraph& graph, const std::string& where) const {
    const std::size_t vertices = line.child_offsets.size() - 1;
    if (!line.has_types && types_given_)
      user_error("{}: key 'types' is missing; expected a type for every vertex; {}", where, suggest("", schema_.types));
    user_check(!line.has_types || types_given_,
               "{}: found key 'types', but earlier lines have none; expected it in all lines or in none", where);
    graph.types.assign(vertices, 0);
    for (std::size_t v = 0; v < line.types.size(); ++v) {
      const auto type = type_ids_.find(line.types[v]);
      if (type == type_ids_.end())
        user_error("{}: vertex {} has the unknown type '{}'; {}", where, v, excerpt(line.types[v]),
                   suggest(line.types[v], schema_.types));
      graph.types[v] = type->second;
    }
  }

  void fit_index_ports(JsonlLine& line, const Ports& ports, InputGraph& graph, const std::string& where) const {
    for (const std::string& name : schema_.index_ports) {
      if (name == "label") {
        if (!line.has_label) line.label.assign(line.child_offsets.size() - 1, -1);
        graph.index_pulls.push_back(std::move(line.label));
        continue;
      }
      Port& port = find(ports, name, where);
      user_check(port.kind == Port::Kind::kIndex, "{}: port '{}' has no integers; expected one index a vertex", where,
                 name);
      graph.index_pulls.push_back(std::move(port.indices));
    }
  }

  static void fit_float_port(Port& port, const GraphSchema::FloatPort& as, InputGraph& graph,
                             const std::string& where) {
    user_check(port.kind != Port::Kind::kIndex, "{}: port '{}' has integers; expected arrays of {} numbers", where,
               as.name, as.width);
    user_check(port.width == as.width || port.kind == Port::Kind::kUnknown,
               "{}: port '{}' has rows of {} numbers; expected {}", where, as.name, port.width, as.width);
    std::vector<float> rows(port.present.size() * static_cast<std::size_t>(as.width), 0.0F);
    auto source = port.rows.begin();
    for (std::size_t v = 0; v < port.present.size(); ++v)
      if (port.present[v] != 0) {
        std::copy_n(source, as.width, rows.begin() + static_cast<std::ptrdiff_t>(v) * as.width);
        source += as.width;
      }
    graph.float_pulls.push_back(std::move(rows));
    graph.float_present.push_back(std::move(port.present));
  }

  static Port& find(const Ports& ports, const std::string& name, const std::string& where) {
    const auto port = ports.find(name);
    user_check(port != ports.end(), "{}: pull has no port '{}'; expected it in every line", where, name);
    return *port->second;
  }

  [[noreturn]] void report_unknown_port(const std::string& port, const std::string& where) const {
    std::vector<std::string> known = schema_.index_ports;
    for (const auto& each : schema_.float_ports) known.push_back(each.name);
    user_error("{}: unknown port '{}'; {}", where, excerpt(port), suggest(port, known));
  }

  const GraphSchema& schema_;
  bool types_given_;
  const std::string& name_;
  std::map<std::string, std::int32_t, std::less<>> type_ids_;
  std::unordered_set<std::string_view> known_ports_;
};

}  // namespace

InputGraph parse_jsonl_graph(std::string_view text, const std::string& name, std::int64_t number,
                             const GraphSchema& schema) {
  JsonlLine line = parse_jsonl_line(checked_text(text, name, number), place(name, number));
  line.line = number;
  const bool types_given = schema.types.size() > 1 || line.has_types;
  return LineFitter(schema, types_given, name).fit(std::move(line));
}

GraphSet parse_jsonl(std::string_view text, const std::string& name, const JsonlOptions& options) {
  std::vector<JsonlLine> lines = parse_lines(text, name);
  GraphSet graphs(options.schema != nullptr ? *options.schema : derive_schema(lines, name), options.limits);
  const bool types_given = lines.front().has_types || graphs.schema().types.size() > 1;
  const LineFitter fitter(graphs.schema(), types_given, name);
  if (options.limit > 0 && options.limit < static_cast<std::int64_t>(lines.size())) lines.resize(options.limit);
  for (JsonlLine& line : lines) {
    const std::string where = place(name, line.line);
    graphs.add(fitter.fit(std::move(line)), where);
    line = JsonlLine{};  // its arrays are copied; give them back before the next
  }
  return graphs;
}

}  // namespace cavs
