// The bits of an update are those of each element alone, however the elements are shared out and wherever they lie.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "helpers/compare.h"
#include "support/philox.h"
#include "train/optimizer_def.h"

namespace cavs {
namespace {

constexpr std::size_t kMost = 70, kFar = 1000;

/// Values and state after an update of `count` elements, `piece` at a time, in arrays `gap` floats apart.
std::vector<float> updated(const OptimizerDef& def, const StepScalars& scalars, std::size_t slots, std::size_t count,
                           std::size_t gap, std::size_t piece) {
  Random random(3, RandomPurpose::kGenerator);
  std::vector<float> memory(4 * kFar);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t a = 0; a < 4; ++a) memory[a * gap + i] = random.uniform() - (a == 1 ? 0.5F : 0);
  float* const first = memory.data();
  for (std::size_t i = 0; i < count; i += piece)
    def.update(scalars, {first + i,
                         first + gap + i,
                         {slots > 0 ? first + 2 * gap + i : nullptr, slots > 1 ? first + 3 * gap + i : nullptr},
                         static_cast<std::int64_t>(std::min(piece, count - i))});
  std::vector<float> result;
  for (std::size_t a = 0; a < 4; ++a) result.insert(result.end(), first + a * gap, first + a * gap + count);
  return result;
}

TEST(Update, OfAnElementHasTheSameBitsAloneAndAmongOthers) {
  for (const OptimizerDef* def : optimizer_defs())
    for (const double momentum : {0.0, 0.9}) {
      OptimizerOptions options = optimizer_defaults(def->name);
      options.weight_decay = 0.01, options.momentum = momentum;
      const std::size_t slots = def->slots(options).size();
      StepScalars scalars;
      scalars.gradient_scale = 0.7F;
      def->scalars(options, 0.01, 3, scalars);
      for (std::size_t count = 1; count <= kMost; ++count) {
        const std::string what = std::string(def->name) + ", " + std::to_string(count);
        const std::vector<float> alone = updated(*def, scalars, slots, count, kFar, 1);
        expect_same_bits(updated(*def, scalars, slots, count, kFar, count), alone, what);
        expect_same_bits(updated(*def, scalars, slots, count, kFar, 9), alone, what + " by 9");
        expect_same_bits(updated(*def, scalars, slots, count, count, count), alone, what + ", side by side");
      }
    }
}

}  // namespace
}  // namespace cavs
