#include "data/sick.h"
#include "fuzz/fuzz_check.h"

/// The files of a part stand one behind the other, divided by form feeds.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cavs::expect_result_or_message(data, size, [](std::string_view text) {
    cavs::SickTexts texts;
    for (auto* file : {&texts.a_tokens, &texts.a_parents, &texts.b_tokens, &texts.b_parents, &texts.scores}) {
      const std::string_view part = text.substr(0, text.find('\f'));
      text.remove_prefix(part.size() < text.size() ? part.size() + 1 : text.size());
      *file = {"fuzz", std::string(part)};
    }
    cavs::GraphSet graphs(cavs::tree_pair_schema());
    for (const cavs::SickPair& pair : cavs::parse_sick(texts)) {
      const auto tree = [](const cavs::SickPair::Sentence& s) {
        return cavs::WordTree{s.heads, std::vector<std::int32_t>(s.words.size(), 0), s.root};
      };
      graphs.add(cavs::to_tree_pair(tree(pair.a), tree(pair.b), pair.score));  // a cycle is a UserError
    }
  });
  return 0;
}
