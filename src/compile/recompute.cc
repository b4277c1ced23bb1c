#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "compile/fuse.h"
#include "compile/passes.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {
namespace {

// Number of instructions that may be spent to save a byte. An instruction takes 0.02 ns per element. Moving a byte
// takes 0.02 ns to and from the last-level cache, and 0.1 ns beyond it (docs/measurements/kernels.md, "Costs that the
// compiler assumes").
constexpr double kInstructionsPerByte = 2;
constexpr double kFloatBytes = 4;

/// Returns the measured time of a scalar instruction, in units of the time of an addition.
double weight(ScalarOp op) {
  switch (op) {
    case ScalarOp::kInput:
    case ScalarOp::kConstant:
      return 0;
    case ScalarOp::kDiv:
      return 4;
    case ScalarOp::kRound:
      return 7;
    case ScalarOp::kSqrt:
      return 8;
    case ScalarOp::kSigmoid:
      return 16;
    case ScalarOp::kExp:
    case ScalarOp::kTanh:
      return 20;
    case ScalarOp::kLog:
      return 32;
    case ScalarOp::kErf:
      return 56;
    default:
      return 1;
  }
}

double instructions_of(const Node& node) {
  ScalarBuilder builder;
  std::vector<Scalar> x;
  for (std::size_t i = 0; i < node.in.size(); ++i) x.push_back(builder.input());
  const Scalar y = node.op->expr({x, node.attributes});
  double sum = 0;
  for (const ScalarInstruction& instruction : builder.finish({&y, 1}).code) sum += weight(instruction.op);
  return sum;
}

/// Cost of the loops of ∂F per row: bytes of F's values written and read, and instructions that recompute values.
struct Cost {
  double written = 0, read = 0, instructions = 0;
  double bytes() const { return written + read; }
};

Cost operator-(const Cost& a, const Cost& b) {
  return {a.written - b.written, a.read - b.read, a.instructions - b.instructions};
}

/// True if `change` moves fewer bytes and its instructions take at most the time of moving these bytes.
bool pays(const Cost& change) {
  return change.bytes() < 0 && change.instructions <= kInstructionsPerByte * -change.bytes();
}

bool element_wise(const Node& node) { return node.op->kind == OpKind::kElementwise; }

/// Facts about the values of F that do not depend on which values are recomputed.
class Values {
 public:
  explicit Values(const Function& f)
      : f_(f), stages_(find_stages(f)), readers_(f.nodes.size()), needed_(f.nodes.size()) {
    const auto count = static_cast<ValueId>(f.nodes.size());
    for (ValueId id = 0; id < count; ++id)
      for (ValueId input : f.nodes[id].in) readers_[input].push_back(id);
    for (ValueId id = count; id-- > 0;)
      needed_[id] = any_reader(id, [&](ValueId reader) { return needs_memory(reader, id); });
  }

  const Node& node(ValueId id) const { return f_.nodes[id]; }
  const std::vector<Stage>& stages() const { return stages_; }

  /// Returns the value that owns the memory of `id`, which may be a view.
  ValueId base(ValueId id) const {
    while (node(id).op->kind == OpKind::kView) id = node(id).in[0];
    return id;
  }

  /// True if all rows of the value are in memory when ∂F runs, even if all loops of ∂F recompute it.
  bool kept(ValueId id) const {
    id = base(id);
    return needed_[id] != 0 || node(id).op->kind == OpKind::kSource || (sums(id) && stages_[id] != Stage::kTask);
  }

  /// True if loops of ∂F may recompute the value: it is not kept, and only loops over the same elements read it.
  bool may_compute(ValueId id) const {
    const Node& value = node(id);
    if (id >= f_.forward || !element_wise(value) || value.in.empty() || kept(id)) return false;
    if (value.domain.kind == DomainKind::kParameter) return false;
    return !any_reader(id, [&](ValueId reader) { return node(reader).op->kind == OpKind::kView; });
  }

  bool same_elements(ValueId a, ValueId b) const {
    return node(a).domain == node(b).domain && node(a).shape.size() == node(b).shape.size();
  }

 private:
  template <typename F>
  bool any_reader(ValueId id, F f) const {
    return std::any_of(readers_[id].begin(), readers_[id].end(), f);
  }

  /// True for products and sums over rows. They are not members of row groups, so their operands are in the arena.
  bool sums(ValueId id) const {
    return node(id).op->kind == OpKind::kMatmul || node(id).op->kind == OpKind::kReduceRows;
  }

  /// True if `reader` needs all rows of `id` in memory and may not recompute them instead.
  bool needs_memory(ValueId reader, ValueId id) const {
    const OpKind kind = node(reader).op->kind;
    if (kind == OpKind::kSink) return true;
    if (reader >= f_.forward) return id < f_.forward && (!element_wise(node(reader)) || !same_elements(id, reader));
    if (kind == OpKind::kView || kind == OpKind::kConcat) return needed_[reader] != 0;
    return stages_[reader] != stages_[id] || (sums(reader) && stages_[id] != Stage::kTask);
  }

  const Function& f_;
  std::vector<Stage> stages_;
  std::vector<std::vector<ValueId>> readers_;
  std::vector<char> needed_;
};

/// Chooses values greedily: each value alone, or with all cheap values that it is computed from.
class Recompute {
 public:
  Recompute(const Function& f, const PassContext& context) : f_(f), context_(context), values_(f) {
    loop_of_.assign(f.nodes.size(), -1);
    for (const Group& group : find_groups(f, values_.stages(), true)) {
      if (!group.backward || !element_wise(f.nodes[group.nodes[0]])) continue;
      std::set<ValueId> reads;
      for (ValueId id : group.nodes) {
        loop_of_[id] = static_cast<int>(loops_.size());
        for (ValueId input : f.nodes[id].in)
          if (input < f.forward) reads.insert(input);
      }
      loops_.push_back(std::move(reads));
    }
  }

  Function run() {
    decide();
    explain();
    return chosen_.empty() ? f_ : apply();
  }

 private:
  using Choice = std::set<ValueId>;  // the values of F that loops of ∂F recompute

  const Node& node(ValueId id) const { return f_.nodes[id]; }

  /// The values that a loop of ∂F reads from memory, and those that it recomputes.
  struct Loop {
    std::set<ValueId> read, computed;
  };

  /// Adds to `loop` what it must read and compute to get `id` as an input of `reader`.
  void visit(ValueId id, ValueId reader, const Choice& choice, Loop& loop) const {
    if (!choice.contains(id) || !values_.same_elements(id, reader)) {
      loop.read.insert(id);
    } else if (loop.computed.insert(id).second) {
      for (ValueId input : node(id).in) visit(input, id, choice, loop);
    }
  }

  double bytes(ValueId id) const {
    const bool many = node(id).domain.kind != DomainKind::kParameter;  // a value of one row stays in the cache
    return many ? kFloatBytes * static_cast<double>(node(id).shape.size()) : 0;
  }

  Cost cost_of(const Choice& choice) const {
    Cost cost;
    std::set<ValueId> stored;
    for (const std::set<ValueId>& reads : loops_) {
      Loop loop;
      for (ValueId id : reads) visit(id, id, choice, loop);
      for (ValueId id : loop.read) {
        cost.read += bytes(id);
        stored.insert(values_.base(id));
      }
      for (ValueId id : loop.computed)
        cost.instructions += instructions_of(node(id)) * static_cast<double>(node(id).shape.size());
    }
    for (ValueId id : stored)
      if (!values_.kept(id)) cost.written += bytes(id);
    return cost;
  }

  /// Adds `id` to the choice and, if `deep`, all values over the same elements that `id` is computed from.
  void add(ValueId id, bool deep, Choice& choice) const {
    if (!choice.insert(id).second || !deep) return;
    for (ValueId input : node(id).in)
      if (values_.may_compute(input) && values_.same_elements(input, id)) add(input, deep, choice);
  }

  /// Adds values to the choice until no further value pays.
  void decide() {
    for (bool changed = true; changed;) {
      changed = false;
      for (ValueId id = 0; id < f_.forward; ++id)
        if (!chosen_.contains(id) && values_.may_compute(id) && is_read(id)) changed = consider(id) || changed;
    }
  }

  bool is_read(ValueId id) const {
    return std::any_of(loops_.begin(), loops_.end(), [&](const auto& reads) { return reads.contains(id); });
  }

  bool consider(ValueId id) {
    for (bool deep : {false, true}) {
      Choice choice = chosen_;
      add(id, deep, choice);
      const Cost change = cost_of(choice) - cost_of(chosen_);
      if (!deep || change.bytes() < changes_[id].bytes()) changes_[id] = change;
      if (!pays(change)) continue;
      chosen_ = std::move(choice);
      return true;
    }
    return false;
  }

  /// Logs the cost or gain of recomputing each value that was considered.
  void explain() const {
    if (context_.decisions == nullptr) return;
    for (const auto& [id, change] : changes_) {
      const auto size = static_cast<double>(node(id).shape.size());
      context_.decisions->push_back(
          fmt::format("%{} = {} again: {:+g} bytes written, {:+g} read, {:+g} instructions: {}", id, node(id).op->name,
                      change.written / size, change.read / size, change.instructions / size,
                      chosen_.contains(id) ? "computed again" : "stored"));
    }
  }

  Function apply() {
    Function out{.name = f_.name, .nodes = {f_.nodes.begin(), f_.nodes.begin() + f_.forward}, .forward = f_.forward};
    renamed_.resize(f_.nodes.size());
    for (ValueId id = f_.forward; id < static_cast<ValueId>(f_.nodes.size()); ++id) {
      std::vector<ValueId> in;
      for (ValueId input : node(id).in)
        in.push_back(input >= f_.forward ? renamed_[input] : value_in(loop_of_[id], input, input, out));
      renamed_[id] = append(out, *node(id).op, std::move(in), node(id).attributes);
      out.nodes[renamed_[id]].name = node(id).name;
    }
    return out;
  }

  /// Returns the node from which `loop` reads value `id` of F for `reader`: the stored value, or the loop's own copy.
  ValueId value_in(int loop, ValueId id, ValueId reader, Function& out) {
    if (loop < 0 || !chosen_.contains(id) || !values_.same_elements(id, reader)) return id;
    if (const auto it = copies_.find({loop, id}); it != copies_.end()) return it->second;
    std::vector<ValueId> in;
    for (ValueId input : node(id).in) in.push_back(value_in(loop, input, id, out));
    const ValueId copy = append(out, *node(id).op, std::move(in), node(id).attributes);
    out.nodes[copy].recomputed = id;
    return copies_[{loop, id}] = copy;
  }

  const Function& f_;
  const PassContext& context_;
  Values values_;
  std::vector<std::set<ValueId>> loops_;  // values of F that each loop of ∂F reads
  std::vector<int> loop_of_;              // [nodes of ∂F] number of the loop that has the node, or -1
  Choice chosen_;
  std::map<ValueId, Cost> changes_;                    // by value of F: the change of cost that was considered last
  std::map<std::pair<int, ValueId>, ValueId> copies_;  // by loop and value of F: the loop's copy
  std::vector<ValueId> renamed_;                       // [nodes of ∂F] id in the new function
};

}  // namespace

Function recompute(Function f, const PassContext& context) {
  return f.differentiated() && context.fuse ? Recompute(f, context).run() : f;
}

}  // namespace cavs::inline v0_1
