#include "inspect/function_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "inspect/graph_layout.h"
#include "inspect/print_function.h"
#include "ir/op.h"
#include "support/check.h"
#include "support/svg.h"

namespace cavs::inline v0_1 {
namespace {

constexpr double kBoxHeight = 36, kBoxGap = 14, kBoxRow = 72, kBoxMargin = 20, kBoxTitle = 56, kLetter = 6.4,
                 kPadding = 14;

struct Box {
  std::string first, second;  // the two lines of text in the box
  std::int32_t row = 0;
  double x = 0, width = 0;  // in pixels; x is the middle of the box
};

struct BoxLayout {
  std::vector<Box> boxes;  // [nodes of the function]
  std::vector<std::vector<ValueId>> rows;
  double width = 0;
};

std::string second_line(const Node& node) {
  const std::string shape = shape_text(node);
  return fmt::format("{}{}{}", shape, shape.empty() ? "" : "  ", to_string(node.domain));
}

/// Assigns rows to values, from the top: each value is below all its inputs. A value without inputs is directly above
/// its first reader.
void place_in_rows(const Function& f, std::vector<Box>& boxes) {
  const auto count = static_cast<ValueId>(boxes.size());
  for (ValueId id = 0; id < count; ++id)
    for (ValueId in : f.nodes[id].in) boxes[id].row = std::max(boxes[id].row, boxes[in].row + 1);
  std::vector<std::int32_t> first(boxes.size(), -1);
  for (ValueId id = 0; id < count; ++id)
    for (ValueId in : f.nodes[id].in)
      if (first[in] < 0 || boxes[id].row < first[in]) first[in] = boxes[id].row;
  for (ValueId id = 0; id < count; ++id)
    if (f.nodes[id].in.empty() && first[id] > 0) boxes[id].row = first[id] - 1;
}

/// Orders the values of a row by the middle of their inputs; values without inputs are at the right.
BoxLayout lay_out_boxes(const Function& f, ValueId count) {
  BoxLayout d;
  d.boxes.resize(count);
  for (ValueId id = 0; id < count; ++id) {
    Box& box = d.boxes[id];
    const Node& node = f.nodes[id];
    const bool sink = node.op->kind == OpKind::kSink;
    box.first = sink ? expression(node) : fmt::format("%{} = {}", id, expression(node));
    box.second = second_line(node) + (node.name.empty() ? "" : fmt::format("  '{}'", node.name));
    box.width = kLetter * static_cast<double>(std::max(box.first.size(), box.second.size())) + kPadding;
  }
  place_in_rows(f, d.boxes);
  for (ValueId id = 0; id < count; ++id) {
    if (d.boxes[id].row >= std::ssize(d.rows)) d.rows.resize(d.boxes[id].row + 1);
    d.rows[d.boxes[id].row].push_back(id);
  }
  const auto width_of = [&](const std::vector<ValueId>& row) {
    double width = -kBoxGap;
    for (ValueId id : row) width += d.boxes[id].width + kBoxGap;
    return width;
  };
  for (const auto& row : d.rows) d.width = std::max(d.width, width_of(row));
  for (auto& row : d.rows) {
    std::vector<double> middle(count, 0);
    for (ValueId id : row) {
      const auto& in = f.nodes[id].in;
      for (ValueId i : in) middle[id] += d.boxes[i].x / static_cast<double>(in.size());
      if (in.empty()) middle[id] = d.width;
    }
    std::ranges::stable_sort(row, {}, [&](ValueId id) { return middle[id]; });
    double x = kBoxMargin + (d.width - width_of(row)) / 2;
    for (ValueId id : row) {
      d.boxes[id].x = x + d.boxes[id].width / 2;
      x += d.boxes[id].width + kBoxGap;
    }
  }
  return d;
}

double top_of(const Box& box) { return kBoxTitle + kBoxRow * box.row; }

void draw_arrow(Svg& svg, const Box& from, const Box& to) {
  const double y1 = top_of(from) + kBoxHeight, y2 = top_of(to), middle = (y1 + y2) / 2;
  svg.add("<path d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\" fill=\"none\" stroke=\"{}\"/>\n",
          from.x, y1, from.x, middle, to.x, middle, to.x, y2, svg::kAxis);
}

}  // namespace

std::string to_svg(const Function& f, std::span<const Stage> stages, bool gradient) {
  const auto all = static_cast<ValueId>(f.nodes.size());
  const ValueId forward = f.differentiated() ? f.forward : all, count = gradient ? all : forward;
  user_check(count <= kMaxDrawn, "a drawing has at most {} values, but vertex function '{}' has {}; print it instead",
             kMaxDrawn, f.name, count);
  const BoxLayout d = lay_out_boxes(f, count);
  const std::string title = fmt::format("vertex function '{}'", f.name);
  Svg svg(2 * kBoxMargin + std::max(d.width, 10 * static_cast<double>(title.size())),
          kBoxTitle + kBoxRow * static_cast<double>(d.rows.size()));
  svg.title(kBoxMargin, title);
  for (ValueId id = 0; id < count; ++id)
    for (ValueId in : f.nodes[id].in) draw_arrow(svg, d.boxes[in], d.boxes[id]);
  for (ValueId id = 0; id < count; ++id) {
    const Box& box = d.boxes[id];
    svg.add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:g}\" rx=\"6\" fill=\"{}\" stroke=\"{}\"{}/>\n",
            box.x - box.width / 2, top_of(box), box.width, kBoxHeight,
            stages.empty() ? "#f3f4f6" : kStageColours[static_cast<int>(stages[id])], svg::kInk,
            id < forward ? "" : " stroke-dasharray=\"4 2\"");
    svg.text(box.x, top_of(box) + 15, "middle", svg::kInk, box.first, " font-size=\"11\"");
    svg.text(box.x, top_of(box) + 29, "middle", svg::kAxis, box.second, " font-size=\"10\"");
  }
  return svg.finish();
}

}  // namespace cavs::inline v0_1
