#include "inspect/script_loads.h"

#include <algorithm>
#include <vector>

#include "backend/cpu/kernels.h"
#include "share/work_share.h"

namespace cavs::inline v0_1::inspect {
namespace {

class ScriptLoads {
 public:
  ScriptLoads(const Program& program, const WeightPlacement& placement, int number_bytes)
      : program_(program), placement_(placement), number_bytes_(number_bytes), loaded_(program.weights.size()) {}

  WeightLoads of(const Plan& plan, const Script& script) {
    WeightLoads loads;
    for (const ScriptEntry& entry : script.entries) {
      if (!entry.is_of_step()) continue;
      const Step& step = plan.steps[entry.step];
      const TypeProgram& type = program_.types[step.type];
      const Instruction& instruction = type.at(step.backward, step.stage)[entry.instruction];
      std::int64_t bytes = 0;
      each_instruction(std::span(&instruction, 1), [&](const Instruction& i) {
        if (const auto* const product = i.as<Matmul>())
          for (const Factor& factor : product->factors) bytes += product_bytes(script, entry, factor.weight);
        if (const auto* const entropy = i.as<LinearCrossEntropy>())
          bytes += entropy_bytes(script, entry, *entropy, type.tensors[entropy->tile.id].max_rows);
      });
      loads.bytes += bytes;
      if (step.stage == Stage::kTask) loads.task_bytes += bytes;
    }
    return loads;
  }

 private:
  std::int64_t product_bytes(const Script& script, const ScriptEntry& entry, std::int32_t weight) {
    const std::int32_t units = units_of(weight);
    if (entry.share == Share::kOne) return pass_bytes(weight, entry.processor, {0, units}, entry.rows);
    std::int64_t bytes = 0;
    for (const Part& part : part_of(script.parts, entry.parts))
      bytes += entry.share == Share::kColumns ? pass_bytes(weight, part.processor, {part.begin, part.end}, entry.rows)
                                              : pass_bytes(weight, part.processor, {0, units}, {part.begin, part.end});
    return bytes;
  }

  /// Returns the bytes of weights that a linear cross-entropy reads, tile by tile.
  std::int64_t entropy_bytes(const Script& script, const ScriptEntry& entry, const LinearCrossEntropy& entropy,
                             std::int32_t height) {
    std::int64_t bytes = 0;
    for (std::int32_t begin = entry.rows.begin; begin < entry.rows.end; begin += height)
      for (const std::int32_t weight : {entropy.weight, entropy.transposed_weight})
        for (std::int32_t p = 0; p < script.processors && weight >= 0; ++p) {
          const std::int32_t rows = std::min(height, entry.rows.end - begin);
          const ProductShare share = share_of_product({0, rows}, units_of(weight), {p, p, script.processors});
          if (!share.empty()) bytes += pass_bytes(weight, p, share.units, {0, 1});
        }
    return bytes;
  }

  /// Returns the bytes of weights that a product on these rows reads, block by block.
  std::int64_t pass_bytes(std::int32_t weight, std::int32_t processor, Range<std::int32_t> units, RowRange rows) {
    const std::int64_t passes = (rows.end - rows.begin + cpu::kRowBlock - 1) / cpu::kRowBlock;
    const PlacedWeight* const placed = placement_.find(weight);
    std::vector<char>& loaded = loaded_[weight];
    std::int64_t loads = 0;
    for (std::int32_t u = units.begin; u < units.end; ++u) {
      const bool is_kept =
          placed != nullptr && placed->owner[u] == processor && placed->memory[u] != PlacedWeight::kStreamed;
      if (!is_kept) {
        loads += passes;
        continue;
      }
      loaded.resize(placed->owner.size());
      if (loaded[u] == 0) ++loads;
      loaded[u] = 1;
    }
    return loads * unit_bytes(weight);
  }

  std::int32_t columns(const Weight& weight, std::int32_t parameter) const {
    return program_.parameters[parameter].shape.dims[weight.transposed ? 0 : 1];
  }
  std::int32_t units_of(std::int32_t number) const {
    const Weight& weight = program_.weights[number];
    const auto slices = [](std::int32_t width) { return (width + cpu::kSlice - 1) / cpu::kSlice; };
    if (weight.gate > 0) return slices(weight.gate);
    std::int32_t units = 0;
    for (const std::int32_t p : weight.parameters) units += slices(columns(weight, p));
    return units;
  }
  /// Returns the bytes of a unit (slice of columns) of weight `number`, including padding columns.
  std::int64_t unit_bytes(std::int32_t number) const {
    const Weight& weight = program_.weights[number];
    std::int32_t all = 0;
    for (const std::int32_t p : weight.parameters) all += columns(weight, p);
    const std::int32_t gates = weight.gate > 0 ? all / weight.gate : 1;
    const std::int32_t k = program_.parameters[weight.parameters[0]].shape.dims[weight.transposed ? 1 : 0];
    return std::int64_t{gates} * cpu::kSlice * k * number_bytes_;
  }

  const Program& program_;
  const WeightPlacement& placement_;
  const int number_bytes_;
  std::vector<std::vector<char>> loaded_;  // [weights][units] true if the processor that keeps the unit has loaded it
};

}  // namespace

WeightLoads loads_of(const Program& program, const WeightPlacement& placement, const Plan& plan, const Script& script,
                     int number_bytes) {
  return ScriptLoads(program, placement, number_bytes).of(plan, script);
}

}  // namespace cavs::inline v0_1::inspect
