#include "compile/fingerprint.h"

#include <fmt/format.h>

#include <set>

#include "ops/op.h"
#include "support/hash.h"

namespace cavs {

std::uint64_t fingerprint_of(std::span<const Function> functions) {
  std::string text;
  for (const Function& f : functions) {
    std::set<std::string> uses;  // in an order of its own: that of the nodes does not matter
    for (const Node& node : f.nodes)
      if (node.op->name == "gather" || node.op->name == "children" || node.op->name == "scatter")
        uses.insert(fmt::format("{} {} {}", node.op->name, node.attributes.index, node.attributes.name));
    text += f.name + "\n";
    for (const std::string& use : uses) text += " " + use + "\n";
  }
  return fnv1a(text);
}

}  // namespace cavs
