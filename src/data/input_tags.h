#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "data/conll.h"
#include "data/input_form.h"

namespace cavs::inline v0_1 {

// Functions that the input forms of sentences share (for taggers and for lattice models).

/// True if the samples of the model are chains or lattices of words.
bool takes_sentences(const SampleOptions& options);

/// True if the samples are lattices but there is no lexicon, so that a lattice cannot be built from characters.
bool lacks_lexicon(const SampleOptions& options);

/// Returns the vertices that predict: in a chain all vertices in order; in a lattice all positions except the first.
std::vector<std::int32_t> predicting_vertices(const InputGraph& graph, const SampleOptions& options);

/// True if the lines are a sentence in CoNLL columns: "-DOCSTART-", or lines with the same number of columns and a tag
/// that the model knows, in any scheme. A single line must have a tab, or two columns with the tag of an entity: a
/// sentence of plain words may end in "O".
bool begins_columns(std::string_view lines, const SampleOptions& options);

/// True if the lines that follow decide whether this line begins a sentence in columns.
bool may_begin_columns(std::string_view line, const SampleOptions& options);

/// Appends a sentence as the chain or lattice of the model. Tags are converted to the scheme of the model.
/// @throws UserError for a lattice without a lexicon.
void add_sentence(TaggedSentence sentence, const InputChunk& chunk, const SampleOptions& options, Samples& samples);

}  // namespace cavs::inline v0_1
