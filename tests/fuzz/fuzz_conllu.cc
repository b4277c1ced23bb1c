#include "data/conllu.h"
#include "data/dependency_graph.h"
#include "fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cavs::expect_result_or_message(data, size, [](std::string_view text) {
    cavs::GraphSet graphs(cavs::tree_schema());
    for (const auto& sentence : cavs::parse_conllu(text, "fuzz", cavs::ConlluColumn::kDeprel)) {
      if (sentence.tokens.size() != sentence.heads.size() || sentence.tokens.size() != sentence.tags.size())
        __builtin_trap();
      const std::vector<std::int32_t> none(sentence.heads.size(), -1);
      graphs.add(cavs::to_dependency_graph(sentence.heads, none, none));  // a cycle is a UserError
    }
  });
  return 0;
}
