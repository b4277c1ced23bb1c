#include "inspect/print_function.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "ir/attribute_fields.h"
#include "ir/op.h"
#include "support/table.h"

namespace cavs::inline v0_1 {
namespace {

/// Returns the attributes of a node's operator that no other column shows. Shape and domain have columns of their own.
std::vector<std::string> attribute_texts(const Node& node) {
  const AttributeFields a = fields_of(node.attributes);
  const OpId op = node.op->id;
  std::vector<std::string> texts;
  if (op == OpId::kPart) texts.push_back(fmt::format("{} of {}", a.index, a.count));
  if (op == OpId::kSlice) texts.push_back(fmt::format("{} to {}", a.index, a.index + a.count));
  if (op == OpId::kGather) texts.push_back(fmt::format("{}", a.index));
  if (op == OpId::kScatterGradient) texts.push_back(a.index < 0 ? "children" : fmt::format("{}", a.index));
  if (!a.name.empty()) texts.push_back(fmt::format("\"{}\"", a.name));
  if (op == OpId::kConstant || (a.number != 0 && op != OpId::kExpand)) texts.push_back(fmt::format("{:g}", a.number));
  if (op == OpId::kLookup || op == OpId::kLookupGradient) texts.push_back(to_string(a.shape));
  return texts;
}

std::vector<std::string> row_of(const Function& f, ValueId id, std::span<const Stage> stages) {
  const Node& node = f.nodes[id];
  const bool sink = node.op->kind == OpKind::kSink;
  const std::string number = fmt::format("%{} = ", id);
  const std::size_t widest = fmt::format("%{} = ", f.nodes.size() - 1).size();
  const std::string left = sink ? std::string(widest, ' ') : std::string(widest - number.size(), ' ') + number;
  return {left + expression(node), shape_text(node), to_string(node.domain),
          stages.empty() ? "" : std::string(to_string(stages[id])),
          node.recomputed >= 0 ? fmt::format("again %{}", node.recomputed)
          : node.name.empty()  ? ""
                               : fmt::format("'{}'", node.name)};
}

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string dot_node(const Function& f, ValueId id, std::span<const Stage> stages) {
  const Node& node = f.nodes[id];
  std::string label = node.name.empty() ? expression(node) : fmt::format("{} = {}", node.name, expression(node));
  if (const std::string shape = shape_text(node); !shape.empty()) label += "\n" + shape + " " + to_string(node.domain);
  if (node.recomputed >= 0) label += fmt::format("\nagain %{}", node.recomputed);
  std::string lines = escaped(label);
  for (auto at = lines.find('\n'); at != lines.npos; at = lines.find('\n')) lines.replace(at, 1, "\\n");
  return fmt::format(
      "    \"{}/{}\" [label=\"{}\"{}];\n", escaped(f.name), id, lines,
      stages.empty() ? "" : fmt::format(", fillcolor=\"{}\"", kStageColours[static_cast<int>(stages[id])]));
}

}  // namespace

std::string shape_text(const Node& node) {
  if (node.op->kind == OpKind::kSink) return "";
  if (node.is_index) return "index";
  return node.shape_known ? to_string(node.shape) : "?";
}

std::string expression(const Node& node) {
  std::vector<std::string> arguments;
  for (ValueId input : node.in) arguments.push_back(fmt::format("%{}", input));
  const auto attributes = attribute_texts(node);
  // An attribute that is a name precedes the inputs, a number follows them
  arguments.insert(node.attribute_name().empty() ? arguments.end() : arguments.begin(), attributes.begin(),
                   attributes.end());
  return fmt::format("{}({})", node.op->name, fmt::join(arguments, ", "));
}

std::string to_text(const Function& f, std::span<const Stage> stages) {
  const auto count = static_cast<ValueId>(f.nodes.size());
  const ValueId forward = f.differentiated() ? f.forward : count;
  std::vector<std::vector<std::string>> rows;
  rows.reserve(f.nodes.size());
  for (ValueId id = 0; id < count; ++id) rows.push_back(row_of(f, id, stages));
  std::string lines = align_columns(rows, "  ");
  std::size_t at = 0;
  for (ValueId id = 0; id < forward; ++id) at = lines.find('\n', at) + 1;
  if (f.differentiated()) lines.insert(at, "∂F:\n");
  return fmt::format("vertex function '{}'\nF:\n{}", f.name, lines);
}

std::string dot_begin() {
  return "digraph model {\n  rankdir=BT;\n  node [shape=box, style=\"filled,rounded\", fillcolor=\"#f3f4f6\", "
         "fontname=\"Helvetica\", fontsize=10];\n";
}

std::string dot_end() { return "}\n"; }

std::string to_dot(const Function& f, std::span<const Stage> stages) {
  std::string text;
  const auto cluster = [&](const char* what, std::int32_t begin, std::int32_t end) {
    text += fmt::format("  subgraph \"cluster_{0} {1}\" {{\n    label=\"{0} of {1}\";\n", what, escaped(f.name));
    for (ValueId id = begin; id < end; ++id) text += dot_node(f, id, stages);
    text += "  }\n";
  };
  const auto count = static_cast<std::int32_t>(f.nodes.size());
  cluster("F", 0, f.differentiated() ? f.forward : count);
  if (f.differentiated()) cluster("∂F", f.forward, count);
  for (ValueId id = 0; id < count; ++id)
    for (ValueId input : f.nodes[id].in)
      text += fmt::format("  \"{0}/{1}\" -> \"{0}/{2}\";\n", escaped(f.name), input, id);
  return text;
}

}  // namespace cavs::inline v0_1
