#include "execute/batched/profile.h"

#include <algorithm>
#include <vector>

namespace cavs::inline v0_1 {
namespace {

bool is_copy(const Instruction& i) {
  if (i.is<GatherGradient, SegmentSum>()) return true;
  const auto* loop = i.as<Elementwise>();
  return loop != nullptr && std::all_of(loop->program.code.begin(), loop->program.code.end(),
                                        [](const ScalarInstruction& s) { return s.op == ScalarOp::kInput; });
}

/// Counts the bytes of weights that products read.
class WeightReads {
 public:
  explicit WeightReads(const Program& program) : program_(program), read_(program.weights.size()) {}

  void add(const Instruction& i, RunStatistics& cost) {
    if (const auto* product = i.as<Matmul>())
      for (const Factor& factor : product->factors) add(factor.weight, cost);
    if (const auto* tiled = i.as<LinearCrossEntropy>())
      for (const std::int32_t weight : {tiled->weight, tiled->transposed_weight}) add(weight, cost);
  }

 private:
  void add(std::int32_t weight, RunStatistics& cost) {
    if (weight < 0) return;
    std::int64_t bytes = 0;
    for (const std::int32_t p : program_.weights[weight].parameters)
      bytes += program_.parameters[p].shape.size() * static_cast<std::int64_t>(sizeof(float));
    cost.weight_bytes += bytes;
    if (!read_[weight]) cost.weight_bytes_once += bytes;
    read_[weight] = true;
  }

  const Program& program_;
  std::vector<bool> read_;
};

}  // namespace

Timer::Timer(const Worker& worker, const Instruction& instruction) {
  if (worker.memory_seconds == nullptr || !is_copy(instruction)) return;
  seconds_ = worker.memory_seconds;
  start_ = Clock::now();
}

void count_plan(const Program& program, const Plan& plan, RunStatistics& cost) {
  cost.instructions = cost.bytes_moved = cost.weight_bytes = cost.weight_bytes_once = 0;
  cost.flops = 0;
  WeightReads weights(program);
  for (const Step& step : plan.steps) {
    const TypeProgram& type = program.types[step.type];
    const Code& code = type.at(step.backward, step.stage);
    cost.instructions += static_cast<std::int64_t>(code.size());
    each_instruction(code, [&](const Instruction& i) {
      const bool gather = i.is<GatherGradient>();
      if (gather && i.out[0].kind == StorageKind::kTensor && plan.is_view(type.tensors[i.out[0].id])) return;
      const auto [begin, end] = plan.range(step, i.domain);
      const std::int64_t rows = end - begin;
      if (rows > 0) weights.add(i, cost);
      cost.flops += i.flops_per_row * static_cast<double>(rows);
      const bool copies = is_copy(i);
      for (const Operand& o : i.in)
        if (copies || (o.index >= 0 && plan.shift(step, o.index) == kNoRun))
          cost.bytes_moved += rows * o.width * static_cast<std::int64_t>(sizeof(float));
      if (gather) cost.bytes_moved += rows * i.out[0].width * static_cast<std::int64_t>(sizeof(float));
    });
  }
}

}  // namespace cavs::inline v0_1
