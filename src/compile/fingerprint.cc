#include "compile/fingerprint.h"

#include <fmt/format.h>

#include <set>

#include "ir/attribute_fields.h"
#include "ir/op.h"
#include "support/hash.h"

namespace cavs::inline v0_1 {

std::uint64_t fingerprint_of(std::span<const Function> functions) {
  std::string text;
  for (const Function& f : functions) {
    std::set<std::string> uses;  // sorted, so that the hash does not depend on the order of nodes
    for (const Node& node : f.nodes)
      if (node.is({OpId::kGather, OpId::kChildren, OpId::kScatter}))
        uses.insert(fmt::format("{} {} {}", node.op->name, fields_of(node.attributes).index, node.attribute_name()));
    text += f.name + "\n";
    for (const std::string& use : uses) text += " " + use + "\n";
  }
  return fnv1a(text);
}

}  // namespace cavs::inline v0_1
