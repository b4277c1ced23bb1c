#include "cavs/readers.h"
#include "data/input_form.h"
#include "data/listops.h"
#include "data/text.h"

namespace cavs::inline v0_1 {
namespace {

constexpr int kListOpsClasses = 10;

bool takes_trees(const SampleOptions& options) { return options.schema == tree_schema(); }

/// True if the model accepts expressions, whose labels are the values of operators.
bool takes_expressions(const SampleOptions& options) {
  return takes_trees(options) && options.class_names.empty() &&
         (options.classes == 0 || options.classes >= kListOpsClasses);
}

void add_trees(std::vector<Tree> trees, const InputChunk& chunk, const SampleOptions& options, Samples& samples) {
  for (Tree& tree : trees) {
    const InputGraph graph = to_graph(tree, options.words);
    const auto line = tree.line;
    add_sample(graph, {chunk.text, chunk.name, line}, samples, {}, std::move(tree));
  }
}

}  // namespace

extern const InputForm kTreesInput{
    .name = "trees",
    .doc = "a tree in brackets",
    .extent = InputForm::Extent::kRoundBrackets,
    .fits = takes_trees,
    .begins =
        [](std::string_view line, const SampleOptions& options) {
          const bool expression = takes_expressions(options) && begins_listops(line);
          return line.starts_with('(') && options.data_kind != "conllu" && !expression;
        },
    .example = [](const SampleOptions&) { return std::string("((It) ((works) (.)))"); },
    .read =
        [](const InputChunk& chunk, const SampleOptions& options, Samples& samples) {
          const TreebankOptions reading{.classes = options.classes,
                                        .first_line = chunk.line,
                                        .class_names = options.class_names.empty() ? nullptr : &options.class_names};
          add_trees(parse_treebank(chunk.text, chunk.name, reading), chunk, options, samples);
        },
};

extern const InputForm kExpressionsInput{
    .name = "expressions",
    .doc = "a ListOps expression",
    .extent = InputForm::Extent::kSquareBrackets,
    .fits = takes_expressions,
    .begins = [](std::string_view line, const SampleOptions&) { return begins_listops(line); },
    .example = [](const SampleOptions&) { return std::string("[MAX 2 9 [MIN 4 7] 0]"); },
    .read =
        [](const InputChunk& chunk, const SampleOptions& options, Samples& samples) {
          add_trees(parse_listops_file(chunk.text, chunk.name, chunk.line), chunk, options, samples);
        },
};

}  // namespace cavs::inline v0_1
