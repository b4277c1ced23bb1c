#include <optional>

#include "data/dependency_graph.h"
#include "data/dependency_text.h"
#include "data/input_form.h"
#include "data/sick.h"
#include "data/text.h"
#include "data/word_counts.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::string_view kPairExample = "(runs (dog (a)))\t(walks (dog (the)))";

WordTree tree_in_brackets(std::string_view text, const InputChunk& chunk, const Vocabulary& words) {
  const std::vector<DependencyText> trees = parse_dependency_text(text, chunk.name, chunk.line);
  user_check(trees.size() == 1, "{}:{}: found {} trees between two tabs; expected one", chunk.name, chunk.line,
             trees.size());
  return {.heads = trees[0].heads,
          .words = word_ids(trees[0].words, words),
          .root = find_root(trees[0].heads, chunk.name, chunk.line)};
}

WordTree tree_of_heads(std::string_view tokens, std::string_view heads, const InputChunk& chunk,
                       const Vocabulary& words) {
  const SickPair::Sentence sentence = parse_sick_sentence({tokens, chunk.line}, {heads, chunk.line}, chunk.name);
  return to_word_tree(sentence, words);
}

/// Reads two trees (or two sentences, each with the heads of its words), and an optional score.
void read_pair(const InputChunk& chunk, const SampleOptions& options, Samples& samples) {
  const auto columns = split_tabs(chunk.text);
  const bool brackets = columns.front().starts_with('(');
  const std::size_t trees = brackets ? 2 : 4;
  user_check(
      columns.size() == trees || columns.size() == trees + 1,
      "{}:{}: {} columns separated by tabs; expected two trees, as in '{}', or two sentences, each with the heads of "
      "its words, as in 'a dog runs{}2 3 0{}...', and optionally a score; sentences without heads are not parsed",
      chunk.name, chunk.line, columns.size(), kPairExample, "\t", "\t");
  std::optional<float> score;
  if (columns.size() > trees) score = parse_sick_score({columns.back(), chunk.line}, chunk.name);
  const auto tree = [&](std::size_t i) {
    return brackets ? tree_in_brackets(columns[i], chunk, options.words)
                    : tree_of_heads(columns[2 * i], columns[2 * i + 1], chunk, options.words);
  };
  add_sample(to_tree_pair(tree(0), tree(1), score), chunk, samples);
}

}  // namespace

extern const InputForm kPairsInput{
    .name = "pairs",
    .doc = "two dependency trees separated by a tab",
    .extent = InputForm::Extent::kLine,
    .fits = [](const SampleOptions& options) { return options.schema == tree_pair_schema(); },
    .begins = [](std::string_view line, const SampleOptions&) { return line.find('\t') != line.npos; },
    .example = [](const SampleOptions&) { return std::string(kPairExample); },
    .read = read_pair,
};

}  // namespace cavs::inline v0_1
