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

namespace cavs::inline v0_1 {
namespace {

using Port = JsonlLine::Port;

const char* what(bool names) { return names ? "names" : "numbers"; }

std::string place(const std::string& name, std::int64_t line) { return fmt::format("{}:{}", name, line); }

/// Moves the name `first` to the front, so that trees written as JSON have the schema of trees.
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

/// Derives the ports from the first line; all other lines must have the same ports. If all entries of a port in the
/// first line are null, a later line decides the port's kind and width.
void derive_ports(const std::vector<JsonlLine>& lines, const std::string& name, std::vector<Port> JsonlLine::*ports_of,
                  std::vector<std::string>& index_ports, std::vector<GraphSchema::FloatPort>& float_ports) {
  std::map<std::string_view, const Port*> ports;
  for (const Port& port : lines.front().*ports_of) ports.emplace(port.name, &port);
  for (const JsonlLine& line : lines)
    for (const Port& port : line.*ports_of)
      if (const auto known = ports.find(port.name); known != ports.end())
        if (known->second->kind == Port::Kind::kUnknown) known->second = &port;
  for (const auto& [port_name, port] : ports) {
    if (port->kind == Port::Kind::kUnknown)
      user_error("{}: {} port '{}' has no {} in any line; expected at least one", place(name, lines.front().line),
                 ports_of == &JsonlLine::ports ? "float" : "edge", excerpt(port_name),
                 ports_of == &JsonlLine::ports ? "row" : "entry");
    if (port->kind == Port::Kind::kFloat)
      float_ports.push_back({std::string(port_name), port->width});
    else
      index_ports.emplace_back(port_name);
  }
}

GraphSchema derive_schema(const std::vector<JsonlLine>& lines, const std::string& name) {
  GraphSchema schema;
  schema.types = derive_types(lines);
  derive_ports(lines, name, &JsonlLine::ports, schema.index_ports, schema.float_ports);
  derive_ports(lines, name, &JsonlLine::edge_ports, schema.edge_index_ports, schema.edge_float_ports);
  schema.index_ports.insert(schema.index_ports.begin(), "label");
  put_first(schema.index_ports, "word");
  return schema;
}

/// Returns the words that the ids of a port denote; null if they denote none.
const Vocabulary* words_at(const std::string& port, const KnownNames& known) {
  if (port == "word") return known.words;
  if (port == "label" || known.ports == nullptr) return nullptr;
  const auto found = known.ports->find(port);
  return found == known.ports->end() ? nullptr : &found->second;
}

/// Returns the id of each name in `names`. Unknown words have the id of "<unk>", other unknown names -1.
std::vector<std::int32_t> ids_of(const NameTable& names, const std::string& port, const KnownNames& known) {
  if (port == "label" && known.class_names != nullptr) return class_ids(names, *known.class_names);
  if (known.edges != nullptr)
    if (const auto classes = known.edges->find(port); classes != known.edges->end())
      return class_ids(names, classes->second);
  std::vector<std::int32_t> ids(names.size(), -1);
  if (const Vocabulary* words = words_at(port, known); words != nullptr)
    for (std::int32_t n = 0; n < names.size(); ++n) ids[n] = words->id(names.name(n));
  return ids;
}

/// Converts lines to graphs of one schema. @throws UserError, with the line, for a line that does not fit.
class LineFitter {
 public:
  LineFitter(const GraphSchema& schema, bool types_given, const std::string& name, const PortNames& names,
             const KnownNames& known)
      : schema_(schema), types_given_(types_given), name_(name), names_(names), known_(known) {
    for (const auto& [port, table] : names) ids_.emplace(port, ids_of(table, port, known));
    for (std::size_t i = 0; i < schema.types.size(); ++i)
      type_ids_.emplace(schema.types[i], static_cast<std::int32_t>(i));
    for (const std::string& port : schema.index_ports)
      if (port != "label") known_ports_.insert(port);
    for (const auto& port : schema.float_ports) known_ports_.insert(port.name);
    for (const std::string& port : schema.edge_index_ports) known_edge_ports_.insert(port);
    for (const auto& port : schema.edge_float_ports) known_edge_ports_.insert(port.name);
  }

  InputGraph fit(JsonlLine&& line) const {
    const std::string where = place(name_, line.line);
    InputGraph graph;
    fit_types(line, graph, where);
    const Ports ports = ports_of(line.ports, known_ports_, where);
    const Ports edges = ports_of(line.edge_ports, known_edge_ports_, where);
    fit_index_ports(line, ports, graph, where);
    for (const auto& port : schema_.float_ports)
      fit_float_port(find(ports, "pull", port.name, where), port, graph.float_pulls, graph.float_present, where);
    for (const std::string& name : schema_.edge_index_ports)
      graph.edge_index_pulls.push_back(numbers_of(find(edges, "edges", name, where), "child", where));
    for (const auto& port : schema_.edge_float_ports)
      fit_float_port(find(edges, "edges", port.name, where), port, graph.edge_float_pulls, graph.edge_float_present,
                     where);
    graph.child_offsets = std::move(line.child_offsets);
    graph.children = std::move(line.children);
    return graph;
  }

 private:
  using Ports = std::unordered_map<std::string_view, Port*>;

  /// Returns the ports of a line by name. Reports a misspelt port before the port that is missing because of it.
  Ports ports_of(std::vector<Port>& of_line, const std::unordered_set<std::string_view>& known,
                 const std::string& where) const {
    Ports ports;
    for (Port& port : of_line) {
      ports.emplace(port.name, &port);
      if (!known.contains(port.name)) report_unknown_port(port.name, known, where);
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
      if (name == "label" && !line.has_label) line.label.indices.assign(line.child_offsets.size() - 1, -1);
      Port& port = name == "label" ? line.label : find(ports, "pull", name, where);
      graph.index_pulls.push_back(numbers_of(port, "vertex", where));
    }
  }

  std::vector<std::int32_t> numbers_of(Port& port, const char* each, const std::string& where) const {
    user_check(port.kind != Port::Kind::kFloat, "{}: port '{}' has no integers; expected one index per {}", where,
               port.name, each);
    if (port.kind == Port::Kind::kName) number_names(port, where);
    return std::move(port.indices);
  }

  void number_names(Port& port, const std::string& where) const {
    const NameTable& table = names_.find(port.name)->second;
    const std::vector<std::int32_t>& ids = ids_.find(port.name)->second;
    for (std::int32_t& index : port.indices) {
      if (index < 0) continue;
      if (ids[index] < 0) report_unknown_name(port.name, table.name(index), where);
      index = ids[index];
    }
  }

  static void fit_float_port(Port& port, const GraphSchema::FloatPort& as, std::vector<std::vector<float>>& pulls,
                             std::vector<std::vector<std::uint8_t>>& presence, const std::string& where) {
    if (port.kind == Port::Kind::kUnknown) {
      pulls.emplace_back(port.indices.size() * static_cast<std::size_t>(as.width), 0.0F);
      presence.emplace_back(port.indices.size(), 0);
      return;
    }
    user_check(port.kind == Port::Kind::kFloat, "{}: port '{}' has {}; expected arrays of {} numbers", where, as.name,
               port.kind == Port::Kind::kName ? "names" : "integers", as.width);
    user_check(port.width == as.width, "{}: port '{}' has rows of {} numbers; expected {}", where, as.name, port.width,
               as.width);
    std::vector<float> rows(port.present.size() * static_cast<std::size_t>(as.width), 0.0F);
    auto source = port.rows.begin();
    for (std::size_t v = 0; v < port.present.size(); ++v)
      if (port.present[v] != 0) {
        std::copy_n(source, as.width, rows.begin() + static_cast<std::ptrdiff_t>(v) * as.width);
        source += as.width;
      }
    pulls.push_back(std::move(rows));
    presence.push_back(std::move(port.present));
  }

  static Port& find(const Ports& ports, const char* key, const std::string& name, const std::string& where) {
    const auto port = ports.find(name);
    user_check(port != ports.end(), "{}: {} has no port '{}'; expected it in every line", where, key, name);
    return *port->second;
  }

  [[noreturn]] void report_unknown_port(const std::string& port, const std::unordered_set<std::string_view>& of_key,
                                        const std::string& where) const {
    const bool of_edges = &of_key == &known_edge_ports_;
    std::vector<std::string> known = of_edges ? schema_.edge_index_ports : schema_.index_ports;
    for (const auto& each : of_edges ? schema_.edge_float_ports : schema_.float_ports) known.push_back(each.name);
    user_error("{}: unknown port '{}'{}; {}", where, excerpt(port), of_edges ? " in edges" : "", suggest(port, known));
  }

  [[noreturn]] void report_unknown_name(const std::string& port, const std::string& name,
                                        const std::string& where) const {
    if (port == "label" && known_.class_names != nullptr)
      user_error("{}: the model does not know the label '{}'; {}", where, excerpt(name),
                 suggest(name, *known_.class_names));
    user_check(port != "label",
               "{}: the label '{}' is a name, but the classes of the model have no names; expected numbers from 0",
               where, excerpt(name));
    if (known_edge_ports_.contains(port)) report_unknown_edge_name(port, name, where);
    user_check(port != "word", "{}: the word '{}' is text, but the model has no vocabulary; expected numbers from 0",
               where, excerpt(name));
    user_error("{}: port '{}' has the name '{}', but only numbers are known there; expected numbers from 0", where,
               excerpt(port), excerpt(name));
  }

  [[noreturn]] void report_unknown_edge_name(const std::string& port, const std::string& name,
                                             const std::string& where) const {
    if (known_.edges != nullptr)
      if (const auto known = known_.edges->find(port); known != known_.edges->end())
        user_error("{}: edge port '{}' has the unknown name '{}'; {}", where, port, excerpt(name),
                   suggest(name, known->second));
    user_error("{}: edge port '{}' has the name '{}', but there are no names to look it up in; expected numbers from 0",
               where, port, excerpt(name));
  }

  const GraphSchema& schema_;
  bool types_given_;
  const std::string& name_;
  const PortNames& names_;
  const KnownNames& known_;
  std::map<std::string, std::vector<std::int32_t>, std::less<>> ids_;  // by port: [names] id of each name
  std::map<std::string, std::int32_t, std::less<>> type_ids_;
  std::unordered_set<std::string_view> known_ports_, known_edge_ports_;
};

}  // namespace

InputGraph parse_jsonl_graph(std::string_view text, const std::string& name, std::int64_t number,
                             const GraphSchema& schema, const KnownNames& known) {
  PortNames names;
  JsonlLine line = parse_jsonl_line(checked_text(text, name, number), place(name, number), names);
  line.line = number;
  const bool types_given = schema.types.size() > 1 || line.has_types;
  return LineFitter(schema, types_given, name, names, known).fit(std::move(line));
}

JsonlText::JsonlText(std::string_view text, std::string name) : name_(std::move(name)) {
  std::int64_t number = 1;
  for (text = checked_text(text, name_); !text.empty(); ++number) {
    const std::string_view line = take_part(text, '\n');
    if (line.find_first_not_of(" \t\r\v\f") == line.npos) continue;
    lines_.push_back(parse_jsonl_line(line, place(name_, number), names_));
    lines_.back().line = number;
    note_kind(lines_.back().label, number);
    for (const Port& port : lines_.back().ports) note_kind(port, number);
    for (const Port& port : lines_.back().edge_ports) note_kind(port, number);
  }
  user_check(!lines_.empty(), "{}:{}: no graph; expected a line such as {}, found the end of the text", name_, number,
             R"({"children":[[],[],[0,1]]})");
}

void JsonlText::note_kind(const JsonlLine::Port& port, std::int64_t line) {
  if (port.kind != Port::Kind::kIndex && port.kind != Port::Kind::kName) return;
  const Written written{port.kind == Port::Kind::kName, line};
  const Written& first = written_.emplace(port.name, written).first->second;
  user_check(first.names == written.names, "{}:{}: '{}' has {}, but line {} has {}; expected one or the other", name_,
             line, excerpt(port.name), what(written.names), first.line, what(first.names));
}

void JsonlText::expect_same_kinds(const JsonlText& other) const {
  for (const auto& [port, written] : written_) {
    const auto theirs = other.written_.find(port);
    if (theirs == other.written_.end()) continue;
    user_check(written.names == theirs->second.names, "{}:{}: '{}' has {}, but {}:{} has {}; expected one or the other",
               name_, written.line, excerpt(port), what(written.names), other.name_, theirs->second.line,
               what(theirs->second.names));
  }
}

const NameTable* JsonlText::names(std::string_view port) const {
  const auto table = names_.find(port);
  return table == names_.end() ? nullptr : &table->second;
}

GraphSchema JsonlText::schema() const { return derive_schema(lines_, name_); }

GraphSet JsonlText::to_graphs(const GraphSchema& schema, const KnownNames& known, const GraphLimits& limits,
                              std::int64_t limit) {
  GraphSet graphs(schema, limits);
  const bool types_given = lines_.front().has_types || schema.types.size() > 1;
  LineFitter fitter(schema, types_given, name_, names_, known);
  if (limit > 0 && limit < static_cast<std::int64_t>(lines_.size())) lines_.resize(limit);
  for (JsonlLine& line : lines_) {
    const std::string where = place(name_, line.line);
    graphs.add(fitter.fit(std::move(line)), where);
    line = JsonlLine{};  // free the arrays, which have been copied, before the next line
  }
  return graphs;
}

GraphSet parse_jsonl(std::string_view text, const std::string& name, const JsonlOptions& options) {
  JsonlText lines(text, name);
  return lines.to_graphs(options.schema != nullptr ? *options.schema : lines.schema(),
                         {options.words, options.class_names, options.port_words, options.edge_names}, options.limits,
                         options.limit);
}

}  // namespace cavs::inline v0_1
