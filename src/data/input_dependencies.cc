#include <algorithm>
#include <numeric>

#include "data/conllu.h"
#include "data/dependency_graph.h"
#include "data/dependency_text.h"
#include "data/input_form.h"
#include "data/word_counts.h"

namespace cavs::inline v0_1 {
namespace {

bool takes_dependencies(const SampleOptions& options) { return options.schema == tree_schema(); }

struct NamedTree {
  std::vector<std::string> words, expected;  // expected: tags of the words ("" or "_" for none), or empty
  std::vector<std::int32_t> heads;
  std::int64_t line;
};

void add_tree(NamedTree tree, const InputChunk& chunk, const SampleOptions& options, Samples& samples) {
  std::vector<std::int32_t> labels(tree.words.size(), -1), vertices(tree.words.size());
  for (std::size_t t = 0; t < tree.expected.size(); ++t)
    if (const auto at = std::ranges::find(options.class_names, tree.expected[t]); at != options.class_names.end())
      labels[t] = static_cast<std::int32_t>(at - options.class_names.begin());
  std::iota(vertices.begin(), vertices.end(), 0);
  const InputGraph graph = to_dependency_graph(tree.heads, word_ids(tree.words, options.words), labels);
  add_sample(graph, {chunk.text, chunk.name, tree.line}, samples,
             {std::move(tree.words), std::move(vertices), std::move(tree.expected)});
}

bool has_columns(std::string_view line) { return std::ranges::count(line, '\t') == 9; }

}  // namespace

extern const InputForm kDependenciesInput{
    .name = "dependencies",
    .doc = "a dependency tree in brackets",
    .extent = InputForm::Extent::kRoundBrackets,
    .fits = takes_dependencies,
    .begins = [](std::string_view line,
                 const SampleOptions& options) { return line.starts_with('(') && options.data_kind == "conllu"; },
    .example = [](const SampleOptions&) { return std::string(kDependencyExample); },
    .read =
        [](const InputChunk& chunk, const SampleOptions& options, Samples& samples) {
          for (DependencyText& tree : parse_dependency_text(chunk.text, chunk.name, chunk.line))
            add_tree({std::move(tree.words), {}, std::move(tree.heads), tree.line}, chunk, options, samples);
        },
};

extern const InputForm kConlluInput{
    .name = "conllu",
    .doc = "CoNLL-U",
    .extent = InputForm::Extent::kParagraph,
    .fits = takes_dependencies,
    .begins = [](std::string_view line, const SampleOptions&) { return has_columns(line) || line.starts_with('#'); },
    .example = [](const SampleOptions&) { return std::string("1\tgo\t_\t_\t_\t_\t0\troot\t_\t_\n"); },
    .read =
        [](const InputChunk& chunk, const SampleOptions& options, Samples& samples) {
          const ConlluColumn column = conllu_column(options.label_column);
          for (DependencySentence& sentence : parse_conllu(chunk.text, chunk.name, column, chunk.line))
            add_tree({{sentence.tokens.begin(), sentence.tokens.end()},
                      {sentence.tags.begin(), sentence.tags.end()},
                      std::move(sentence.heads),
                      sentence.line},
                     chunk, options, samples);
        },
};

}  // namespace cavs::inline v0_1
