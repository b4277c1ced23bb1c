#include "compile/row_groups.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr DomainId kNoFamily = -1;

/// Returns the family of an instruction, or kNoFamily if it does not work row by row. Rows of one family are divided
/// among workers in the same way. Edges are in the family of vertices, as an edge is given to the worker of its vertex.
DomainId family_of(const Instruction& i) {
  const bool by_rows = i.is<Elementwise, RowOp, GatherGradient>();
  if (!by_rows || i.domain == kParameterRows) return kNoFamily;
  return i.domain == kEdgeRows ? kVertexRows : i.domain;
}

constexpr std::size_t edges(DomainId domain) { return domain == kEdgeRows ? 1 : 0; }

/// True if the instruction may join a row group of kind `grouping`.
bool is_grouped(const Instruction& i, RowGrouping grouping) {
  if (grouping != RowGrouping::kColumns) return family_of(i) != kNoFamily;
  const auto* const row = i.as<RowOp>();
  return i.free_columns > 0 && (row == nullptr || row->op->id == OpId::kSumChildren);
}

/// The ways in which an instruction can depend on an earlier instruction of its code.
enum class Link : std::uint8_t {
  kNone,
  kOrder,    // both add to the gradient of one parameter
  kColumns,  // the later one reads, of the same row, exactly the columns that the earlier one writes
  kRows,     // the later one reads other columns of the same row
  kAll,      // the later one also reads other rows
};

bool overlap(const Operand& x, const Operand& y) {
  return x.kind == y.kind && x.id == y.id && x.site == y.site && x.column < y.column + y.width &&
         y.column < x.column + x.width;
}

std::int32_t gradient_of(const Instruction& i) {
  if (const auto* lookup = i.as<LookupGradient>()) return lookup->parameter;
  for (const Operand& y : i.out)
    if (y.kind == StorageKind::kParameterGradient) return y.id;
  return -1;
}

Link link_of(const TypeProgram& type, const Instruction& earlier, const Instruction& later, RowGrouping grouping) {
  const bool by_columns = grouping == RowGrouping::kColumns;
  Link link = gradient_of(later) >= 0 && gradient_of(later) == gradient_of(earlier) ? Link::kOrder : Link::kNone;
  const bool same_family = is_grouped(earlier, grouping) && is_grouped(later, grouping) &&
                           family_of(later) == family_of(earlier) &&
                           (!by_columns || later.free_columns == earlier.free_columns);
  for (const Operand& x : later.in)
    for (const Operand& y : earlier.out) {
      if (!overlap(x, y)) continue;
      const IndexRequest* index = x.index < 0 ? nullptr : &type.indices[x.index];
      if (index != nullptr && index->of_states()) continue;  // the rows were written by other tasks
      const bool by_rows = same_family && (index == nullptr || index->kind == IndexKind::kEdgeVertex);
      const bool same_columns = x.column == y.column && x.width == y.width;
      const Link by_row = same_columns ? Link::kColumns : by_columns ? Link::kAll : Link::kRows;
      link = std::max(link, by_rows ? by_row : Link::kAll);
    }
  return link;
}

/// Returns the number of columns if each can be computed independently of the others; else 0.
std::int32_t free_columns(const Instruction& i) {
  if (family_of(i) == kNoFamily) return 0;
  if (const auto* row = i.as<RowOp>(); row != nullptr && !row->op->column_wise) return 0;
  const std::int32_t width = i.out.front().width;
  const bool alike = std::all_of(i.in.begin(), i.in.end(), [&](const Operand& x) {
    return x.width == width || (x.width == 1 && i.is<Elementwise>());
  });
  return alike ? width : 0;
}

std::array<std::int32_t, 2> widths_of(const Instruction& i) {
  std::array<std::int32_t, 2> widths{};
  if (i.is<SegmentSum>()) widths[0] = i.out[0].width;
  if (family_of(i) == kNoFamily) return widths;
  std::int32_t& width = widths[edges(i.domain)];
  for (const Operand& y : i.out) width += y.width;
  if (i.is<RowOp>() && !i.in.empty()) width = std::max(width, i.in[0].width);
  return widths;
}

/// Gives each instruction a position and sorts by position. Row-by-row instructions have even positions, and those of
/// one family and position become a group. All other instructions have odd positions.
class Grouping {
 public:
  Grouping(const TypeProgram& type, Code& code, RowGrouping grouping)
      : code_(code), grouping_(grouping), links_(code.size()), position_(code.size()) {
    for (std::size_t j = 0; j < code.size(); ++j)
      for (std::size_t i = 0; i < j; ++i)
        if (const Link link = link_of(type, code[i], code[j], grouping); link != Link::kNone)
          links_[j].push_back({i, link});
  }

  void run() {
    raise();
    delay();
    form();
  }

 private:
  struct Dependency {
    std::size_t on;
    Link link;
  };

  bool by_rows(std::size_t i) const { return is_grouped(code_[i], grouping_); }

  /// Returns the nearest position that instruction `i` may have before (step -1) or after (step 1) `position`.
  int beside(int position, std::size_t i, int step) const {
    const int next = position + step;
    return (next % 2 == 0) == by_rows(i) ? next : next + step;
  }

  void raise() {
    for (std::size_t j = 0; j < code_.size(); ++j) {
      position_[j] = by_rows(j) ? 0 : 1;
      for (const auto [i, link] : links_[j])
        position_[j] = std::max(position_[j], link == Link::kAll ? beside(position_[i], j, 1) : position_[i]);
    }
  }

  /// Moves each row-by-row instruction into the first group that reads its value, so that the value needs no memory.
  void delay() {
    constexpr int kNever = std::numeric_limits<int>::max();
    std::vector<int> latest(code_.size(), kNever);
    for (std::size_t j = code_.size(); j-- > 0;) {
      if (by_rows(j) && latest[j] != kNever) position_[j] = std::max(position_[j], latest[j]);
      for (const auto [i, link] : links_[j])
        latest[i] = std::min(latest[i], link == Link::kAll ? beside(position_[j], i, -1) : position_[j]);
    }
  }

  void form() {
    std::vector<std::size_t> order(code_.size());
    std::iota(order.begin(), order.end(), 0);
    const auto place = [&](std::size_t i) {
      const std::int32_t columns = grouping_ == RowGrouping::kColumns ? code_[i].free_columns : 0;
      return std::tuple{position_[i], family_of(code_[i]), columns};
    };
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return place(a) < place(b); });
    Code grouped;
    std::vector<std::int32_t> level(code_.size(), -1);
    std::int32_t last = -1;
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      do ++end;
      while (end < order.size() && by_rows(order[begin]) && place(order[end]) == place(order[begin]));
      const std::span<const std::size_t> members(order.data() + begin, end - begin);
      last = std::max(last, level_of(members, level));
      for (std::size_t i : members) level[i] = last;
      grouped.push_back(members.size() == 1 ? std::move(code_[members[0]]) : make_group(members));
      grouped.back().level = last;
    }
    code_ = std::move(grouped);
  }

  /// Returns the first level at which the members may run. They must wait for values that other workers compute: those
  /// of sums, and of other groups, whose rows may be divided in another way.
  std::int32_t level_of(std::span<const std::size_t> members, const std::vector<std::int32_t>& level) const {
    std::int32_t first = 0;
    for (std::size_t j : members)
      for (const auto [i, link] : links_[j]) {
        const bool is_member = std::ranges::find(members, i) != members.end();
        if (link == Link::kAll || (link != Link::kOrder && !is_member)) first = std::max(first, level[i] + 1);
      }
    return first;
  }

  Instruction make_group(std::span<const std::size_t> members) {
    Instruction group{.kind = RowGroup{}, .domain = kEdgeRows};
    group.free_columns = code_[members[0]].free_columns;
    for (std::size_t j : members) {
      const Instruction& i = code_[j];
      if (i.domain != kEdgeRows) group.domain = i.domain;
      for (std::size_t d = 0; d < group.widths.size(); ++d) group.widths[d] += i.widths[d];
      if (i.free_columns != group.free_columns) group.free_columns = 0;
      for (const auto [on, link] : links_[j])  // a worker would have only some columns of the row
        if (link == Link::kRows && std::find(members.begin(), members.end(), on) != members.end())
          group.free_columns = 0;
    }
    for (std::size_t j : members) group.as<RowGroup>()->members.push_back(std::move(code_[j]));
    return group;
  }

  Code& code_;
  const RowGrouping grouping_;
  std::vector<std::vector<Dependency>> links_;
  std::vector<int> position_;
};

/// Gives each tensor that only one group uses a place in the tile of that group.
class Tiles {
 public:
  Tiles(TypeProgram& type, RowGrouping grouping) : type_(type), grouping_(grouping), users_(type.tensors.size()) {
    each_code(type, [&](Code& code, bool, Stage) {
      for (Instruction& i : code) {
        use(i, &i);
        if (const auto* group = i.as<RowGroup>())
          for (const Instruction& member : group->members) {
            use(member, &i);
            compute(member);
          }
      }
    });
    for (const Loss& loss : type.losses) use(loss.operand, nullptr);
    for (const auto* outputs : {&type.pushes, &type.pull_gradients, &type.push_gradients})
      for (const Output& output : *outputs) use(output.operand, nullptr);
  }

  void place() {
    for (std::size_t t = 0; t < users_.size(); ++t) {
      if (users_[t].size() != 1 || users_[t][0] == nullptr) continue;
      auto* const group = users_[t][0]->as<RowGroup>();
      if (group == nullptr) continue;
      Tensor& tensor = type_.tensors[t];
      if (grouping_ == RowGrouping::kColumns && tensor.domain == kEdgeRows &&
          !is_of_one_loop(*group, static_cast<std::int32_t>(t)))
        continue;
      std::int32_t& width = group->tile_widths[edges(tensor.domain)];
      tensor.tile = width;
      tensor.spans_tasks = false;
      width += tensor.width;
    }
  }

 private:
  /// True if the members that run over edges and use the tensor follow each other. A thread then runs them in one loop
  /// over the edges of a row, and holds the tensor's numbers of one edge at a time.
  static bool is_of_one_loop(const RowGroup& group, std::int32_t tensor) {
    const auto is_it = [&](const Operand& o) { return o.kind == StorageKind::kTensor && o.id == tensor; };
    int loops = 0;
    bool in_loop = false, is_touched = false;
    for (const Instruction& i : group.members) {
      if (i.domain != kEdgeRows) in_loop = false;
      if (i.domain == kEdgeRows && !std::exchange(in_loop, true)) is_touched = false;
      if (i.domain == kEdgeRows && (std::ranges::any_of(i.in, is_it) || std::ranges::any_of(i.out, is_it)))
        loops += std::exchange(is_touched, true) ? 0 : 1;
    }
    return loops == 1;
  }

  /// Clears Tensor::gathers of a member's result, since members write to registers, and no register can be a view.
  void compute(const Instruction& member) {
    if (grouping_ == RowGrouping::kColumns && member.is<GatherGradient>() && member.out[0].kind == StorageKind::kTensor)
      type_.tensors[member.out[0].id].gathers = -1;
  }

  void use(const Instruction& i, Instruction* user) {
    for (const Operand& x : i.in) use(x, user);
    for (const Operand& y : i.out) use(y, user);
    if (const auto* entropy = i.as<LinearCrossEntropy>()) use(entropy->tile, user);
  }

  void use(const Operand& o, Instruction* user) {
    if (o.kind != StorageKind::kTensor) return;
    auto& users = users_[o.id];
    if (std::find(users.begin(), users.end(), user) == users.end()) users.push_back(user);
  }

  TypeProgram& type_;
  const RowGrouping grouping_;
  std::vector<std::vector<Instruction*>> users_;  // [tensors] users; nullptr: the caller reads the tensor
};

}  // namespace

void group_rows(TypeProgram& type, RowGrouping grouping) {
  each_code(type, [&](Code& code, bool, Stage) {
    for (Instruction& i : code) {
      i.free_columns = free_columns(i);
      i.widths = widths_of(i);
    }
    if (grouping != RowGrouping::kNone) Grouping(type, code, grouping).run();
  });
}

void place_tiles(TypeProgram& type, RowGrouping grouping) {
  if (grouping != RowGrouping::kNone) Tiles(type, grouping).place();
}

}  // namespace cavs::inline v0_1
