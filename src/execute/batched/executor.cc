#include "execute/batched/executor.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "backend/cpu/target.h"
#include "execute/batched/work_share.h"
#include "execute/batched/worker.h"
#include "support/check.h"
#include "support/overloaded.h"

namespace cavs {
namespace {

bool is_copy(const Instruction& i) {
  if (i.is<GatherGradient, SegmentSum>()) return true;
  const auto* loop = i.as<Elementwise>();
  return loop != nullptr && std::all_of(loop->program.code.begin(), loop->program.code.end(),
                                        [](const ScalarInstruction& s) { return s.op == ScalarOp::kInput; });
}

/// The sizes of blocks that these kernels work by; what the program fuses is its own affair.
void check_target(const Target& made_for) {
  CAVS_ASSERT(made_for.slice_columns == cpu::kTarget.slice_columns && made_for.sum_rows == cpu::kTarget.sum_rows &&
              made_for.alignment % cpu::kTarget.alignment == 0);
}

bool is_small_task(const Step& step) { return step.one_worker() && step.stage == Stage::kTask; }

}  // namespace

Executor::Executor(std::shared_ptr<const Program> program, std::shared_ptr<Parameters> parameters, Team& team,
                   const SessionOptions& options, cpu::Precision precision, std::shared_ptr<Packs> packs)
    : program_(std::move(program)),
      parameters_(std::move(parameters)),
      team_(team),
      precision_(precision),
      packs_(std::move(packs)),
      loops_(*program_),
      deferral_(*program_, options.defer_from),
      seed_(options.seed),
      profile_(options.profile) {
  check_target(program_->target);
  find_row_kernels();
  allocate_partial_sums();
  find_tile_uses();
  for (int w = 0; w < team.size(); ++w) {
    workers_.push_back(std::make_unique<Worker>());
    workers_.back()->number = w, workers_.back()->workers = team.size();
    workers_.back()->touched.resize(program_->parameters.size());
    workers_.back()->summed.resize(program_->parameters.size());
    workers_.back()->parameters = parameters_.get();
  }
}

Executor::~Executor() = default;

/// Looked up once, by operator: the compiler knows no kernel.
void Executor::find_row_kernels() {
  for (const OpDef* op : all_ops()) row_kernels_[static_cast<std::size_t>(op->id)] = cpu::find_row_kernel(op->name);
  for (const TypeProgram& type : program_->types)
    each_code(type, [&](const Code& code, bool, Stage) {
      each_instruction(code, [&](const Instruction& i) {
        const auto* row = i.as<RowOp>();
        CAVS_ASSERT(row == nullptr || row_kernel(row->op->id) != nullptr);
      });
    });
}

void Executor::forward(Execution& run) {
  run.went_back = false;
  open_stream(run);
  std::unique_lock renewing = packs_->lock();
  const bool stale = packs_->stale(*parameters_);
  if (!stale) renewing.unlock();
  const auto work = [&](int w) {
    if (stale) {
      packs_->refresh(*parameters_, w, team_.size());
      team_.barrier(w);
    }
    run_steps(run, false, nullptr, w);
  };
  team_.run(std::ref(work));  // a std::function of the lambda itself would allocate
  if (stale) packs_->mark_fresh(*parameters_);
  close_stream(run);
}

void Executor::backward(Execution& run, Gradients& gradients, bool defer) {
  gradients.deferred.assign(gradients.values.size(), 0);
  if (defer)
    deferral_.choose(run.plan(), run.deferred);
  else
    run.deferred.sums.clear(), run.deferred.is_deferred.assign(gradients.values.size(), 0);
  const auto work = [&](int w) {
    clear_tables(run.plan(), gradients, w);
    team_.barrier(w);
    run_steps(run, true, &gradients, w);
    finish_gradients(*workers_[w], gradients);
  };
  team_.run(std::ref(work));
  settle_deferred(run, gradients);
  run.went_back = true;
  for (std::size_t p = 0; p < gradients.table_rows.size(); ++p) {
    const Slice touched = run.plan().touched[p];
    const std::int32_t* rows = run.plan().rows.data() + touched.begin;
    gradients.table_rows[p].assign(rows, rows + touched.count);
  }
}

/// Rows that the previous minibatch touched go back to zero; a table's gradient is zero everywhere else.
void Executor::clear_tables(const Plan&, Gradients& gradients, int worker) const {
  for (std::size_t p = 0; p < gradients.table_rows.size(); ++p) {
    const auto& rows = gradients.table_rows[p];
    if (!program_->parameters[p].table) continue;
    const std::int64_t width = program_->parameters[p].shape.dims[1];
    const auto [begin, end] = split_range(0, static_cast<std::int32_t>(rows.size()), worker, team_.size());
    for (std::int32_t i = begin; i < end; ++i)
      std::memset(gradients.values[p].data() + rows[i] * width, 0, static_cast<std::size_t>(width) * sizeof(float));
  }
}

void Executor::finish_gradients(Worker& worker, Gradients& gradients) const {
  for (std::size_t p = 0; p < gradients.values.size(); ++p) {
    if (worker.summed[p] > 0) join_partial_sum(worker, static_cast<std::int32_t>(p));
    if (worker.touched[p] != 0 || program_->parameters[p].table || worker.run->deferred.is_deferred[p] != 0) continue;
    auto& values = gradients.values[p];
    const auto [begin, end] = split_range(0, static_cast<std::int32_t>(values.size()), worker.number, worker.workers);
    std::fill(values.begin() + begin, values.begin() + end, 0.0F);
  }
}

void Executor::run_steps(Execution& run, bool backward, Gradients* gradients, int number) {
  Worker& worker = *workers_[number];
  worker.run = &run, worker.gradients = gradients;
  worker.number = number, worker.workers = team_.size();  // a run that an exception ended leaves its own
  std::fill(worker.touched.begin(), worker.touched.end(), 0);
  std::fill(worker.summed.begin(), worker.summed.end(), 0);
  const auto chunk = [&] { return run_chunk(worker); };
  const std::function<bool()> none, meanwhile = std::ref(chunk);
  const bool streaming = !backward && !run.plan().chunks.empty();
  const Step* last = nullptr;
  for (const Step& step : run.plan().steps) {
    if (step.backward != backward) continue;
    const bool ends_stream = streaming && step.stage == Stage::kLazy;
    if (last != nullptr && (ends_stream || step.waits || !last->one_worker() || !step.one_worker()))
      team_.barrier(number, streaming && number != 0 && is_small_task(*last) ? meanwhile : none);
    last = &step;
    if (step.one_worker() && number != step.worker) continue;
    worker.enter(step, *program_);
    worker.number = step.one_worker() ? 0 : number, worker.workers = step.one_worker() ? 1 : team_.size();
    run_step(worker);
    if (streaming && is_small_task(step))
      stream_.steps.store(static_cast<std::int32_t>(&step - run.plan().steps.data()) + 1, std::memory_order_release);
  }
  worker.number = number, worker.workers = team_.size();
}

Executor::Timer Executor::timer(Worker& worker, const Instruction& i) const {
  if (!profile_ || &worker != workers_.front().get()) return Timer(nullptr);
  return Timer(&worker.run->seconds[static_cast<int>(is_copy(i) ? TimeKind::kMemory : TimeKind::kCompute)]);
}

void Executor::run_step(Worker& worker) {
  const Step& step = *worker.step;
  const Code& code = worker.program->at(step.backward, step.stage);
  const std::int32_t by_rows = worker.program->cost_at(step.backward, step.stage).by_rows;
  for (std::int32_t k = skip_streamed(worker); k < static_cast<std::int32_t>(code.size()); ++k) {
    const Instruction& i = code[k];
    if (k == by_rows) worker.from = &step;
    if (i.barrier && worker.workers > 1) team_.barrier(worker.number);
    if (i.is<RowGroup>()) {  // its members are timed
      run_instruction(worker, i);
      continue;
    }
    const Timer timed = timer(worker, i);
    run_instruction(worker, i);
  }
}

void Executor::run_instruction(Worker& worker, const Instruction& i) {
  const RowRange rows = worker.range(i.domain);
  if (rows.begin == rows.end && !i.is<SumRows, WeightGradient>()) return;
  std::visit(Overloaded{
                 [&](const Matmul& product) { run_matmul(worker, i, product, rows); },
                 [&](const WeightGradient& gradient) { run_reduction(worker, i, gradient.matrix_rows, rows); },
                 [&](const SumRows&) { run_reduction(worker, i, 1, rows); },
                 [&](const LookupGradient& lookup) { run_lookup_gradient(worker, i, lookup); },
                 [&](const LinearCrossEntropy& entropy) { run_linear_cross_entropy(worker, i, entropy, rows); },
                 [&](const auto&) { run_rows(worker, i, rows); },
             },
             i.kind);
}

void Executor::run_elementwise(Worker& worker, const Instruction& i, const Elementwise& loop, RowRange rows) {
  worker.in.clear(), worker.out.clear();
  for (const Operand& o : i.in) worker.in.push_back(worker.own_columns(worker.read(o)));
  for (const Operand& o : i.out) worker.out.push_back(worker.own_columns(worker.write(o)));
  loops_.run(loop, worker.in, worker.out, rows.begin, rows.end, worker.scratch);
}

void Executor::run_matmul(Worker& worker, const Instruction& i, const Matmul& product, RowRange rows) {
  const int units = (*packs_)[product.factors[0].weight].units();  // those of all factors
  const ProductShare share = share_of_product(rows.begin, rows.end, units, worker.number, worker.workers);
  if (share.empty()) return;
  worker.units = {share.unit_begin, share.unit_end};
  for (std::int32_t begin = share.row_begin; begin < share.row_end; begin += cpu::kRowBlock)
    run_product(worker, i, product, {begin, std::min(begin + cpu::kRowBlock, share.row_end)});
}

/// The worker's units of all factors, on a block of rows.
void Executor::run_product(Worker& worker, const Instruction& i, const Matmul& product, RowRange rows) {
  for (std::size_t k = 0; k < product.factors.size(); ++k) {
    const Factor& factor = product.factors[k];
    worker.products.clear();
    for (std::size_t p = 0; p < factor.outs.size(); ++p)
      worker.products.push_back({worker.write(i.out[factor.outs[p]]), factor.add[p] != 0});
    cpu::matmul(worker.read(i.in[k]), rows.begin, rows.end, (*packs_)[factor.weight], worker.products,
                worker.units.begin, worker.units.end, worker.scratch);
  }
}

void Executor::run_row(Worker& worker, const Instruction& i, const RowOp& row, RowRange rows) {
  cpu::RowArgs args;
  for (std::size_t k = 0; k < i.in.size(); ++k) args.in[k] = worker.own_columns(worker.read(i.in[k]));
  args.out = worker.own_columns(worker.write(i.out[0]));
  args.attribute = row.number, args.matrix_rows = row.matrix_rows, args.window = row.window;
  args.segments = worker.rows(worker.type().segments);
  if (row.labels >= 0) args.labels = worker.rows(worker.type().indices[row.labels]);
  if (worker.program->random) {
    const auto ids = [&](Slice slice) { return reinterpret_cast<const std::uint32_t*>(worker.rows(slice)); };
    args.random = {seed_, worker.run->batch->epoch, static_cast<std::uint32_t>(row.mask_id + (worker.step->type << 16)),
                   ids(worker.type().samples), row.by_sample ? nullptr : ids(worker.type().vertices_in_sample)};
  }
  row_kernel(row.op->id)(args, rows.begin, rows.end, worker.scratch);
}

/// A child's gradient: the sum over its parents, in a fixed order, of what they scattered (DESIGN, law 4).
void Executor::run_gather_gradient(Worker& worker, const Instruction& i, const GatherGradient& gather, RowRange rows) {
  if (i.out[0].kind == StorageKind::kTensor && worker.plan().is_view(worker.program->tensors[i.out[0].id])) return;
  const std::int32_t width = i.out[0].width;
  cpu::RowArgs args;
  args.in[0] = worker.own_columns(ConstRows{worker.run->arena.get() + worker.plan().state_gradients[gather.state],
                                            width, worker.rows(worker.type().gather_rows[gather.state]), width});
  args.segments = worker.rows(worker.type().gather_offsets[gather.state]);
  args.out = worker.own_columns(worker.write(i.out[0]));
  row_kernel(OpId::kSumChildren)(args, rows.begin, rows.end, worker.scratch);
}

void Executor::run_segment_sum(Worker& worker, const Instruction& i, RowRange rows) {
  cpu::RowArgs args;
  args.in[0] = worker.own_columns(worker.read(i.in[0]));
  args.segments = worker.rows(worker.type().equal[i.domain - kPartialRows]);
  args.out = worker.own_columns(worker.write(i.out[0]));
  row_kernel(OpId::kSumChildren)(args, rows.begin, rows.end, worker.scratch);
}

void Executor::run_lookup_gradient(Worker& worker, const Instruction& i, const LookupGradient& lookup) {
  const LookupList& list = worker.type().lookups[lookup.lookups];
  if (list.table_rows.count == 0) return;
  if (worker.touched[lookup.parameter] != 0 && !i.barrier) team_.barrier(worker.number);
  worker.touched[lookup.parameter] = 1;
  cpu::lookup_grad(worker.read(i.in[0]), worker.rows(list.table_rows), worker.rows(list.offsets),
                   worker.rows(list.rows), list.table_rows.count, worker.gradients->values[lookup.parameter].data(),
                   worker.number, worker.workers);
}

const float* Executor::base(const Execution& run, std::int32_t type, const Operand& operand) const {
  Worker view;
  Step step;
  step.type = type;
  view.run = const_cast<Execution*>(&run), view.enter(step, *program_);
  view.parameters = parameters_.get();
  return view.base(operand);
}

void Executor::count(const Plan& plan, std::int64_t& instructions, std::int64_t& bytes_moved, double& flops) const {
  instructions = 0, bytes_moved = 0, flops = 0;
  for (const Step& step : plan.steps) {
    const TypeProgram& type = program_->types[step.type];
    const Code& code = type.at(step.backward, step.stage);
    instructions += static_cast<std::int64_t>(code.size());
    each_instruction(code, [&](const Instruction& i) {
      const bool gather = i.is<GatherGradient>();
      if (gather && i.out[0].kind == StorageKind::kTensor && plan.is_view(type.tensors[i.out[0].id])) return;
      const std::int32_t* range = plan.rows.data() + step.ranges.begin + 2 * i.domain;
      const std::int64_t rows = range[1] - range[0];
      flops += i.flops_per_row * static_cast<double>(rows);
      const bool copies = is_copy(i);
      for (const Operand& o : i.in)
        if (copies || (o.index >= 0 && plan.shift(step, o.index) == kNoRun))
          bytes_moved += rows * o.width * static_cast<std::int64_t>(sizeof(float));
      if (gather) bytes_moved += rows * i.out[0].width * static_cast<std::int64_t>(sizeof(float));
    });
  }
}

}  // namespace cavs
