#include "cavs/readers.h"
#include "cavs/sentence_graphs.h"
#include "data/dependency_graph.h"
#include "fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::pair<cavs::GraphSchema, std::string>> models{
      {cavs::tree_schema(), ""},          {cavs::tree_schema(), "conllu"}, {cavs::chain_schema(), "conll"},
      {cavs::spelled_chain_schema(), ""}, {cavs::tree_pair_schema(), ""},  {cavs::lattice_schema(), ""}};
  for (const auto& [schema, kind] : models)
    cavs::expect_result_or_message(data, size, [&, &schema = schema, &kind = kind](std::string_view text) {
      cavs::SampleOptions options{.schema = schema, .classes = 5};
      options.data_kind = kind, options.tags = {"O", "B-A", "I-A"}, options.tag_scheme = "iobes";
      const cavs::Samples samples = cavs::parse_samples(text, options);
      const auto count = static_cast<std::size_t>(samples.graphs.size());
      if (samples.trees.size() != count || samples.texts.size() != count) __builtin_trap();
      for (const cavs::SampleText& said : samples.texts)
        if (said.tokens.size() != said.vertices.size()) __builtin_trap();
    });
  return 0;
}
