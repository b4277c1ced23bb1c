#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cavs/graph.h"
#include "cavs/inspect.h"
#include "cavs/vocabulary.h"

namespace cavs::inline v0_1 {

using inspect::VertexNotes;

/// @throws UserError for a sample out of range.
void check_sample(const GraphSet& graphs, std::int32_t sample);
/// @throws UserError as check_sample(), or unless there is a word, a prediction and a label per vertex of the sample.
void check_notes(const GraphSet& graphs, std::int32_t sample, const VertexNotes& notes);

/// Returns the labels of one sample; -1 for vertices without a label.
std::vector<std::int32_t> vertex_labels(const GraphSet& graphs, std::int32_t sample);

/// Returns the words of one sample: the words of `tree` if it is given, else those of the vertices' word numbers.
std::vector<std::string> vertex_words(const GraphSet& graphs, std::int32_t sample, const Tree* tree,
                                      const Vocabulary& words);

/// Draws a sample as a tree for the terminal, one line per vertex, roots at the left:
///
///     MAX → 9 ✓
///     ├─ 2
///     └─ MIN → 7 ✗ 4
///        └─ ...
///
/// "✗ 4" means that the prediction is wrong and the label is 4. Without predictions a label is shown as ": 4". If any
/// vertex has a label, only vertices with labels show their predictions. A vertex with several parents is drawn below
/// the first parent, and only mentioned below the others. Vertices deeper than 100 levels are only counted.
std::string draw_tree(const GraphSet& graphs, std::int32_t sample, const VertexNotes& notes);

}  // namespace cavs::inline v0_1
