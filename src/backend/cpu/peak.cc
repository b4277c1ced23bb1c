#include "backend/cpu/bf16.h"
#include "backend/cpu/isa.h"

namespace cavs::cpu {

double multiply_adds(const Isa& isa, std::int64_t steps) {
  volatile float sum = isa.multiply_adds(steps, 0.5F, 1.0F);
  static_cast<void>(sum);
  return 2.0 * isa.lanes * isa.peak_chains * static_cast<double>(steps);
}

double multiply_adds(std::int64_t steps, Precision precision) {
  const Bf16Isa* const bf16 = precision == Precision::kBf16 ? bf16_isa() : nullptr;
  return bf16 != nullptr && bf16->multiply_adds != nullptr ? bf16->multiply_adds(steps) : multiply_adds(isa(), steps);
}

}  // namespace cavs::cpu
