#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "data/conll.h"
#include "data/input_form.h"

namespace cavs::inline v0_1 {

// What the forms share that give sentences to taggers and lattice models.

/// Whether the model's samples are chains or lattices of words.
bool takes_sentences(const SampleOptions& options);

/// Whether they are lattices whose lexicon is not known, so that characters alone do not say what they are.
bool lacks_lexicon(const SampleOptions& options);

/// The vertices that predict: those of a chain in their order; the positions of a lattice behind its first.
std::vector<std::int32_t> predicting_vertices(const InputGraph& graph, const SampleOptions& options);

/// True if lines are a sentence in CoNLL's columns: "-DOCSTART-", or as many columns in each line with a tag that the
/// model knows, in any scheme. A line alone needs a tab, or two columns of which one is the tag of an entity: a
/// sentence may end in "O".
bool begins_columns(std::string_view lines, const SampleOptions& options);

/// True if the lines behind this one decide whether it begins such a sentence.
bool may_begin_columns(std::string_view line, const SampleOptions& options);

/// Appends a sentence as the chain or lattice of the model. Its tags, where it has any, are converted to the model's
/// scheme. @throws UserError for a lattice without a lexicon.
void add_sentence(TaggedSentence sentence, const InputChunk& chunk, const SampleOptions& options, Samples& samples);

}  // namespace cavs::inline v0_1
