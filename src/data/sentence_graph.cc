#include "data/sentence_graph.h"

#include <string>

#include "cavs/readers.h"

namespace cavs::inline v0_1 {

InputGraph to_tagger_chain(const TaggedSentence& sentence, const Vocabulary& words,
                           std::span<const std::int32_t> labels, bool spelled) {
  const std::vector<std::int32_t> ids = word_ids(sentence.tokens, words);
  if (!spelled) return to_tagged_chain(ids, labels);
  std::vector<std::string> spellings(ids.size());
  for (std::size_t t = 0; t < ids.size(); ++t)
    if (ids[t] == 0) spellings[t] = sentence.tokens[t];
  return to_spelled_chain(ids, labels, spellings);
}

InputGraph to_lattice(const TaggedSentence& sentence, const std::vector<Lexicon::Match>& matches,
                      const Vocabulary& words, std::span<const std::int32_t> labels) {
  std::vector<LatticeWord> arcs;
  arcs.reserve(matches.size());
  for (const Lexicon::Match& match : matches) arcs.push_back({match.begin, match.end, words.id(match.word)});
  return to_lattice(word_ids(sentence.tokens, words), arcs, labels);
}

}  // namespace cavs::inline v0_1
