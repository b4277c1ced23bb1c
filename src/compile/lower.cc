#include "compile/lower.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "compile/domains.h"
#include "compile/fuse.h"
#include "compile/merge_products.h"
#include "compile/passes.h"
#include "compile/row_groups.h"
#include "compile/storage.h"
#include "ops/window.h"

namespace cavs::inline v0_1 {
namespace {

class Lowering {
 public:
  Lowering(Program& program, std::int32_t type)
      : program_(program), type_(program.types[type]), f_(type_.function), storage_(program, type) {}

  void run() {
    const Target& target = program_.target;
    const RowGrouping grouping = is_on(program_.options, "fuse_rows") ? target.grouping : RowGrouping::kNone;
    groups_ = find_groups(f_, type_.stages, target.fuses_loops && is_on(program_.options, "fuse"));
    find_uses();
    for (const Group& group : groups_) {
      if (is_in_place(group.nodes.front()) || is_dead(group)) continue;
      Instruction instruction = lower_group(group);
      instruction.level = group.level;
      type_.code[group.backward][static_cast<int>(group.stage)].push_back(std::move(instruction));
    }
    find_outputs();
    mark_spanning();
    find_gathered_views();
    group_rows(type_, grouping);
    each_code(type_, [&](Code& code, bool backward, Stage stage) {
      place_barriers(code);
      if (is_on(program_.options, "merge_products")) {
        merge_products(code, target.slice_columns);
        if (grouping != RowGrouping::kNone) fuse_product_into_group(code, target);
      }
      assign_weight_ids(program_, code);
      type_.cost[backward][static_cast<std::size_t>(stage)] = cost_of(code);
    });
    place_tiles(type_, grouping);
  }

 private:
  Instruction lower_group(const Group& group) {
    const ValueId id = group.nodes.front();
    const Node& node = f_.nodes[id];
    Instruction i;
    i.values = group.nodes;
    i.domain = storage_.domain_id(running_domain(f_, id));
    switch (node.op->kind) {
      case OpKind::kElementwise:
        lower_elementwise(i, group);
        break;
      case OpKind::kMatmul:
        lower_matmul(i, id);
        break;
      case OpKind::kReduceRows:
        lower_reduction(i, id);
        break;
      case OpKind::kRow:
        if (node.is(OpId::kSegmentSum))
          lower_segment_sum(i, id);
        else
          lower_row(i, id);
        break;
      case OpKind::kLinearLoss:
        lower_linear_loss(i, group);
        break;
      default:
        lower_transfer(i, id);
        break;
    }
    return i;
  }

  void lower_elementwise(Instruction& i, const Group& group) {
    ScalarBuilder builder;
    std::map<ValueId, Scalar> scalars;
    std::vector<Scalar> outputs;
    std::vector<ValueId> written;
    for (ValueId id : group.nodes) {
      const Node& node = f_.nodes[id];
      std::vector<Scalar> x;
      for (int k = 0; k < static_cast<int>(node.in.size()); ++k) {
        const ValueId input = node.in[k];
        auto it = scalars.find(input);
        if (it == scalars.end()) it = scalars.emplace(input, read_scalar(builder, i, id, k)).first;
        x.push_back(it->second);
      }
      const Scalar y = node.op->expr({x, node.attributes});
      scalars.emplace(id, y);
      if (!read_outside(id, group)) continue;
      i.out.push_back(storage_.written(id));
      outputs.push_back(y);
      written.push_back(id);
    }
    for (ValueId id : group.nodes)
      if (std::find(written.begin(), written.end(), id) == written.end()) written.push_back(id);
    i.values = written;
    ScalarProgram program = builder.finish(outputs);
    i.flops_per_row = static_cast<double>(program.code.size()) * i.out.front().width;
    i.kind = Elementwise{std::move(program), program_.loops++};
  }

  Scalar read_scalar(ScalarBuilder& builder, Instruction& i, ValueId id, int k) {
    const Node& input = f_.nodes[f_.nodes[id].in[k]];
    if (input.is(OpId::kConstant)) return builder.constant(input.get<attr::Constant>().number);
    i.in.push_back(storage_.read(id, k));
    return builder.input();
  }

  void lower_matmul(Instruction& i, ValueId id) {
    const Node& node = f_.nodes[id];
    auto& matmul = i.kind.emplace<Matmul>();
    matmul.transposed = node.is({OpId::kMatmulTransposed, OpId::kMatmulTransposedSum});
    i.out = {storage_.written(id)};
    for (int k = 0; k < static_cast<int>(node.in.size()); k += 2) {
      i.in.push_back(storage_.read(id, k));
      const std::int32_t parameter = storage_.parameter(f_.nodes[node.in[k + 1]].attribute_name());
      matmul.factors.push_back({{parameter}, {0}, {k > 0}});
      i.flops_per_row += 2.0 * i.in.back().width * i.out[0].width;
    }
  }

  void lower_reduction(Instruction& i, ValueId id) {
    const Node& node = f_.nodes[id];
    for (int k = 0; k < static_cast<int>(node.in.size()); ++k) i.in.push_back(storage_.read(id, k));
    i.out = {storage_.written(id)};
    if (node.is(OpId::kWeightGradient)) {
      const std::int32_t rows = node.get<attr::Matrices>().rows;
      i.kind = WeightGradient{rows};
      i.flops_per_row = 2.0 * i.in[0].width * i.in[1].width / rows;
    } else {
      i.kind = SumRows{};
      i.flops_per_row = i.in[0].width;
    }
  }

  void lower_row(Instruction& i, ValueId id) {
    const Node& node = f_.nodes[id];
    auto& row = i.kind.emplace<RowOp>();
    row.op = node.op;
    if (const auto* a = std::get_if<attr::Number>(&node.attributes)) row.number = static_cast<float>(a->number);
    for (int k = 0; k < static_cast<int>(node.in.size()); ++k) {
      const Node& input = f_.nodes[node.in[k]];
      if (input.is_index)
        row.labels = storage_.index_slot({IndexKind::kPort, 0, input.attribute_name(), i.domain});
      else
        i.in.push_back(storage_.read(id, k));
    }
    i.out = {storage_.written(id)};
    if (const auto* a = std::get_if<attr::Dropout>(&node.attributes)) {
      (i.domain == kEdgeRows ? type_.random_edges : type_.random) = true;
      row.mask_id = a->mask;
      row.by_sample = a->by_sample;
      row.number = static_cast<float>(a->probability);
    }
    if (const auto* a = std::get_if<attr::Window>(&node.attributes)) row.window = window_of(*a);
    std::int32_t widest = i.out[0].width;
    for (const Operand& x : i.in) widest = std::max(widest, x.width);
    i.flops_per_row = 4.0 * widest;
    if (const auto* a = std::get_if<attr::Matrices>(&node.attributes)) {
      row.matrix_rows = a->rows;
      i.flops_per_row = 0;
      for (std::size_t k = 0; k < i.in.size(); k += 2)
        i.flops_per_row += 2.0 * i.in[k].width * i.out[0].width / row.matrix_rows;
    }
  }

  void lower_segment_sum(Instruction& i, ValueId id) {
    const Domain& domain = f_.nodes[id].domain;
    i.in = {storage_.read(id, 0)};
    CAVS_ASSERT(i.in[0].index < 0);
    i.kind = SegmentSum{is_partial(domain) ? i.domain : i.in[0].domain};
    if (is_partial(domain)) i.in[0].index = storage_.index_slot({IndexKind::kPartialVertex, 0, domain.port, i.domain});
    i.out = {storage_.written(id)};
    i.flops_per_row = i.out[0].width;
  }

  void lower_linear_loss(Instruction& i, const Group& group) {
    const ValueId id = group.nodes.front();
    const Node& loss = f_.nodes[id];
    CAVS_ASSERT(loss.is(OpId::kLinearCrossEntropy));
    const Shape& w = f_.nodes[loss.in[1]].shape;
    auto& entropy = i.kind.emplace<LinearCrossEntropy>();
    i.in = {storage_.read(id, 0)};
    if (loss.in.size() == 4) i.in.push_back(storage_.read(id, 3));
    entropy.parameter = storage_.parameter(f_.nodes[loss.in[1]].attribute_name());
    entropy.labels = storage_.index_slot({IndexKind::kPort, 0, f_.nodes[loss.in[2]].attribute_name(), i.domain});
    const std::int32_t tile_rows = program_.target.sum_rows * program_.target.tile_sums;
    entropy.tile = storage_.new_tile(fmt::format("logits of {}", describe(f_, id)), w.dims[1], tile_rows);
    i.flops_per_row = 4.0 * w.dims[1];
    for (ValueId node : group.nodes) {
      const OpId op = f_.nodes[node].op->id;
      const auto number = static_cast<std::int32_t>(i.out.size());
      if (op == OpId::kLinearCrossEntropyDx) entropy.dx = number;
      if (op == OpId::kLinearCrossEntropyDw) entropy.dw = number;
      if (op == OpId::kLinearCrossEntropyDb) entropy.db = number;
      i.flops_per_row += op == OpId::kLinearCrossEntropyDb ? w.dims[1] : 2.0 * static_cast<double>(w.size());
      i.out.push_back(storage_.written(node));
    }
    entropy.weight = weight_id(program_, {{entropy.parameter}, false});
    if (entropy.dx >= 0) entropy.transposed_weight = weight_id(program_, {{entropy.parameter}, true});
  }

  void lower_transfer(Instruction& i, ValueId id) {
    const Node& node = f_.nodes[id];
    const OpId op = node.op->id;
    if (op == OpId::kGatherGradient) {
      i.out = {storage_.written(id)};
      const auto it = std::find_if(program_.states.begin(), program_.states.end(),
                                   [&](const State& s) { return s.name == node.attribute_name(); });
      i.kind = GatherGradient{static_cast<std::int32_t>(it - program_.states.begin())};
      i.flops_per_row = i.out[0].width;
    } else if (op == OpId::kLookupGradient) {
      i.in = {storage_.read(id, 1)};
      i.kind =
          LookupGradient{storage_.parameter(node.attribute_name()),
                         storage_.index_slot({IndexKind::kPort, 0, f_.nodes[node.in[0]].attribute_name(), i.domain})};
      i.flops_per_row = i.in[0].width;
    } else {
      lower_accumulate(i, id);
    }
  }

  /// True if the sum over rows that node `id` accumulates is written directly into the parameter's gradient.
  bool is_in_place(ValueId id) {
    if (!f_.nodes[id].is(OpId::kAccumulate)) return false;
    const ValueId g = f_.nodes[id].in[0];
    return storage_.has_place(g) && storage_.written(g).kind == StorageKind::kParameterGradient;
  }

  /// Adds a value to a parameter's gradient, for reductions that do not write into the gradient directly.
  void lower_accumulate(Instruction& i, ValueId id) {
    const std::int32_t p = storage_.parameter(f_.nodes[id].attribute_name());
    i.kind = SumRows{};
    i.domain = kParameterRows;
    i.in = {storage_.read(id, 0)};
    i.out = {{.kind = StorageKind::kParameterGradient, .id = p, .width = i.in[0].width, .domain = kParameterRows}};
  }

  void find_uses() {
    readers_.resize(f_.nodes.size());
    for (ValueId id = 0; id < static_cast<ValueId>(f_.nodes.size()); ++id)
      for (ValueId input : f_.nodes[id].in) readers_[input].push_back(id);
  }

  bool read_outside(ValueId id, const Group& group) const {
    return std::any_of(readers_[id].begin(), readers_[id].end(), [&](ValueId reader) {
      return !std::binary_search(group.nodes.begin(), group.nodes.end(), reader);
    });
  }

  /// True if the group is an element-wise node that no other node reads. Such nodes exist only without pass simplify.
  bool is_dead(const Group& group) const {
    return f_.nodes[group.nodes.front()].op->kind == OpKind::kElementwise &&
           std::none_of(group.nodes.begin(), group.nodes.end(), [&](ValueId id) { return read_outside(id, group); });
  }

  std::int32_t labels_of(ValueId loss) {
    const ValueId label = label_of(f_, loss);
    if (label < 0) return -1;
    return storage_.index_slot({IndexKind::kPort, 0, f_.nodes[label].attribute_name()});
  }

  void find_outputs() {
    for (ValueId id = 0; id < static_cast<ValueId>(f_.nodes.size()); ++id) {
      const Node& node = f_.nodes[id];
      const OpId op = node.op->id;
      if (op == OpId::kLoss) type_.losses.push_back({storage_.written(node.in[0]), labels_of(node.in[0])});
      const auto output = [&](ValueId value) {
        return Output{node.attribute_name(), storage_.written(value), f_.nodes[value].shape};
      };
      if (op == OpId::kPush) type_.pushes.push_back(output(node.in[0]));
      if (op == OpId::kScatter) type_.scatters.push_back(output(node.in[0]));
      if (op == OpId::kPullGradient) type_.pull_gradients.push_back(output(node.in[0]));
      if (op == OpId::kPushGradient) type_.push_gradients.push_back(output(id));
    }
  }

  /// Sets Tensor::spans_tasks. Tensors that span no tasks are used row by row, by tasks of one direction (F or ∂F).
  void mark_spanning() {
    std::vector<std::set<const Code*>> touched(type_.tensors.size());
    const auto touch = [&](const Operand& operand, const Code* code) {
      if (operand.kind != StorageKind::kTensor) return;
      touched[operand.id].insert(code);
      if (operand.index >= 0) type_.tensors[operand.id].spans_tasks = true;
    };
    const Code* const elsewhere = nullptr;
    each_code(type_, [&](const Code& code, bool, Stage stage) {
      for (const Instruction& i : code)
        for (const auto* operands : {&i.in, &i.out})
          for (const Operand& operand : *operands) touch(operand, stage == Stage::kTask ? &code : elsewhere);
    });
    for (const Loss& loss : type_.losses) touch(loss.operand, elsewhere);
    for (const auto* outputs : {&type_.pushes, &type_.pull_gradients, &type_.push_gradients})
      for (const Output& output : *outputs) touch(output.operand, elsewhere);
    for (std::size_t t = 0; t < touched.size(); ++t) {
      const bool one_task = touched[t].size() == 1 && *touched[t].begin() != nullptr;
      if (!one_task || type_.tensors[t].domain == kParameterRows) type_.tensors[t].spans_tasks = true;
    }
  }

  /// Sets Tensor::gathers of gathered gradients that are only read row by row. An instruction can read each operand
  /// through one list of rows, so it may read the scattered rows instead.
  void find_gathered_views() {
    std::vector<char> other_uses(type_.tensors.size(), 0);
    const auto use = [&](const Operand& o) {
      if (o.kind == StorageKind::kTensor) other_uses[o.id] = 1;
    };
    for (const auto* outputs : {&type_.pushes, &type_.pull_gradients, &type_.push_gradients})
      for (const Output& output : *outputs) use(output.operand);
    each_code(type_, [&](const Code& code, bool, Stage) {
      for (const Instruction& i : code) {
        for (const Operand& o : i.in)
          if (o.index >= 0) use(o);
        for (const Operand& o : i.out)
          if (!i.is<GatherGradient>() || o.width != o.stride) use(o);
      }
    });
    for (const Code& code : type_.code[1])
      for (const Instruction& i : code)
        if (const auto* gather = i.as<GatherGradient>();
            gather != nullptr && i.out[0].kind == StorageKind::kTensor && other_uses[i.out[0].id] == 0)
          type_.tensors[i.out[0].id].gathers = gather->state;
  }

  /// Instructions of one level are independent, so the team waits only where the level changes.
  static void place_barriers(Code& code) {
    for (std::size_t i = 1; i < code.size(); ++i) code[i].barrier = code[i].level != code[i - 1].level;
  }

  CodeCost cost_of(const Code& code) const {
    CodeCost cost{.flops = std::vector<double>(kPartialRows + type_.partial_domains.size()), .waits = 1};
    each_instruction(code, [&](const Instruction& i) { cost.flops[i.domain] += i.flops_per_row; });
    for (const Instruction& i : code) {
      cost.waits += i.barrier ? 1 : 0;
      cost.needs_team = cost.needs_team || i.is<WeightGradient, SumRows, LookupGradient, LinearCrossEntropy>();
    }
    while (cost.by_rows < static_cast<std::int32_t>(code.size()) && is_by_rows(code[cost.by_rows])) ++cost.by_rows;
    each_instruction(std::span(code).first(cost.by_rows),
                     [&](const Instruction& i) { cost.row_flops += i.flops_per_row; });
    return cost;
  }

  /// True if a worker can run the instruction on some vertices alone: its lists of rows refer to the vertex itself, or
  /// to states of vertices that earlier tasks have finished.
  bool is_by_rows(const Instruction& i) const {
    const bool shared = i.domain >= kPartialRows &&  // other workers' vertices read the same rows
                        type_.partial_domains[i.domain - kPartialRows].kind == DomainKind::kDistinct;
    return i.domain != kParameterRows && !shared && i.is<Elementwise, RowOp, RowGroup, Matmul>();
  }

  Program& program_;
  TypeProgram& type_;
  const Function& f_;
  Storage storage_;
  std::vector<Group> groups_;
  std::vector<std::vector<ValueId>> readers_;
};

}  // namespace

void lower(Program& program, std::int32_t type) { Lowering(program, type).run(); }

}  // namespace cavs::inline v0_1
