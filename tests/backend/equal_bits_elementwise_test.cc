// Element-wise programs, interpreted and as generated code: the bits are the same everywhere, and no memory outside of
// the operands is touched.

#include "backend/cpu/jit/generated_loop.h"
#include "backend/equal_bits.h"

namespace cavs::cpu {
namespace {

constexpr ScalarOp kOps[] = {ScalarOp::kAdd, ScalarOp::kSub,     ScalarOp::kMul,   ScalarOp::kDiv,  ScalarOp::kMax,
                             ScalarOp::kMin, ScalarOp::kGreater, ScalarOp::kEqual, ScalarOp::kNeg,  ScalarOp::kExp,
                             ScalarOp::kLog, ScalarOp::kSqrt,    ScalarOp::kAbs,   ScalarOp::kTanh, ScalarOp::kSigmoid,
                             ScalarOp::kErf, ScalarOp::kKeep,    ScalarOp::kRound};

/// A program with one operation on two inputs.
ScalarProgram single(ScalarOp op) {
  return {2, 3, {{ScalarOp::kInput, 0, 0}, {ScalarOp::kInput, 1, 1}, {op, 2, 0, 1}}, {2}};
}

/// A program with more live values than any processor has registers.
ScalarProgram long_program(std::uint64_t seed) {
  constexpr std::int16_t kValues = 40;
  Random random(seed, RandomPurpose::kGenerator);
  ScalarProgram p{2, kValues + 1, {{ScalarOp::kInput, 0, 0}, {ScalarOp::kInput, 1, 1}}, {kValues}};
  const auto before = [&](std::int16_t r) {
    return static_cast<std::int16_t>(random.below(static_cast<std::uint32_t>(r)));
  };
  for (std::int16_t r = 2; r < kValues; ++r)
    if (random.below(8) == 0)
      p.code.push_back({ScalarOp::kConstant, r, 0, 0, 2 * random.uniform() - 1});
    else
      p.code.push_back({kOps[random.below(std::size(kOps))], r, before(r), before(r)});
  p.code.push_back({ScalarOp::kMax, kValues, 0, 1});
  for (std::int16_t r = 2; r < kValues; ++r) p.code.push_back({ScalarOp::kMax, kValues, kValues, r});
  return p;
}

void expect_equal_bits_of(const ScalarProgram& program, const std::string& name) {
  for (const bool broadcast : {false, true}) {
    std::map<const Isa*, std::unique_ptr<GeneratedLoop>> loops;
    for (const Isa* isa : available_isas()) {
      loops[isa] = generate_loop(*isa, program, {false, broadcast}, "test");
      ASSERT_EQ(loops[isa] != nullptr, isa->native_lanes >= 8) << isa->name;
    }
    for (int width = broadcast ? 2 : 1; width <= 130; width += kSanitized || width > 40 ? 7 : 1)
      expect_equal_bits(
          Agree::kFused, seed_of(width, broadcast), name + " of width " + std::to_string(width), [&](Call& call) {
            const int rows = call.between(1, 12);
            ConstRows in[] = {call.rows(rows, width, true, true), call.rows(rows, broadcast ? 1 : width, false, true)};
            if (call.maybe()) in[1].stride = 0;
            const Rows interpreted[] = {call.result(rows, width)}, generated[] = {call.result(rows, width)};
            call.share(rows, [&](int begin, int end) {
              elementwise(call.isa, program, in, interpreted, begin, end, call.scratch);
              if (loops[&call.isa] == nullptr) return;
              loops[&call.isa]->run(in, generated, begin, end, call.scratch);
              for (std::int64_t i = std::int64_t{begin} * width; i < std::int64_t{end} * width; ++i)
                ASSERT_TRUE(same(interpreted->base[i], generated->base[i])) << name << ", " << i;
            });
          });
  }
}

TEST(EqualBits, OfEveryScalarOperation) {
  for (const ScalarOp op : kOps)
    expect_equal_bits_of(single(op), std::string(kScalarOpNames[static_cast<std::size_t>(op)]));
}

TEST(EqualBits, OfLongPrograms) {
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    expect_equal_bits_of(long_program(seed), "program " + std::to_string(seed));
}

}  // namespace
}  // namespace cavs::cpu
