#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/conll.h"
#include "data/lexicon.h"

namespace cavs::inline v0_1 {

/// Returns the chain of a sentence with these labels, with chain_schema() or, if unknown words are to be spelled, with
/// spelled_chain_schema().
InputGraph to_tagger_chain(const TaggedSentence& sentence, const Vocabulary& words,
                           std::span<const std::int32_t> labels, bool spelled);

/// Returns the lattice of a sentence of characters, with an arc for each word of a lexicon that matches.
InputGraph to_lattice(const TaggedSentence& sentence, const std::vector<Lexicon::Match>& matches,
                      const Vocabulary& words, std::span<const std::int32_t> labels);

}  // namespace cavs::inline v0_1
