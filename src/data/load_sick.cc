#include <fmt/format.h>

#include "data/data_kinds.h"
#include "data/sick.h"
#include "data/word_counts.h"

namespace cavs {
namespace {

SickTexts read_part(const DataSpec& spec, const std::string& part) {
  const auto read = [&](const std::string& file) {
    const std::string name =
        find_part(spec, part + "/" + file, "train/ and dev/, each with a.toks, a.parents and sim.txt");
    return SickTexts::File{name, read_text_file(name)};
  };
  return {.a_tokens = read("a.toks"),
          .a_parents = read("a.parents"),
          .b_tokens = read("b.toks"),
          .b_parents = read("b.parents"),
          .scores = read("sim.txt")};
}

WordTree to_word_tree(const SickPair::Sentence& sentence, const Vocabulary& words) {
  WordTree tree{.heads = sentence.heads, .words = {}, .root = sentence.root};
  for (const auto word : sentence.words) tree.words.push_back(words.id(word));
  return tree;
}

GraphSet to_graphs(const std::vector<SickPair>& pairs, std::int64_t count, const Vocabulary& words,
                   const std::string& name, const GraphLimits& limits) {
  GraphSet graphs(tree_pair_schema(), limits);
  for (std::int64_t i = 0; i < count; ++i)
    graphs.add(to_tree_pair(to_word_tree(pairs[i].a, words), to_word_tree(pairs[i].b, words), pairs[i].score),
               fmt::format("{}:{}", name, i + 1));
  return graphs;
}

}  // namespace

Dataset load_sick(DataSpec& spec, const DataOptions& options) {
  const SickTexts texts[] = {read_part(spec, "train"), read_part(spec, "dev")};
  const std::vector<SickPair> train = parse_sick(texts[0]), dev = parse_sick(texts[1]);
  WordCounts counts;
  for (const SickPair& pair : train)
    for (const SickPair::Sentence* sentence : {&pair.a, &pair.b})
      for (const auto word : sentence->words) ++counts[word];
  Dataset data;
  data.words = known_words(std::move(counts), options);
  data.classes = checked_scores(spec.kind(), options);
  data.train =
      to_graphs(train, limited(std::ssize(train), options), data.words, texts[0].a_parents.name, options.limits);
  data.dev = to_graphs(dev, std::ssize(dev), data.words, texts[1].a_parents.name, options.limits);
  return data;
}

}  // namespace cavs
