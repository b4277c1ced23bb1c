#include "data/conllu.h"
#include "data/dependency_graph.h"
#include "fuzz/fuzz_check.h"

CAVS_FUZZ_TARGET(conllu) {
  GraphSet graphs(tree_schema());
  for (const auto& sentence : parse_conllu(bytes, "fuzz", ConlluColumn::kDeprel)) {
    expect(sentence.tokens.size() == sentence.heads.size() && sentence.tokens.size() == sentence.tags.size(),
           "each token has a head and a tag");
    const std::vector<std::int32_t> none(sentence.heads.size(), -1);
    graphs.add(to_dependency_graph(sentence.heads, none, none));  // a cycle throws UserError
  }
}
