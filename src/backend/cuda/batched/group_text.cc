#include "backend/cuda/batched/group_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "backend/cuda/entries/loop_text.h"
#include "backend/cuda/entries/operand_numbers.h"
#include "backend/cuda/entries/program_text.h"
#include "support/check.h"

namespace cavs::cuda {
namespace {

/// Identifies columns of an operand, in any row: kind, id, site, first column, width.
using Columns = std::tuple<StorageKind, std::int32_t, std::int32_t, std::int32_t, std::int32_t>;

class GroupText : TextWriter {
 public:
  GroupText(const TypeProgram& type, const Instruction& group)
      : type_(type), group_(group), members_(members_of(group)), product_(members_.front().as<Matmul>()) {
    std::int32_t all = 0;
    numbers_ = operand_numbers(type, group, all);
  }

  std::string write() {
    line("  static constexpr i32 kColumns = {};", group_.free_columns);
    if (product_ != nullptr) write_product_constants();
    line("  static CAVS_DEVICE void run(const EntryOperands& o, i32 r, i32 c{}) {{",
         product_ == nullptr ? "" : ", const float (&product)[kGates]");
    if (product_ != nullptr) write_product();
    for (std::size_t m = product_ == nullptr ? 0 : 1; m < members_.size();) {
      if (is_of_edge(m)) {
        m = write_edges(m);
      } else {
        write_member(m, "r");
        ++m;
      }
    }
    line("  }}");
    return take();
  }

 private:
  static Columns columns_of(const cavs::Operand& o) { return {o.kind, o.id, o.site, o.column, o.width}; }
  bool is_of_edge(std::size_t m) const { return members_[m].domain == kEdgeRows && group_.domain != kEdgeRows; }
  /// True if the member sums over edges. Groups have no other RowOps.
  bool is_fold(std::size_t m) const {
    const auto* const row = members_[m].as<RowOp>();
    CAVS_ASSERT(row == nullptr || row->op->id == OpId::kSumChildren);
    return row != nullptr;
  }

  void write_product_constants() {
    std::int32_t gates = 0;
    for (const cavs::Operand& out : members_.front().out) gates += out.width / product_->gate;
    line("  static constexpr i32 kGates = {};", gates);
    line("  static constexpr bool kAlong = {};", product_->transposed);
    std::set<unsigned> masks;
    for (const Factor& factor : product_->factors) {
      unsigned mask = 0;
      for (const std::int32_t out : factor.outs) {
        std::int32_t first = 0;
        for (std::int32_t before = 0; before < out; ++before)
          first += members_.front().out[before].width / product_->gate;
        for (std::int32_t g = 0; g < members_.front().out[out].width / product_->gate; ++g) mask |= 1U << (first + g);
      }
      masks.insert(mask);
    }
    line("  template <typename F>\n  static CAVS_DEVICE void each_mask([[maybe_unused]] unsigned mask, F f) {{");
    for (auto mask = masks.begin(); mask != masks.end(); ++mask)
      line("    {}f(Mask<{}U>());",
           std::next(mask) == masks.end() ? "" : fmt::format("if (mask == {}U) return ", *mask), *mask);
    line("  }}");
  }

  /// Defines names for the gates, and stores gates that are read elsewhere.
  void write_product() {
    std::int32_t target = 0;
    for (std::size_t k = 0; k < members_.front().out.size(); ++k) {
      cavs::Operand out = members_.front().out[k];
      const std::int32_t end = out.column + out.width, first = out.column;
      for (out.width = product_->gate; out.column < end; out.column += out.width, ++target) {
        names_[columns_of(out)] = fmt::format("product[{}]", target);
        if (numbers_.front().out[k] >= 0)
          line("    o.x({}).put(r, c + {}, product[{}]);", numbers_.front().out[k], out.column - first, target);
      }
    }
  }

  /// Writes the members of edges from `begin`, in a loop over the row's edges. @return one past the last of them
  std::size_t write_edges(std::size_t begin) {
    std::size_t end = begin;
    while (end < members_.size() && is_of_edge(end)) ++end;
    const auto outside = names_;
    std::set<Columns> computed;
    for (std::size_t m = begin; m < end; ++m)
      for (const cavs::Operand& out : members_[m].out) computed.insert(columns_of(out));
    std::vector<std::size_t> folds;
    for (std::size_t m = end; m < members_.size(); ++m)
      if (is_fold(m) && members_[m].in.front().index < 0 && computed.contains(columns_of(members_[m].in.front())))
        folds.push_back(m);
    for (const std::size_t fold : folds) line("    float sum{} = 0.0F;", fold);
    line("    {{");
    line("    const i32* const edges = o.entry.list(kGroupEdges);");
    line("    const i32 first = load_fixed(edges + r), last = load_fixed(edges + r + 1);");
    line("#pragma unroll 1\n    for (i32 e = first; e < last; ++e) {{");
    for (std::size_t m = begin; m < end; ++m) write_member(m, "e");
    for (const std::size_t fold : folds) {
      const std::string& term = names_.at(columns_of(members_[fold].in.front()));
      line("      sum{} = e == first ? {} : sum{} + {};", fold, term, fold, term);
      sums_[fold] = fmt::format("sum{}", fold);
    }
    line("    }}\n    }}");
    names_ = outside;
    return end;
  }

  void write_member(std::size_t m, std::string_view row) {
    const Instruction& member = members_[m];
    if (const auto* const loop = member.as<Elementwise>()) return write_loop(m, *loop, row);
    const std::string name = fmt::format("m{}", m);
    if (sums_.contains(m))
      line("    const float {} = {};", name, sums_.at(m));
    else
      line("    const float {} = segment_sum(o.x({}), {}, c);", name,
           member.is<GatherGradient>() ? numbers_[m].gathered : numbers_[m].in.front(), row);
    keep(m, 0, name, row);
  }

  void write_loop(std::size_t m, const Elementwise& loop, std::string_view row) {
    std::vector<std::string> in, out;
    for (std::size_t k = 0; k < members_[m].in.size(); ++k) {
      in.push_back(name_of(members_[m].in[k]));
      if (!in.back().empty()) continue;
      in.back() = fmt::format("m{}in{}", m, k);
      line("      [[maybe_unused]] const float {} = o.x({}).at({}, {});", in.back(), numbers_[m].in[k], row,
           members_[m].in[k].width == 1 ? "0" : "c");
    }
    add(scalar_text(loop.program, fmt::format("m{}", m), in, out));
    for (std::size_t k = 0; k < out.size(); ++k) keep(m, k, out[k], row);
  }

  /// Returns the name of a value that an earlier member has computed for the row, or for the edge's vertex; "" if the
  /// value must be read from memory.
  std::string name_of(const cavs::Operand& o) const {
    const bool own_row = o.index < 0 || type_.indices[o.index].kind == IndexKind::kEdgeVertex;
    const auto found = own_row ? names_.find(columns_of(o)) : names_.end();
    const bool is_tile = o.kind == StorageKind::kTensor && type_.tensors[o.id].tile >= 0;
    CAVS_ASSERT(!is_tile || found != names_.end());
    return found == names_.end() ? "" : found->second;
  }

  /// Sets the name of result `k` of a member, and stores the result if it is read elsewhere.
  void keep(std::size_t m, std::size_t k, const std::string& name, std::string_view row) {
    names_[columns_of(members_[m].out[k])] = name;
    if (numbers_[m].out[k] >= 0) line("      o.x({}).put({}, c, {});", numbers_[m].out[k], row, name);
  }

  const TypeProgram& type_;
  const Instruction& group_;
  const std::span<const Instruction> members_;
  const Matmul* const product_;
  std::vector<OperandNumbers> numbers_;
  std::map<Columns, std::string> names_;     // variables of the text that hold these columns of the row
  std::map<std::size_t, std::string> sums_;  // key: number of the member that sums over edges; its variable
};

}  // namespace

std::string group_text(const TypeProgram& type, const Instruction& group) { return GroupText(type, group).write(); }

}  // namespace cavs::cuda
