#include <span>

#include "graphs/graph_builders.h"
#include "support/hash.h"
#include "support/philox.h"

namespace cavs::inline v0_1 {

GraphSchema tree_of_two_types_schema() {
  GraphSchema schema = tree_with_outputs_schema();
  schema.types.emplace_back("inner2");
  return schema;
}

/// Draws one of two types for each inner vertex (TreeLSTM-2Type of ED-Batch, section 5.1). The seed is a hash of the
/// shape and the words of the tree, so equal trees always get equal types.
BuiltGraph build_tree_of_two_types(const InputGraph& tree) {
  constexpr std::int32_t kInner = 1;  // a type of tree_schema()
  const auto second = static_cast<std::int32_t>(tree_with_outputs_schema().types.size());
  const std::vector<std::int32_t> offsets(tree.child_offsets.begin(),
                                          tree.child_offsets.end());  // hashed for the seed
  ContentHash content;
  for (const auto* numbers : {&offsets, &tree.children, &tree.index_pulls[0]})
    content.update(std::as_bytes(std::span(*numbers)));
  Random coin(content.digest(), RandomPurpose::kGenerator);
  BuiltGraph built = build_tree_with_outputs(tree);
  for (std::int32_t& type : built.graph.types)
    if (type == kInner && coin.below(2) == 1) type = second;
  return built;
}

}  // namespace cavs::inline v0_1
