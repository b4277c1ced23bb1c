#include "placement/on_chip.h"

namespace cavs {

OnChipTarget cpu_target(std::int32_t cores, std::int64_t l2_bytes) {
  return {.name = "cpu", .processors = cores, .memories = {{"L2", l2_bytes / 10 * 7}}};
}

OnChipTarget gpu_target(std::string name, std::int32_t processors, std::int32_t warps, std::int32_t lane_registers,
                        std::int32_t lane_shared_words) {
  constexpr std::int32_t kLanes = 32;
  const std::int64_t word_of_each = std::int64_t{4} * kLanes * warps;
  return {
      .name = std::move(name),
      .processors = processors,
      .memories = {{"registers", word_of_each * lane_registers}, {"shared memory", word_of_each * lane_shared_words}},
      .warps = warps,
      .lanes = kLanes,
      .unit_columns = 1};
}

}  // namespace cavs
