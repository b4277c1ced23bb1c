#include "inspect/tree_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "graphs/port_views.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::size_t kDeepest = 100;

class Drawing {
 public:
  Drawing(const GraphSet& graphs, std::int32_t sample, const VertexNotes& notes)
      : graphs_(graphs),
        base_(graphs.vertex_begin()[sample]),
        vertices_(graphs.vertex_begin()[sample + 1] - base_),
        notes_(notes),
        drawn_(vertices_, 0),
        labelled_(std::ranges::any_of(notes.labels, [](std::int32_t label) { return label >= 0; })) {}

  std::string draw() {
    for (std::int64_t v = 0; v < vertices_; ++v)
      if (graphs_.parent_begin()[base_ + v] == graphs_.parent_begin()[base_ + v + 1]) draw_from(v);
    const auto left = std::ranges::count(drawn_, 0);
    if (left > 0) out_ += fmt::format("({} more vertices are deeper)\n", left);
    return std::move(out_);
  }

 private:
  /// A vertex whose children are being drawn.
  struct Open {
    std::int64_t slot, end;
    std::string indent;  // text before the lines of its children
  };

  void draw_from(std::int64_t root) {
    line("", root);
    std::vector<Open> open{children(root, "")};
    while (!open.empty()) {
      Open& top = open.back();
      if (top.slot == top.end) {
        open.pop_back();
        continue;
      }
      const std::int32_t child = graphs_.children()[top.slot++];
      const bool last = top.slot == top.end;
      const std::string indent = top.indent;
      const std::string branch = indent + (last ? "└─ " : "├─ ");
      if (child < 0) {
        out_ += branch + "(absent)\n";
      } else if (drawn_[child]) {
        out_ += fmt::format("{}(vertex {}, see above)\n", branch, child);
      } else {
        line(branch, child);
        if (open.size() < kDeepest) open.push_back(children(child, indent + (last ? "   " : "│  ")));
      }
    }
  }

  Open children(std::int64_t v, std::string indent) const {
    return {graphs_.child_begin()[base_ + v], graphs_.child_begin()[base_ + v + 1], std::move(indent)};
  }

  void line(const std::string& branch, std::int64_t v) {
    drawn_[v] = 1;
    const std::int64_t several = graphs_.parent_begin()[base_ + v + 1] - graphs_.parent_begin()[base_ + v];
    std::string text = notes_.words[v];
    if (several > 1) text += fmt::format("{}(vertex {})", text.empty() ? "" : " ", v);
    const std::int32_t prediction = notes_.predictions[v], label = notes_.labels[v];
    if (prediction >= 0 && (label >= 0 || !labelled_))
      text += fmt::format("{}→ {}", text.empty() ? "" : " ", notes_.class_text(prediction));
    if (prediction >= 0 && label >= 0)
      text += prediction == label ? " ✓" : fmt::format(" ✗ {}", notes_.class_text(label));
    if (prediction < 0 && label >= 0) text += fmt::format("{}: {}", text.empty() ? "·" : "", notes_.class_text(label));
    out_ += branch + (text.empty() ? "·" : text) + "\n";
  }

  const GraphSet& graphs_;
  std::int64_t base_, vertices_;
  const VertexNotes& notes_;
  std::vector<char> drawn_;
  bool labelled_;
  std::string out_;
};

}  // namespace

void check_sample(const GraphSet& graphs, std::int32_t sample) {
  user_check(0 <= sample && sample < graphs.size(), "no sample {}; there are {}, numbered from 0", sample,
             graphs.size());
}

void check_notes(const GraphSet& graphs, std::int32_t sample, const VertexNotes& notes) {
  check_sample(graphs, sample);
  const std::int64_t vertices = graphs.vertex_begin()[sample + 1] - graphs.vertex_begin()[sample];
  for (const auto& [what, count] :
       {std::pair("words", std::ssize(notes.words)), std::pair("predictions", std::ssize(notes.predictions)),
        std::pair("labels", std::ssize(notes.labels))})
    user_check(count == vertices, "the notes of sample {} have {} {}; expected one for each of its {} vertices", sample,
               count, what, vertices);
}

std::string inspect::VertexNotes::class_text(std::int32_t c) const {
  return c < std::ssize(class_names) ? class_names[c] : fmt::format("{}", c);
}

std::vector<std::string> vertex_words(const GraphSet& graphs, std::int32_t sample, const Tree* tree,
                                      const Vocabulary& words) {
  const std::int64_t base = graphs.vertex_begin()[sample], end = graphs.vertex_begin()[sample + 1];
  const auto ids = indices_at(graphs, "word");
  std::vector<std::string> result(end - base);
  for (std::int64_t v = base; v < end; ++v) {
    if (tree != nullptr) {
      result[v - base] = tree->word(static_cast<std::int32_t>(v - base));
      continue;
    }
    const std::int32_t id = ids.empty() ? -1 : ids[v];
    if (id >= 0) result[v - base] = id < words.size() && words.size() > 1 ? words.word(id) : fmt::format("#{}", id);
  }
  return result;
}

std::vector<std::int32_t> vertex_labels(const GraphSet& graphs, std::int32_t sample) {
  const std::int64_t begin = graphs.vertex_begin()[sample], end = graphs.vertex_begin()[sample + 1];
  const auto labels = indices_at(graphs, "label");
  if (labels.empty()) return std::vector<std::int32_t>(end - begin, -1);
  return {labels.begin() + begin, labels.begin() + end};
}

std::string draw_tree(const GraphSet& graphs, std::int32_t sample, const VertexNotes& notes) {
  return Drawing(graphs, sample, notes).draw();
}

}  // namespace cavs::inline v0_1
