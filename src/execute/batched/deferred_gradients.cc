#include "execute/batched/deferred_gradients.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "backend/cpu/kernels.h"
#include "compile/passes.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::int64_t kFewRowsFactor = 64;  // if few rows are summed, a weight may be this factor smaller

/// True if the sum can be deferred: it sums all rows of a type at once, for a matrix that is updated row by row.
bool can_wait(const Instruction& i, Stage stage) {
  const auto* gradient = i.as<WeightGradient>();
  return gradient != nullptr && stage != Stage::kTask && gradient->matrix_rows == 1;
}

template <typename F>
void each_gradient(const Program& program, F f) {
  for (std::size_t t = 0; t < program.types.size(); ++t)
    for (const Stage stage : {Stage::kEager, Stage::kTask, Stage::kLazy})
      each_instruction(program.types[t].at(true, stage), [&](const Instruction& i) {
        for (const Operand& o : i.out)
          if (o.kind == StorageKind::kParameterGradient) f(t, stage, i, o.id);
      });
}

/// Returns the largest |x|, or NaN if some x is NaN.
double largest_magnitude(const ConstRows& x, std::int32_t rows) {
  std::int32_t bits = 0;
  for (std::int32_t r = 0; r < rows; ++r)
    if (const std::int64_t row = x.index ? x.index[r] : r; row >= 0)
      bits = std::max(bits, cpu::largest_magnitude({x.base + row * x.stride, static_cast<std::size_t>(x.width)}));
  return std::bit_cast<float>(bits);
}

}  // namespace

GradientDeferral::GradientDeferral(const Program& program, std::int64_t least)
    : is_on_(is_on(program.options, "fuse_update")),
      least_(least),
      sums_(program.types.size()),
      rows_(program.parameters.size()) {
  std::vector<char> can(program.parameters.size());
  for (std::size_t p = 0; p < can.size(); ++p)
    can[p] = !program.parameters[p].table && program.parameters[p].shape.dims.size() == 2 &&
             program.parameters[p].shape.size() >= least / kFewRowsFactor;
  for (const ParameterInfo& parameter : program.parameters) sizes_.push_back(parameter.shape.size());
  each_gradient(program, [&](std::size_t, Stage stage, const Instruction& i, std::int32_t p) {
    if (!can_wait(i, stage)) can[p] = 0;
  });
  each_gradient(program, [&](std::size_t type, Stage stage, const Instruction& i, std::int32_t p) {
    if (can[p] != 0) sums_[type][static_cast<int>(stage)].push_back(&i);
  });
}

void GradientDeferral::choose(const Plan& plan, bool wanted, DeferredGradients& deferred) {
  deferred.sums.clear();
  deferred.is_deferred.assign(rows_.size(), 0);
  if (!is_on_ || !wanted) return;
  const auto each_sum = [&](auto f) {
    for (const Step& step : plan.steps) {
      if (!step.backward || step.stage == Stage::kTask) continue;
      for (const Instruction* i : sums_of(step)) {
        const RowRange rows = plan.range(step, i->domain);
        f(step, *i, i->out[0].id, rows.end - rows.begin);
      }
    }
  };
  rows_.assign(rows_.size(), 0);
  each_sum([&](const Step&, const Instruction&, std::int32_t p, std::int32_t rows) { rows_[p] += rows; });
  each_sum([&](const Step& step, const Instruction& i, std::int32_t p, std::int32_t rows) {
    if (rows == 0 || rows_[p] > (sizes_[p] < least_ ? DeferredGradients::kFewRows : cpu::kSumBlock)) return;
    deferred.sums.push_back({p, &step, &i});
    deferred.is_deferred[p] = 1;
  });
}

bool is_bounded(const ConstRows& x, const ConstRows& dy, std::int32_t rows) {
  // The margin of 1e6 is wide, since each addition rounds and a gradient adds several such sums.
  return rows * largest_magnitude(x, rows) * largest_magnitude(dy, rows) < std::numeric_limits<float>::max() / 1e6F;
}

}  // namespace cavs::inline v0_1
