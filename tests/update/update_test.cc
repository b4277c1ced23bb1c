// The bits of an updated element depend on that element only, however elements are split among workers and wherever
// they lie in memory, on every instruction set.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "backend/cpu/isa.h"
#include "helpers/compare.h"
#include "support/philox.h"
#include "update/optimizer_def.h"

namespace cavs {
namespace {

constexpr std::size_t kMax = 70, kFar = 1000;

/// Values and state after an update of `count` elements, in calls of `piece` elements, in arrays `gap` floats apart.
std::vector<float> updated(UpdateRule update, const StepScalars& scalars, std::size_t slots, std::size_t count,
                           std::size_t gap, std::size_t piece) {
  Random random(3, RandomPurpose::kGenerator);
  std::vector<float> memory(4 * kFar);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t a = 0; a < 4; ++a) memory[a * gap + i] = random.uniform() - (a == 1 ? 0.5F : 0);
  float* const first = memory.data();
  for (std::size_t i = 0; i < count; i += piece)
    update(scalars, {first + i,
                     first + gap + i,
                     {slots > 0 ? first + 2 * gap + i : nullptr, slots > 1 ? first + 3 * gap + i : nullptr},
                     static_cast<std::int64_t>(std::min(piece, count - i))});
  std::vector<float> result;
  for (std::size_t a = 0; a < 4; ++a) result.insert(result.end(), first + a * gap, first + a * gap + count);
  return result;
}

/// Calls f(name, update, scalars, number of slots) for every optimiser, with and without momentum.
template <typename F>
void for_every_rule(const cpu::Isa& isa, F f) {
  for (const OptimizerDef* def : optimizer_defs())
    for (const double momentum : {0.0, 0.9}) {
      OptimizerOptions options = optimizer_defaults(def->name);
      options.weight_decay = 0.01;
      options.momentum = momentum;
      StepScalars scalars;
      scalars.gradient_scale = 0.7F;
      def->scalars(options, 0.01, 3, scalars);
      f(std::string(isa.name) + ", " + std::string(def->name), def->update(isa), scalars, def->slots(options).size());
    }
}

TEST(Update, AnElementHasTheSameBitsAloneAndAmongOthersOnEveryInstructionSet) {
  std::map<std::size_t, std::vector<std::vector<float>>> expected;  // of every rule, by count
  for (const cpu::Isa* isa : cpu::available_isas()) {
    std::size_t rule = 0;
    for_every_rule(*isa,
                   [&](const std::string& name, UpdateRule update, const StepScalars& scalars, std::size_t slots) {
                     for (std::size_t count = 1; count <= kMax; ++count) {
                       const std::string what = name + ", " + std::to_string(count);
                       const auto bits = [&](std::size_t gap, std::size_t piece) {
                         return updated(update, scalars, slots, count, gap, piece);
                       };
                       if (expected[count].size() == rule) expected[count].push_back(bits(kFar, 1));
                       const std::vector<float>& alone = expected[count][rule];
                       expect_same_bits(bits(kFar, 1), alone, what + " one by one");
                       expect_same_bits(bits(kFar, count), alone, what);
                       expect_same_bits(bits(kFar, 9), alone, what + " by 9");
                       expect_same_bits(bits(count, count), alone, what + ", side by side");
                     }
                     ++rule;
                   });
  }
}

/// The rules use the chosen instruction set: CAVS_ISA applies to kernels and rules alike.
TEST(Update, IsCompiledForTheVectorsOfTheInstructionSet) {
  for (const OptimizerDef* def : optimizer_defs())
    for (const cpu::Isa* a : cpu::available_isas())
      for (const cpu::Isa* b : cpu::available_isas())
        EXPECT_EQ(def->update(*a) == def->update(*b), a->native_lanes == b->native_lanes) << a->name << ", " << b->name;
}

}  // namespace
}  // namespace cavs
