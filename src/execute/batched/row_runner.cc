#include "execute/batched/row_runner.h"

#include <fmt/format.h>

#include "compile/passes.h"
#include "execute/batched/products.h"
#include "support/check.h"
#include "support/overloaded.h"

namespace cavs::inline v0_1 {
namespace {

/// True if the instruction overwrites rows that it reads. Generated code could store results before it has read all.
bool in_place(const Instruction& i) {
  for (const Operand& x : i.in)
    for (const Operand& y : i.out)
      if (x.index < 0 && x.kind == y.kind && x.id == y.id && x.site == y.site) return true;
  return false;
}

std::unique_ptr<cpu::GeneratedLoop> generate(const Instruction& i, const Elementwise& loop,
                                             const std::string& function) {
  if (in_place(i)) return nullptr;
  std::vector<bool> broadcast;
  for (const Operand& x : i.in) broadcast.push_back(x.width == 1 && i.out[0].width != 1);
  return cpu::generate_loop(cpu::isa(), loop.program, broadcast, fmt::format("cavs_{}_loop{}", function, loop.loop));
}

}  // namespace

RowRunner::RowRunner(const Program& program, const PackedWeights& weights, std::uint64_t seed)
    : weights_(weights), loops_(static_cast<std::size_t>(program.loops)), seed_(seed) {
  const bool generates = is_on(program.options, "generate_code");
  for (const OpDef* op : all_ops()) kernels_[static_cast<std::size_t>(op->id)] = cpu::find_row_kernel(op->name);
  for (const TypeProgram& type : program.types)
    each_code(type, [&](const Code& code, bool, Stage) {
      each_instruction(code, [&](const Instruction& i) {
        if (const auto* row = i.as<RowOp>()) CAVS_ASSERT(kernel(row->op->id) != nullptr);
        if (const auto* loop = i.as<Elementwise>(); loop != nullptr && generates)
          loops_[loop->loop] = generate(i, *loop, type.function.name);
      });
    });
}

void RowRunner::run(Worker& worker, const Instruction& i, const RowShare& share) const {
  std::visit(Overloaded{
                 [&](const Elementwise& loop) { run_loop(worker, i, loop, share); },
                 [&](const Matmul& product) { run_units(weights_, worker, i, product, share); },
                 [&](const RowOp& row) { run_kernel(worker, i, row, share); },
                 [&](const GatherGradient& gather) { run_gather(worker, i, gather, share); },
                 [&](const SegmentSum& sum) { run_segment_sum(worker, i, sum, share); },
                 [](const auto&) { CAVS_ASSERT(false); },
             },
             i.kind);
}

void RowRunner::run_loop(Worker& worker, const Instruction& i, const Elementwise& loop, const RowShare& share) const {
  worker.in.clear();
  worker.out.clear();
  for (const Operand& o : i.in) worker.in.push_back(share.own_columns(worker.read(o)));
  for (const Operand& o : i.out) worker.out.push_back(share.own_columns(worker.write(o)));
  if (const cpu::GeneratedLoop* const code = loops_[loop.loop].get())
    code->run(worker.in, worker.out, share.rows.begin, share.rows.end, worker.scratch);
  else
    cpu::elementwise(loop.program, worker.in, worker.out, share.rows.begin, share.rows.end, worker.scratch);
}

void RowRunner::run_kernel(Worker& worker, const Instruction& i, const RowOp& row, const RowShare& share) const {
  cpu::RowArgs args;
  for (std::size_t k = 0; k < i.in.size(); ++k) args.in[k] = share.own_columns(worker.read(i.in[k]));
  args.out = share.own_columns(worker.write(i.out[0]));
  args.attribute = row.number;
  args.matrix_rows = row.matrix_rows;
  args.window = row.window;
  args.segments = worker.rows(worker.type().segments);
  if (row.labels >= 0) args.labels = worker.rows(worker.type().indices[row.labels]);
  if (worker.program->random || worker.program->random_edges) {
    const auto ids = [&](Slice slice) { return reinterpret_cast<const std::uint32_t*>(worker.rows(slice)); };
    const auto mask = static_cast<std::uint32_t>(row.mask_id + (worker.type_number << 16));
    const Plan::Type& type = worker.type();
    const bool edges = i.domain == kEdgeRows;
    args.random = {seed_, worker.run->batch->dropout_epoch, mask, ids(edges ? type.edge_samples : type.samples),
                   row.by_sample ? nullptr : ids(edges ? type.slots_in_sample : type.vertices_in_sample)};
  }
  kernel(row.op->id)(args, share.rows.begin, share.rows.end, worker.scratch);
}

/// Computes a child's gradient: the sum over its parents, in a fixed order, of the gradients that they scattered.
void RowRunner::run_gather(Worker& worker, const Instruction& i, const GatherGradient& gather,
                           const RowShare& share) const {
  if (i.out[0].kind == StorageKind::kTensor && worker.plan().is_view(worker.program->tensors[i.out[0].id])) return;
  const std::int32_t width = i.out[0].width;
  cpu::RowArgs args;
  args.in[0] = share.own_columns(ConstRows{worker.run->arena.get() + worker.plan().state_gradients[gather.state], width,
                                           worker.rows(worker.type().gather_rows[gather.state]), width});
  args.segments = worker.rows(worker.type().gather_offsets[gather.state]);
  args.out = share.own_columns(worker.write(i.out[0]));
  kernel(OpId::kSumChildren)(args, share.rows.begin, share.rows.end, worker.scratch);
}

void RowRunner::run_segment_sum(Worker& worker, const Instruction& i, const SegmentSum& sum,
                                const RowShare& share) const {
  cpu::RowArgs args;
  args.in[0] = share.own_columns(worker.read(i.in[0]));
  args.segments = worker.rows(worker.type().equal[sum.by - kPartialRows]);
  args.out = share.own_columns(worker.write(i.out[0]));
  kernel(OpId::kSumChildren)(args, share.rows.begin, share.rows.end, worker.scratch);
}

}  // namespace cavs::inline v0_1
