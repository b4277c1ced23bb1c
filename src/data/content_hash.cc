#include "data/content_hash.h"

#include <span>

#include "support/hash.h"

namespace cavs {
namespace {

template <typename T>
void hash_array(ContentHash& hash, std::span<const T> values) {
  hash.update(std::as_bytes(values));
}

}  // namespace

std::uint64_t content_hash(const GraphSet& data) {
  ContentHash hash;
  hash_array(hash, data.vertex_begin());
  hash_array(hash, data.types());
  hash_array(hash, data.child_begin());
  hash_array(hash, data.children());
  for (std::size_t p = 0; p < data.schema().index_ports.size(); ++p) hash_array(hash, data.index_pulls(p));
  for (std::size_t p = 0; p < data.schema().float_ports.size(); ++p) hash_array(hash, data.float_pulls(p));
  for (std::size_t p = 0; p < data.schema().float_ports.size(); ++p) hash_array(hash, data.float_present(p));
  for (std::size_t p = 0; p < data.schema().edge_index_ports.size(); ++p) hash_array(hash, data.edge_index_pulls(p));
  for (std::size_t p = 0; p < data.schema().edge_float_ports.size(); ++p) {
    hash_array(hash, data.edge_float_pulls(p));
    hash_array(hash, data.edge_float_present(p));
  }
  return hash.digest();
}

}  // namespace cavs
