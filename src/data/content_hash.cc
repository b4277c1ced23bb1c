#include <span>

#include "cavs/graph.h"
#include "support/hash.h"

namespace cavs::inline v0_1 {
std::uint64_t content_hash(const GraphSet& data) {
  ContentHash hash;
  const auto add = [&](auto values) { hash.update(std::as_bytes(values)); };
  add(data.vertex_begin());
  add(data.types());
  add(data.child_begin());
  add(data.children());
  for (std::size_t p = 0; p < data.schema().index_ports.size(); ++p) add(data.index_pulls(p));
  for (std::size_t p = 0; p < data.schema().float_ports.size(); ++p) add(data.float_pulls(p));
  for (std::size_t p = 0; p < data.schema().float_ports.size(); ++p) add(data.float_present(p));
  for (std::size_t p = 0; p < data.schema().edge_index_ports.size(); ++p) add(data.edge_index_pulls(p));
  for (std::size_t p = 0; p < data.schema().edge_float_ports.size(); ++p) {
    add(data.edge_float_pulls(p));
    add(data.edge_float_present(p));
  }
  return hash.digest();
}

}  // namespace cavs::inline v0_1
