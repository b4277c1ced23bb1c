#include <algorithm>
#include <utility>

#include "cavs/readers.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

enum Type : std::int32_t { kCharacter, kWord, kPosition };

class LatticeGraph {
 public:
  explicit LatticeGraph(std::size_t characters) {
    graph_.child_offsets.push_back(0);
    graph_.index_pulls.resize(2);
    positions_.reserve(characters + 1);
  }
  std::int32_t add(Type type, const std::vector<std::int32_t>& children, std::int32_t word, std::int32_t label) {
    graph_.types.push_back(type);
    graph_.children.insert(graph_.children.end(), children.begin(), children.end());
    graph_.child_offsets.push_back(std::ssize(graph_.children));
    graph_.index_pulls[0].push_back(word);
    graph_.index_pulls[1].push_back(label);
    return static_cast<std::int32_t>(graph_.types.size()) - 1;
  }
  void add_position(const std::vector<std::int32_t>& arcs, std::int32_t label) {
    positions_.push_back(add(kPosition, arcs, -1, label));
  }
  std::int32_t add_arc(Type type, std::int32_t from, std::int32_t word) {
    return add(type, {positions_[from]}, word, -1);
  }
  InputGraph take() { return std::move(graph_); }

 private:
  InputGraph graph_;
  std::vector<std::int32_t> positions_;
};

}  // namespace

GraphSchema lattice_schema() {
  return {.types = {"character", "word", "position"}, .index_ports = {"word", "label"}, .float_ports = {}};
}

InputGraph to_lattice(std::span<const std::int32_t> characters, std::span<const LatticeWord> words,
                      std::span<const std::int32_t> labels) {
  const auto length = static_cast<std::int32_t>(characters.size());
  user_check(labels.size() == characters.size(),
             "the lattice has {} characters and {} labels; expected one label per character", characters.size(),
             labels.size());
  std::vector<LatticeWord> by_end(words.begin(), words.end());
  for (const LatticeWord& word : by_end)
    user_check(word.begin >= 0 && word.begin < word.end && word.end <= length,
               "a word of the lattice spans characters {} to {}; expected a range in 0 to {}", word.begin, word.end,
               length);
  std::stable_sort(by_end.begin(), by_end.end(), [](const auto& a, const auto& b) { return a.end < b.end; });
  LatticeGraph graph(characters.size());
  graph.add_position({}, -1);
  auto word = by_end.begin();
  for (std::int32_t end = 1; end <= length; ++end) {
    std::vector<std::int32_t> arcs{graph.add_arc(kCharacter, end - 1, characters[end - 1])};
    for (; word != by_end.end() && word->end == end; ++word)
      arcs.push_back(graph.add_arc(kWord, word->begin, word->id));
    graph.add_position(arcs, labels[end - 1]);
  }
  return graph.take();
}

}  // namespace cavs::inline v0_1
