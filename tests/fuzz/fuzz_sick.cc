#include "data/sick.h"
#include "fuzz/fuzz_check.h"

/// Input: the files of one split, separated by form feeds.
CAVS_FUZZ_TARGET(sick) {
  SickTexts texts;
  for (auto* file : {&texts.a_tokens, &texts.a_parents, &texts.b_tokens, &texts.b_parents, &texts.scores})
    *file = {"fuzz", std::string(take_part(bytes, '\f'))};
  GraphSet graphs(tree_pair_schema());
  for (const SickPair& pair : parse_sick(texts)) {
    const auto tree = [](const SickPair::Sentence& s) {
      return WordTree{s.heads, std::vector<std::int32_t>(s.words.size(), 0), s.root};
    };
    graphs.add(to_tree_pair(tree(pair.a), tree(pair.b), pair.score));  // a cycle throws UserError
  }
}
