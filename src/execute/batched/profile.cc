#include "execute/batched/profile.h"

#include <algorithm>

namespace cavs {
namespace {

bool is_copy(const Instruction& i) {
  if (i.is<GatherGradient, SegmentSum>()) return true;
  const auto* loop = i.as<Elementwise>();
  return loop != nullptr && std::all_of(loop->program.code.begin(), loop->program.code.end(),
                                        [](const ScalarInstruction& s) { return s.op == ScalarOp::kInput; });
}

}  // namespace

Timer::Timer(const Worker& worker, const Instruction& instruction) {
  if (!worker.profiled) return;
  seconds_ = &worker.run->seconds[static_cast<int>(is_copy(instruction) ? TimeKind::kMemory : TimeKind::kCompute)];
  start_ = Clock::now();
}

PlanCost cost_of(const Program& program, const Plan& plan) {
  PlanCost cost;
  for (const Step& step : plan.steps) {
    const TypeProgram& type = program.types[step.type];
    const Code& code = type.at(step.backward, step.stage);
    cost.instructions += static_cast<std::int64_t>(code.size());
    each_instruction(code, [&](const Instruction& i) {
      const bool gather = i.is<GatherGradient>();
      if (gather && i.out[0].kind == StorageKind::kTensor && plan.is_view(type.tensors[i.out[0].id])) return;
      const std::int32_t* range = plan.rows.data() + step.ranges.begin + 2 * i.domain;
      const std::int64_t rows = range[1] - range[0];
      cost.flops += i.flops_per_row * static_cast<double>(rows);
      const bool copies = is_copy(i);
      for (const Operand& o : i.in)
        if (copies || (o.index >= 0 && plan.shift(step, o.index) == kNoRun))
          cost.bytes_moved += rows * o.width * static_cast<std::int64_t>(sizeof(float));
      if (gather) cost.bytes_moved += rows * i.out[0].width * static_cast<std::int64_t>(sizeof(float));
    });
  }
  return cost;
}

}  // namespace cavs
