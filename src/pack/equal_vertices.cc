// Which vertices of a data set are equal: of one type, with the same input and equal children (hash-consing).

#include <algorithm>
#include <bit>
#include <cstring>

#include "pack/minibatch.h"

namespace cavs {
namespace {

/// What the vertices of a type are compared by.
struct Inputs {
  struct Rows {
    const float* data;
    std::int32_t width;
  };
  std::vector<const std::int32_t*> numbers, edge_numbers;
  std::vector<Rows> rows, edge_rows;
};

/// Vertices by their key: open addressing, keys are made again where hashes are equal.
class EqualVertices {
 public:
  EqualVertices(const GraphSet& graphs, std::span<const std::int32_t> types, std::vector<Inputs> inputs,
                std::vector<std::int32_t>& classes)
      : graphs_(graphs), types_(types), inputs_(std::move(inputs)), classes_(classes) {
    table_.resize(std::bit_ceil(2 * types.size() + 1));
  }

  /// An earlier vertex that is equal, or the vertex itself, which must have been given classes for its children.
  std::int64_t first_equal(std::int64_t vertex, std::int64_t base) {
    make_key(vertex, base, key_);
    const std::uint64_t hash = hash_of(key_);
    for (std::size_t at = hash & (table_.size() - 1);; at = (at + 1) & (table_.size() - 1)) {
      Entry& entry = table_[at];
      if (entry.vertex < 0) {
        entry = {hash, vertex, base};
        return vertex;
      }
      if (entry.hash != hash) continue;
      make_key(entry.vertex, entry.base, other_);
      if (other_ == key_) return entry.vertex;
    }
  }

 private:
  struct Entry {
    std::uint64_t hash = 0;
    std::int64_t vertex = -1, base = 0;
  };

  static std::uint64_t hash_of(const std::vector<std::int32_t>& key) {
    std::uint64_t hash = key.size();
    for (const std::int32_t word : key) {
      hash = (hash ^ static_cast<std::uint32_t>(word)) * 0x9E3779B97F4A7C15U;
      hash ^= hash >> 32;
    }
    return hash;
  }

  static void append(const Inputs::Rows& rows, std::int64_t row, std::vector<std::int32_t>& key) {
    const std::size_t begin = key.size(), width = static_cast<std::size_t>(rows.width);
    key.resize(begin + width);
    std::memcpy(key.data() + begin, rows.data + row * rows.width, width * sizeof(float));
  }

  void make_key(std::int64_t vertex, std::int64_t base, std::vector<std::int32_t>& key) const {
    const Inputs& inputs = inputs_[types_[vertex]];
    key.assign(1, types_[vertex]);
    for (const std::int32_t* values : inputs.numbers) key.push_back(values[vertex]);
    for (const Inputs::Rows& rows : inputs.rows) append(rows, vertex, key);
    for (std::int64_t slot = graphs_.child_begin()[vertex]; slot < graphs_.child_begin()[vertex + 1]; ++slot) {
      const std::int32_t child = graphs_.children()[slot];
      key.push_back(child < 0 ? -1 : classes_[base + child]);
      for (const std::int32_t* values : inputs.edge_numbers) key.push_back(values[slot]);
      for (const Inputs::Rows& rows : inputs.edge_rows) append(rows, slot, key);
    }
  }

  const GraphSet& graphs_;
  std::span<const std::int32_t> types_;
  std::vector<Inputs> inputs_;
  const std::vector<std::int32_t>& classes_;
  std::vector<Entry> table_;
  std::vector<std::int32_t> key_, other_;
};

}  // namespace

/// Children before their parents: in a sample's order where that does, else by levels.
void BoundGraphs::find_equal() {
  classes_.clear(), class_count_ = 0;
  const auto& types = program_->types;
  if (!given_.empty() || std::ranges::none_of(types, &TypeProgram::shares_equal)) return;
  std::vector<Inputs> inputs(types.size());
  const auto rows_of = [&](const std::string& name) {
    const auto port = std::ranges::find(program_->float_ports, name, &GraphSchema::FloatPort::name);
    const auto number = static_cast<std::int32_t>(port - program_->float_ports.begin());
    return Inputs::Rows{float_port(number), static_cast<std::int32_t>(port->width)};
  };
  for (std::size_t t = 0; t < types.size(); ++t) {
    for (const std::string& port : types[t].inputs.numbers) inputs[t].numbers.push_back(index_port(port).data());
    for (const std::string& port : types[t].inputs.edge_numbers)
      inputs[t].edge_numbers.push_back(edge_index_port(port).data());
    for (const std::string& port : types[t].inputs.rows) inputs[t].rows.push_back(rows_of(port));
    for (const std::string& port : types[t].inputs.edge_rows) inputs[t].edge_rows.push_back(rows_of(port));
  }
  const GraphSet& g = *graphs_;
  classes_.resize(types_.size());
  EqualVertices equal(g, types_, std::move(inputs), classes_);
  std::vector<std::int64_t> order;
  for (std::int32_t s = 0; s < g.size(); ++s) {
    const std::int64_t base = g.vertex_begin()[s], end = g.vertex_begin()[s + 1];
    order.clear();
    bool ordered = true;
    for (std::int64_t v = base; v < end; ++v) {
      order.push_back(v);
      for (std::int64_t k = g.child_begin()[v]; k < g.child_begin()[v + 1]; ++k)
        ordered = ordered && g.children()[k] < v - base;
    }
    if (!ordered) std::ranges::stable_sort(order, {}, [&](std::int64_t v) { return g.levels()[v]; });
    for (const std::int64_t v : order) {
      const std::int64_t first = types[types_[v]].shares_equal ? equal.first_equal(v, base) : v;
      classes_[v] = first == v ? class_count_++ : classes_[first];
    }
  }
}

}  // namespace cavs
