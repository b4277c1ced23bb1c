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
/// @throws UserError as above, or unless there is a word, a prediction and a label for each vertex of the sample.
void check_notes(const GraphSet& graphs, std::int32_t sample, const VertexNotes& notes);

/// The labels of one sample; -1 for vertices without one.
std::vector<std::int32_t> vertex_labels(const GraphSet& graphs, std::int32_t sample);

/// Words of one sample: those of the tree if one is given, else by id.
std::vector<std::string> vertex_words(const GraphSet& graphs, std::int32_t sample, const Tree* tree,
                                      const Vocabulary& words);

/// A sample as a tree for the terminal, one line per vertex, roots at the left:
///
///     MAX → 9 ✓
///     ├─ 2
///     └─ MIN → 7 ✗ 4
///        └─ ...
///
/// "✗ 4" is a wrong prediction and the label. Without predictions a label is shown as ": 4". If any vertex has a label,
/// only vertices with labels show their predictions. A vertex with several parents is drawn below the first parent, and
/// named below the others. Vertices deeper than 100 levels are only counted.
std::string draw_tree(const GraphSet& graphs, std::int32_t sample, const VertexNotes& notes);

}  // namespace cavs::inline v0_1
