#include "data/jsonl_line.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>

#include "data/columns.h"
#include "data/jsonl_graphs.h"
#include "data/text.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs::inline v0_1 {
namespace {

using Json = nlohmann::json;
using Port = JsonlLine::Port;

// Limits, since a table has a row for each number up to the largest, and a model has a score for each label.
constexpr std::int64_t kMaxIndex = 99'999'999, kMaxLabel = 999'999;
constexpr std::array<std::string_view, 7> kKeys{"types", "children", "pull", "label", "edges", "graphs", "top"};
constexpr std::size_t kGraphKeys = 5;  // an entry of 'graphs' may have the first five keys

void check_sizes(const JsonlLine& line, const std::string& where) {
  user_check(line.has_children, "{}: key 'children' is missing; expected an array of arrays, one per vertex", where);
  const std::size_t vertices = line.child_offsets.size() - 1;
  user_check(!line.has_types || line.types.size() == vertices,
             "{}: 'types' has {} entries; expected {}, one per vertex", where, line.types.size(), vertices);
  user_check(!line.has_label || line.label.size() == vertices,
             "{}: 'label' has {} entries; expected {}, one per vertex", where, line.label.size(), vertices);
  for (const Port& port : line.ports)
    user_check(port.size() == vertices, "{}: port '{}' has {} entries; expected {}, one per vertex", where,
               excerpt(port.name), port.size(), vertices);
}

bool has_entry(const Port& port, std::size_t at) {
  return port.kind == Port::Kind::kFloat ? port.present[at] != 0 : port.indices[at] >= 0;
}

/// Checks that an edge port has one array per vertex, with one entry for each of its children.
void check_edges(const JsonlLine& line, const std::string& where) {
  const std::size_t vertices = line.child_offsets.size() - 1;
  for (const Port& port : line.edge_ports) {
    user_check(port.ends.size() == vertices, "{}: edge port '{}' has {} arrays; expected {}, one per vertex", where,
               excerpt(port.name), port.ends.size(), vertices);
    for (std::size_t v = 0; v < vertices; ++v) {
      const std::int64_t begin = line.child_offsets[v], children = line.child_offsets[v + 1] - begin;
      const std::int32_t entries = port.ends[v] - (v == 0 ? 0 : port.ends[v - 1]);
      user_check(entries == children, "{}: edge port '{}' has {} entries at vertex {}; expected {}, one per child",
                 where, excerpt(port.name), entries, v, children);
      for (std::int32_t k = begin; k < begin + children; ++k)
        user_check(line.children[k] >= 0 || !has_entry(port, k),
                   "{}: edge port '{}' has an entry at child {} of vertex {}, but that child is absent; expected null",
                   where, excerpt(port.name), k - begin, v);
    }
  }
}

/// Handles the events of nlohmann's SAX parser, which does not recurse. The handler's position in the line is a section
/// (the current key in the object of a graph) and the number of open brackets in the section. A graph is the line
/// itself, an entry of "graphs", or "top".
class LineHandler {
 public:
  LineHandler(std::string_view text, const std::string& where, PortNames& names)
      : text_(text), where_(where), names_(names) {}

  JsonlLine take() {
    const bool several = has_key("graphs"), alone = seen_.size() == (top_ ? 2U : 1U);
    user_check(several || !top_, "{}: key 'top' without key 'graphs'; expected the graphs below the top", where_);
    user_check(!several || alone, "{}: found other keys beside 'graphs'; expected them in each graph", where_);
    if (!several) {
      check_sizes(whole_, where_);
      check_edges(whole_, where_);
    }
    if (!several) return std::move(whole_);
    for (std::size_t g = 0; g < graphs_.size(); ++g) {
      const std::string graph = fmt::format("{}: graph {}", where_, g);
      check_sizes(graphs_[g], graph);
      check_edges(graphs_[g], graph);
    }
    if (top_) check_top();
    return join_graphs(std::move(graphs_), std::move(top_), where_);
  }

  bool null() {
    if (!in_entries()) fail("null");
    if (port().kind == Port::Kind::kFloat)
      port().present.push_back(0);
    else
      port().indices.push_back(-1);
    return true;
  }
  bool boolean(bool value) { fail(value ? "true" : "false"); }
  bool number_integer(Json::number_integer_t value) {
    return in_row() ? number(static_cast<double>(value)) : integer(value);
  }
  bool number_unsigned(Json::number_unsigned_t value) {
    constexpr auto kLargest = static_cast<Json::number_unsigned_t>(std::numeric_limits<std::int64_t>::max());
    if (in_row()) return number(static_cast<double>(value));
    if (value > kLargest) fail(fmt::format("{}, which is too large", value));
    return integer(static_cast<std::int64_t>(value));
  }
  bool number_float(Json::number_float_t value, const std::string& text) {
    if (!in_row()) fail(text);
    if (std::abs(value) > std::numeric_limits<float>::max()) fail(text + ", which is too large");
    return number(value);
  }
  bool string(std::string& value) {
    if (in_entries()) return name(value);
    if (section_ != "types" || level() != 2) fail(quoted(value));
    line_->types.push_back(std::move(value));
    return true;
  }
  bool binary(Json::binary_t&) { fail("binary data"); }

  bool start_object(std::size_t) {
    if (line_ == &whole_ && depth_ == 2 && section_ == "graphs")
      open_graph(graphs_.emplace_back());
    else if (line_ == &whole_ && depth_ == 1 && section_ == "top")
      open_graph(top_.emplace());
    else if (depth_ != 0 && !(level() == 1 && has_ports()))
      fail("an object");
    ++depth_;
    return true;
  }
  bool end_object() {
    --depth_;
    if (line_ != &whole_ && level() == 0) close_graph();
    return true;
  }
  bool key(std::string& name) {
    if (level() == 2) return open_port(name);
    const auto keys = std::span(kKeys).first(line_ == &whole_ ? kKeys.size() : kGraphKeys);
    if (std::ranges::find(keys, name) == keys.end())
      user_error("{}: unknown key '{}'; {}", where_, excerpt(name), suggest(name, keys));
    section_ = name;
    user_check(!has_key(name), "{}: duplicate key '{}'", where_, name);
    seen_.push_back(name);
    line_->has_types |= section_ == "types";
    line_->has_children |= section_ == "children";
    line_->has_label |= section_ == "label";
    return true;
  }
  bool start_array(std::size_t) {
    const bool flat = level() == 1 && !has_ports() && section_ != "top" && !section_.empty();
    const bool child_list = level() == 2 && section_ == "children";
    const bool port_list = level() == 2 && has_ports();
    const bool edge_list = level() == 3 && section_ == "edges";
    if (has_ports() && in_entries() && is_one_of(Port::Kind::kUnknown, Port::Kind::kFloat))
      start_row();
    else if (!flat && !child_list && !port_list && !edge_list)
      fail("an array");
    ++depth_;
    return true;
  }
  bool end_array() {
    --depth_;
    if (section_ == "children" && level() == 2) line_->child_offsets.push_back(std::ssize(line_->children));
    if (has_ports() && level() == entry_level()) end_row();
    if (section_ == "edges" && level() == 3) port().ends.push_back(static_cast<std::int32_t>(port().size()));
    return true;
  }

  /// @param position  number of characters that were read, including the character with the error
  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) {
    const bool number = dynamic_cast<const Json::out_of_range*>(&error) != nullptr;
    const bool end = position == 0 || position > text_.size();
    // For "nan" the parser reports the second character, because it read the "n" as the beginning of "null".
    for (const std::string_view no_number : {"NaN", "Infinity", "nan"}) {
      const std::size_t begin = no_number == "nan" ? 2 : 1;
      user_check(position < begin || !text_.substr(std::min(position - begin, text_.size())).starts_with(no_number),
                 "{}: column {}: found {}, which is not valid in JSON; expected a number, or null for an absent row",
                 where_, position + 1 - begin, no_number);
    }
    user_error("{}: column {}: {}, found {}", where_, position,
               number ? "expected a number that fits 64 bits" : "not valid JSON; expected one object",
               number ? "a larger one"
               : end  ? "the end of the line"
                      : fmt::format("'{}'", character_at(position - 1)));
  }

 private:
  /// Returns the number of open brackets inside the graph.
  int level() const { return depth_ - base_; }
  bool has_key(std::string_view name) const { return std::ranges::find(seen_, name) != seen_.end(); }

  void open_graph(JsonlLine& graph) {
    line_ = &graph;
    base_ = depth_;
    outer_section_ = std::exchange(section_, "");
    outer_seen_ = std::exchange(seen_, {});
    port_names_.clear();
  }
  void close_graph() {
    line_ = &whole_;
    base_ = 0;
    section_ = outer_section_;
    seen_ = std::move(outer_seen_);
  }

  /// True if the next value is an entry of a port or of the labels.
  bool in_entries() const { return (has_ports() && level() == entry_level()) || (section_ == "label" && level() == 2); }
  bool in_row() const { return has_ports() && level() == entry_level() + 1; }
  bool has_ports() const { return section_ == "pull" || section_ == "edges"; }
  /// Returns the level() of the entries of a port. Entries of edges are nested in one array per vertex.
  int entry_level() const { return section_ == "edges" ? 4 : 3; }
  std::vector<Port>& ports() { return section_ == "edges" ? line_->edge_ports : line_->ports; }
  Port& port() { return section_ == "label" ? line_->label : ports().back(); }
  /// Returns the name of the vertex or edge of an entry, for messages.
  std::string entry_name(std::size_t entry) {
    if (section_ != "edges") return fmt::format("vertex {}", entry);
    const std::size_t before = port().ends.empty() ? 0 : static_cast<std::size_t>(port().ends.back());
    return fmt::format("child {} of vertex {}", entry - before, port().ends.size());
  }
  template <typename... Kinds>
  bool is_one_of(Kinds... kinds) {
    return ((port().kind == kinds) || ...);
  }
  static std::string quoted(std::string_view name) { return fmt::format("\"{}\"", excerpt(name)); }

  bool open_port(const std::string& name) {
    if (!port_names_.insert(name).second) {
      const auto same = [&](const Port& port) { return port.name == name; };
      user_check(std::ranges::none_of(ports(), same), "{}: {} has two ports '{}'", where_, section_, excerpt(name));
      user_error("{}: 'pull' and 'edges' both have a port '{}'; expected different names", where_, excerpt(name));
    }
    user_check(name != "label" || section_ != "pull", "{}: 'label' is inside pull; expected it beside \"pull\" as {}",
               where_, "\"label\":[...]");
    user_check(name != "label",
               "{}: 'label' is inside edges, but is the name for labels of vertices; expected another name, such as "
               "'relation'",
               where_);
    ports().emplace_back().name = name;
    return true;
  }

  /// Handles a number in a row of a float port.
  bool number(double value) {
    port().rows.push_back(static_cast<float>(value));
    return true;
  }

  bool integer(std::int64_t value) {
    if (in_entries()) return index(value);
    if (section_ != "children" || level() != 3 || value < -1) fail(fmt::format("{}", value));
    check_max(value, std::numeric_limits<std::int32_t>::max());
    line_->children.push_back(static_cast<std::int32_t>(value));
    return true;
  }

  bool index(std::int64_t value) {
    if (is_one_of(Port::Kind::kFloat) || value < -1) fail(fmt::format("{}", value));
    if (is_one_of(Port::Kind::kName) && value >= 0) fail_mixed(fmt::format("{}", value));
    check_max(value, section_ == "label" ? kMaxLabel : kMaxIndex);
    if (value >= 0) port().kind = Port::Kind::kIndex;
    if (is_one_of(Port::Kind::kUnknown)) port().kind = Port::Kind::kNone;
    port().indices.push_back(static_cast<std::int32_t>(value));
    return true;
  }

  bool name(const std::string& value) {
    if (section_ == "label" && is_no_label(value)) return null();
    if (is_one_of(Port::Kind::kFloat)) fail(quoted(value));
    if (is_one_of(Port::Kind::kIndex)) fail_mixed(quoted(value));
    if (value.empty() || value.find('\0') != value.npos) fail(value.empty() ? "\"\"" : "a name with a NUL byte");
    port().kind = Port::Kind::kName;
    port().indices.push_back(names_[port().name].add(value));
    return true;
  }

  void check_max(std::int64_t value, std::int64_t max) {
    if (value > max) fail(fmt::format("{}, which is above {}", value, max));
  }

  void start_row() {
    if (is_one_of(Port::Kind::kUnknown)) port().present.assign(port().indices.size(), 0);
    port().kind = Port::Kind::kFloat;
    port().indices.clear();
    port().present.push_back(1);
    row_begin_ = port().rows.size();
  }
  void end_row() {
    const auto width = static_cast<std::int32_t>(port().rows.size() - row_begin_);
    const auto entry = [&] { return entry_name(port().present.size() - 1); };
    if (width == 0)
      user_error("{}: port '{}' has an empty row at {}; expected numbers, or null for an absent row", where_,
                 excerpt(port().name), entry());
    if (port().width == 0) port().width = width;
    if (width != port().width)
      user_error("{}: port '{}' has {} numbers at {}; expected {} as in its other rows", where_, excerpt(port().name),
                 width, entry(), port().width);
  }

  std::string character_at(std::size_t begin) const {
    const auto inside = [this](std::size_t i) { return (static_cast<unsigned char>(text_[i]) & 0xC0) == 0x80; };
    std::size_t end = begin + 1;
    while (begin > 0 && inside(begin)) --begin;
    while (end < text_.size() && inside(end)) ++end;
    return excerpt(text_.substr(begin, end - begin));
  }

  [[noreturn]] void fail(const std::string& found) {
    const char* expected = "one object such as {\"children\":[[],[0]]}";
    std::string place = "the line";
    if (depth_ > 0) place = section_.empty() ? "the line" : "'" + section_ + "'";
    if (section_ == "graphs") expected = "an array of graphs, objects such as {\"children\":[[],[0]]}";
    if (section_ == "top") expected = "an object, a graph of one vertex such as {\"label\":[1]}";
    if (section_ == "types") expected = "an array of type names, one per vertex";
    if (section_ == "children") expected = "an array of arrays of integers: a vertex from 0, or -1 if absent";
    if (section_ == "label")
      expected = "an array of labels, integers from 0 or names, -1 or null for none, one per vertex";
    if (has_ports()) expected = "an object of ports";
    if (section_ == "pull" && level() >= 2) {
      place = "port '" + excerpt(port().name) + "'";
      expected = is_one_of(Port::Kind::kIndex)   ? "integers from 0, or -1 if absent, one per vertex"
                 : is_one_of(Port::Kind::kName)  ? "names, or null if absent, one per vertex"
                 : is_one_of(Port::Kind::kFloat) ? "arrays of numbers, or null if absent, one per vertex"
                                                 : "an array of integers from 0, of names or of arrays of numbers, or "
                                                   "null if absent, one per vertex";
    }
    if (section_ == "edges" && level() >= 2) {
      place = "edge port '" + excerpt(port().name) + "'";
      expected = level() == 2 || level() == 3    ? "an array for each vertex, with one entry per child"
                 : is_one_of(Port::Kind::kIndex) ? "integers from 0, or -1 if absent, one per child of the vertex"
                 : is_one_of(Port::Kind::kName)  ? "names, or null if absent, one per child of the vertex"
                 : is_one_of(Port::Kind::kFloat)
                     ? "arrays of numbers, or null if absent, one per child of the vertex"
                     : "integers from 0, names or arrays of numbers, or null if absent, one per child of the "
                       "vertex";
    }
    user_error("{}: in {} expected {}; found {}", where_, place, expected, found);
  }

  [[noreturn]] void fail_mixed(const std::string& found) {
    user_error("{}: '{}' has numbers and names; expected one or the other, found {} at {}", where_,
               excerpt(port().name), found, entry_name(port().indices.size()));
  }

  void check_top() {
    user_check(!top_->has_children, "{}: 'top' has the key 'children'; its children are the roots of the graphs",
               where_);
    top_->has_children = true;
    top_->child_offsets.push_back(0);
    check_sizes(*top_, where_ + ": top");
  }

  std::string_view text_;
  const std::string& where_;
  PortNames& names_;
  JsonlLine whole_;
  std::vector<JsonlLine> graphs_;
  std::optional<JsonlLine> top_;
  JsonlLine* line_ = &whole_;  // the graph being read
  std::string section_, outer_section_;
  std::vector<std::string> seen_, outer_seen_;  // keys of the graph, and of the line around it
  std::unordered_set<std::string> port_names_;  // of the graph
  int depth_ = 0, base_ = 0;                    // number of open brackets, and of those outside the graph
  std::size_t row_begin_ = 0;
};

}  // namespace

JsonlLine parse_jsonl_line(std::string_view text, const std::string& where, PortNames& names) {
  user_check(text.size() <= std::numeric_limits<std::int32_t>::max(),
             "{}: the line has {} bytes; at most 2 GiB are read", where, text.size());
  LineHandler handler(text, where, names);
  Json::sax_parse(text.begin(), text.end(), &handler);
  return handler.take();
}

}  // namespace cavs::inline v0_1
