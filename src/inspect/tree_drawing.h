#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cavs/graph.h"
#include "cavs/inspect.h"
#include "cavs/vocabulary.h"

namespace cavs::inline v0_1 {

using inspect::VertexNotes;

/// @throws UserError for a number out of range.
void check_sample(const GraphSet& graphs, std::int32_t sample);
/// @throws UserError as above, and unless there is a word, a prediction and a label for each vertex of the sample.
void check_notes(const GraphSet& graphs, std::int32_t sample, const VertexNotes& notes);

/// The labels of one sample; -1: none.
std::vector<std::int32_t> vertex_labels(const GraphSet& graphs, std::int32_t sample);

/// Words of one sample: as the tree has them (where one is given), else by id.
std::vector<std::string> vertex_words(const GraphSet& graphs, std::int32_t sample, const Tree* tree,
                                      const Vocabulary& words);

/// A sample as a tree for the terminal, a line a vertex, roots at the left:
///
///     MAX → 9 ✓
///     ├─ 2
///     └─ MIN → 7 ✗ 4
///        └─ ...
///
/// "✗ 4" is a wrong prediction and the label; without predictions a label stands as ": 4". If any vertex has a label,
/// only those with one show their prediction. A vertex of several parents is drawn under the first one and named below
/// the others; what lies deeper than 100 levels is only counted.
std::string draw_tree(const GraphSet& graphs, std::int32_t sample, const VertexNotes& notes);

}  // namespace cavs::inline v0_1
