#include "data/jsonl_line.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "data/text.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs {
namespace {

using Json = nlohmann::json;
using Port = JsonlLine::Port;

// A table has a row for each number up to the largest, and a model a score for each label.
constexpr std::int64_t kMaxIndex = 99'999'999, kMaxLabel = 999'999;
constexpr std::array<std::string_view, 4> kKeys{"types", "children", "pull", "label"};

/// Takes the events of nlohmann's SAX parser, which does not recurse. The schema has few places, so a place is the
/// section (a key of the line's object) and the number of brackets that are open.
class LineHandler {
 public:
  LineHandler(std::string_view text, JsonlLine& line, const std::string& where)
      : text_(text), line_(line), where_(where) {}

  bool null() {
    if (!in_port_rows()) fail("null");
    if (port().kind == Port::Kind::kIndex) fail("null");
    port().present.push_back(0);
    return true;
  }
  bool boolean(bool value) { fail(value ? "true" : "false"); }
  bool number_integer(Json::number_integer_t value) {
    return in_row() ? number(static_cast<double>(value)) : integer(value);
  }
  bool number_unsigned(Json::number_unsigned_t value) {
    constexpr auto kLargest = static_cast<Json::number_unsigned_t>(std::numeric_limits<std::int64_t>::max());
    return in_row() ? number(static_cast<double>(value))
                    : integer(static_cast<std::int64_t>(std::min(value, kLargest)));
  }
  bool number_float(Json::number_float_t value, const std::string& text) {
    if (!in_row()) fail(text);
    return number(value);
  }
  bool string(std::string& value) {
    if (section_ != "types" || depth_ != 2) fail(fmt::format("\"{}\"", excerpt(value)));
    line_.types.push_back(std::move(value));
    return true;
  }
  bool binary(Json::binary_t&) { fail("binary data"); }

  bool start_object(std::size_t) {
    if (depth_ != 0 && !(depth_ == 1 && section_ == "pull")) fail("an object");
    ++depth_;
    return true;
  }
  bool end_object() {
    --depth_;
    return true;
  }
  bool key(std::string& name) {
    if (depth_ == 2) return open_port(name);
    if (std::find(kKeys.begin(), kKeys.end(), name) == kKeys.end())
      user_error("{}: unknown key '{}'; {}", where_, excerpt(name), suggest(name, kKeys));
    section_ = name;
    user_check(std::find(seen_.begin(), seen_.end(), name) == seen_.end(), "{}: key '{}' stands twice", where_, name);
    seen_.push_back(name);
    line_.has_types |= section_ == "types";
    line_.has_children |= section_ == "children";
    line_.has_label |= section_ == "label";
    return true;
  }
  bool start_array(std::size_t) {
    const bool flat = depth_ == 1 && (section_ == "types" || section_ == "label" || section_ == "children");
    const bool child_list = depth_ == 2 && section_ == "children";
    const bool port_list = depth_ == 2 && section_ == "pull";
    if (in_port_rows() && port().kind != Port::Kind::kIndex)
      start_row();
    else if (!flat && !child_list && !port_list)
      fail("an array");
    ++depth_;
    return true;
  }
  bool end_array() {
    --depth_;
    if (section_ == "children" && depth_ == 2)
      line_.child_offsets.push_back(static_cast<std::int32_t>(line_.children.size()));
    if (section_ == "pull" && depth_ == 3) end_row();
    return true;
  }

  /// `position` counts the characters that were read, the offending one included.
  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) {
    const bool number = dynamic_cast<const Json::out_of_range*>(&error) != nullptr;
    const bool end = position == 0 || position > text_.size();
    user_error("{}: column {}: {}, found {}", where_, position,
               number ? "expected a number that fits 64 bits" : "not valid JSON; expected one object",
               number ? "a larger one"
               : end  ? "the end of the line"
                      : fmt::format("'{}'", character_at(position - 1)));
  }

 private:
  bool in_port_rows() const { return section_ == "pull" && depth_ == 3; }
  bool in_row() const { return section_ == "pull" && depth_ == 4; }
  Port& port() { return line_.ports.back(); }

  bool open_port(const std::string& name) {
    user_check(port_names_.insert(name).second, "{}: pull has two ports '{}'", where_, excerpt(name));
    user_check(name != "label", "{}: 'label' stands in pull; expected it beside \"pull\" as {}", where_,
               "\"label\":[...]");
    line_.ports.emplace_back().name = name;
    return true;
  }

  /// In a row of a float port.
  bool number(double value) {
    if (std::abs(value) > std::numeric_limits<float>::max()) fail(fmt::format("{}, which is too large", value));
    port().rows.push_back(static_cast<float>(value));
    return true;
  }

  bool integer(std::int64_t value) {
    const bool in_children = section_ == "children" && depth_ == 3, in_label = section_ == "label" && depth_ == 2;
    const bool in_indices = in_port_rows() && port().kind != Port::Kind::kFloat && port().present.empty();
    if (!in_children && !in_label && !in_indices) fail(fmt::format("{}", value));
    const std::int64_t max = in_label ? kMaxLabel : in_indices ? kMaxIndex : std::numeric_limits<std::int32_t>::max();
    if (value < -1) fail(fmt::format("{}", value));
    if (value > max) fail(fmt::format("{}, which is above {}", value, max));
    if (in_indices) port().kind = Port::Kind::kIndex;
    auto& target = in_children ? line_.children : in_label ? line_.label : port().indices;
    target.push_back(static_cast<std::int32_t>(value));
    return true;
  }

  void start_row() {
    port().kind = Port::Kind::kFloat;
    port().present.push_back(1);
    row_begin_ = port().rows.size();
  }
  void end_row() {
    const auto width = static_cast<std::int32_t>(port().rows.size() - row_begin_);
    user_check(width > 0, "{}: port '{}' has an empty row at vertex {}; expected numbers, or null where it is absent",
               where_, port().name, port().present.size() - 1);
    if (port().width == 0) port().width = width;
    user_check(width == port().width, "{}: port '{}' has {} numbers at vertex {}; expected {} as in its other rows",
               where_, port().name, width, port().present.size() - 1, port().width);
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
    if (section_ == "types") expected = "an array of type names, one a vertex";
    if (section_ == "children") expected = "an array of arrays of integers: a vertex from 0, or -1 where one is absent";
    if (section_ == "label") expected = "an array of integers: a label from 0, or -1 for none, one a vertex";
    if (section_ == "pull") expected = "an object of ports";
    if (section_ == "pull" && depth_ >= 2) {
      place = "port '" + excerpt(port().name) + "'";
      expected = port().kind == Port::Kind::kIndex   ? "integers from 0, or -1 where one is absent, one a vertex"
                 : port().kind == Port::Kind::kFloat ? "arrays of numbers, or null where one is absent, one a vertex"
                                                     : "an array of integers from 0, or -1 where one is absent, or of "
                                                       "arrays of numbers, one a vertex";
    }
    user_error("{}: in {} expected {}; found {}", where_, place, expected, found);
  }

  std::string_view text_;
  JsonlLine& line_;
  const std::string& where_;
  std::string section_;
  std::vector<std::string> seen_;
  std::unordered_set<std::string> port_names_;  // a line may have very many
  int depth_ = 0;
  std::size_t row_begin_ = 0;
};

void check_sizes(const JsonlLine& line, const std::string& where) {
  user_check(line.has_children, "{}: key 'children' is missing; expected an array of arrays, one a vertex", where);
  const std::size_t vertices = line.child_offsets.size() - 1;
  user_check(!line.has_types || line.types.size() == vertices, "{}: 'types' has {} entries; expected {}, one a vertex",
             where, line.types.size(), vertices);
  user_check(!line.has_label || line.label.size() == vertices, "{}: 'label' has {} entries; expected {}, one a vertex",
             where, line.label.size(), vertices);
  for (const Port& port : line.ports) {
    const std::size_t entries = port.kind == Port::Kind::kIndex ? port.indices.size() : port.present.size();
    user_check(entries == vertices, "{}: port '{}' has {} entries; expected {}, one a vertex", where,
               excerpt(port.name), entries, vertices);
  }
}

}  // namespace

JsonlLine parse_jsonl_line(std::string_view text, const std::string& where) {
  user_check(text.size() <= std::numeric_limits<std::int32_t>::max(),
             "{}: the line has {} bytes; at most 2 GiB are read", where, text.size());
  JsonlLine line;
  LineHandler handler(text, line, where);
  Json::sax_parse(text.begin(), text.end(), &handler);
  check_sizes(line, where);
  return line;
}

}  // namespace cavs
