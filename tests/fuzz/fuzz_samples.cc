#include "cavs/readers.h"
#include "data/dependency_graph.h"
#include "data/lexicon.h"
#include "fuzz/fuzz_check.h"

/// Input: samples for prediction, which every kind of model reads.
CAVS_FUZZ_TARGET(samples) {
  static const std::vector<std::pair<GraphSchema, std::string>> models{
      {tree_schema(), ""},          {tree_schema(), "conllu"}, {chain_schema(), "conll"},
      {spelled_chain_schema(), ""}, {tree_pair_schema(), ""},  {lattice_schema(), ""}};
  static const auto lexicon = std::make_shared<const Lexicon>("ab\nabc", "lexicon");
  for (const auto& [schema, kind] : models) {
    SampleOptions options{.schema = schema, .classes = 5};
    options.data_kind = kind;
    options.class_names = {"O", "B-A", "I-A"};
    options.tag_scheme = "iobes";
    options.lexicon = lexicon;
    check_input(
        [&options](std::string_view text) {
          const Samples samples = parse_samples(text, options);
          const auto count = static_cast<std::size_t>(samples.graphs.size());
          expect(samples.trees.size() == count && samples.texts.size() == count, "each sample has a tree and a text");
          for (const SampleText& said : samples.texts)
            expect(said.tokens.size() == said.vertices.size(), "each token has a vertex");
        },
        bytes);
  }
}
