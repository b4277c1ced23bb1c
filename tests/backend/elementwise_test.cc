#include <gtest/gtest.h>

#include <cmath>

#include "backend/cpu/jit/generated_loop.h"
#include "backend/kernel_testing.h"
#include "ir/op.h"

namespace cavs::cpu {
namespace {

using Op = ScalarOp;

class Elementwise : public EveryIsa {
 protected:
  /// Machine code of the program for inputs of these kinds, or nullptr for the portable loops.
  std::unique_ptr<GeneratedLoop> generated(const ScalarProgram& program, std::span<const ConstRows> in,
                                           int width) const {
    std::vector<bool> broadcast;
    for (const ConstRows& x : in) broadcast.push_back(x.width == 1 && width != 1);
    auto loop = generate_loop(isa(), program, broadcast, "test");
    EXPECT_EQ(loop != nullptr, isa().lanes >= 8);
    return loop;
  }

  void expect_generated_code_gives(const Matrix& y0, const Matrix& y1, const Matrix& y2, const ScalarProgram& program,
                                   std::span<const ConstRows> in, int begin, int end) {
    const auto loop = generated(program, in, y0.view().width);
    if (loop == nullptr) return;
    Matrix z0 = y0, z1 = y1, z2 = y2;
    const Rows out[] = {z0.out(), z1.out(), z2.out()};
    for (Matrix* z : {&z0, &z1, &z2})
      for (int r = begin; r < end; ++r)
        for (int c = 0; c < z->view().width; ++c) z->at(r, c) = 77;
    loop->run(in, out, begin, end, scratch_);
    ASSERT_TRUE(same_bits(z0.all(), y0.all()));
    ASSERT_TRUE(same_bits(z1.all(), y1.all()));
    ASSERT_TRUE(same_bits(z2.all(), y2.all()));
  }
};
CAVS_FOR_EVERY_ISA(Elementwise);

double scalar(Op op, double a, double b) {
  switch (op) {
    case Op::kAdd:
      return a + b;
    case Op::kSub:
      return a - b;
    case Op::kMul:
      return a * b;
    case Op::kDiv:
      return a / b;
    case Op::kMax:
      return std::max(a, b);
    case Op::kMin:
      return std::min(a, b);
    case Op::kGreater:
      return a > b ? 1 : 0;
    case Op::kEqual:
      return a == b ? 1 : 0;
    case Op::kKeep:
      return a != 0 ? b : 0;
    case Op::kNeg:
      return -a;
    case Op::kExp:
      return std::exp(a);
    case Op::kLog:
      return std::log(a);
    case Op::kSqrt:
      return std::sqrt(a);
    case Op::kAbs:
      return std::abs(a);
    case Op::kTanh:
      return std::tanh(a);
    case Op::kSigmoid:
      return 1 / (1 + std::exp(-a));
    case Op::kErf:
      return std::erf(a);
    case Op::kRound:
      return std::nearbyint(a);
    case Op::kInput:
    case Op::kConstant:
      break;
  }
  return 0;
}

/// The program's outputs for one element, in double.
std::vector<double> run_scalar(const ScalarProgram& program, std::span<const ConstRows> in, int r, int c) {
  std::vector<double> regs(static_cast<std::size_t>(program.registers));
  for (const ScalarInstruction& i : program.code) {
    const auto at = [&](std::int16_t reg) { return regs[static_cast<std::size_t>(reg)]; };
    regs[static_cast<std::size_t>(i.dst)] = i.op == Op::kInput      ? element(in[static_cast<std::size_t>(i.a)], r, c)
                                            : i.op == Op::kConstant ? i.value
                                                                    : scalar(i.op, at(i.a), at(i.b));
  }
  std::vector<double> out;
  for (const std::int16_t o : program.outputs) out.push_back(regs[static_cast<std::size_t>(o)]);
  return out;
}

/// A program with every operation once, on four inputs. It reuses registers.
ScalarProgram every_operation() {
  return {4,
          6,
          {{Op::kInput, 0, 0},
           {Op::kInput, 1, 1},
           {Op::kInput, 2, 2},
           {Op::kInput, 3, 3},
           {Op::kConstant, 4, 0, 0, 0.75F},
           {Op::kMul, 5, 0, 1},
           {Op::kAdd, 0, 0, 5},
           {Op::kSigmoid, 5, 2},
           {Op::kTanh, 2, 2},
           {Op::kSub, 1, 1, 5},
           {Op::kErf, 5, 3},
           {Op::kNeg, 3, 3},
           {Op::kMax, 3, 3, 5},
           {Op::kMin, 0, 0, 4},
           {Op::kAbs, 1, 1},
           {Op::kAdd, 1, 1, 4},
           {Op::kLog, 5, 1},
           {Op::kSqrt, 1, 1},
           {Op::kExp, 3, 3},
           {Op::kDiv, 3, 3, 1},
           {Op::kGreater, 4, 2, 0},
           {Op::kEqual, 2, 2, 2},
           {Op::kAdd, 4, 4, 2},
           {Op::kAdd, 0, 0, 4},
           {Op::kAdd, 0, 0, 5}},
          {0, 3, 1}};
}

constexpr int kElementWidths[] = {1, 2, 5, 17, 63, 64, 65, 130, 256, 300, 515};

TEST_P(Elementwise, AgreesWithOneElementAtATimeForEveryKindOfInput) {
  const ScalarProgram program = every_operation();
  Random random(2, RandomPurpose::kGenerator);
  for (const int width : kElementWidths)
    for (const int rows : {1, 3, 40})
      for (int kind = 0; kind < 6; ++kind) {
        SCOPED_TRACE(testing::Message() << "width " << width << " rows " << rows << " kind " << kind);
        const Matrix a(rows, width, random), strided(rows, width, random, 3), row(1, width, random),
            column(rows, 1, random, 2), one(1, 1, random);
        const auto index = random_index(rows, rows, random);
        ConstRows row_for_all = row.view(), one_for_all = one.view();
        row_for_all.stride = one_for_all.stride = 0;
        const ConstRows kinds[] = {a.view(),      strided.view(), row_for_all,
                                   column.view(), one_for_all,    strided.view(index.data())};
        const ConstRows in[] = {kinds[kind], kinds[(kind + 1) % 6], kinds[(kind + 2) % 6], kinds[(kind + 3) % 6]};
        Matrix y0(rows, width, random), y1(rows, width, random, kind % 2), y2(rows, width, random);
        const Matrix before = y0;
        const Rows out[] = {y0.out(), y1.out(), y2.out()};
        const int begin = rows > 3 ? 2 : 0;
        elementwise(isa(), program, in, out, begin, rows, scratch_);
        expect_generated_code_gives(y0, y1, y2, program, in, begin, rows);
        for (int r = 0; r < rows; ++r)
          for (int c = 0; c < width; ++c) {
            if (r < begin) {
              ASSERT_EQ(y0.at(r, c), before.at(r, c)) << "a row outside of the given range";
              continue;
            }
            const auto expected = run_scalar(program, in, r, c);
            ASSERT_NEAR(y0.at(r, c), expected[0], 4e-6 * (1 + std::abs(expected[0]))) << r << " " << c;
            ASSERT_NEAR(y1.at(r, c), expected[1], 4e-6 * (1 + std::abs(expected[1]))) << r << " " << c;
            ASSERT_NEAR(y2.at(r, c), expected[2], 4e-6 * (1 + std::abs(expected[2]))) << r << " " << c;
          }
      }
}

TEST_P(Elementwise, AnElementHasTheSameBitsAtAnyPosition) {
  const ScalarProgram program{1,
                              3,
                              {{Op::kInput, 0, 0},
                               {Op::kSigmoid, 1, 0},
                               {Op::kTanh, 2, 0},
                               {Op::kMul, 1, 1, 2},
                               {Op::kExp, 2, 1},
                               {Op::kAdd, 1, 1, 2}},
                              {1}};
  Random random(3, RandomPurpose::kGenerator);
  for (const int width : kElementWidths) {
    SCOPED_TRACE(width);
    const Matrix x(23, width, random);
    Matrix together(23, width, random), alone(23, width, random), apart(23, width, random, 5);
    const ConstRows in[] = {x.view()};
    const Rows to[] = {together.out()}, one[] = {alone.out()}, spread[] = {apart.out()};
    elementwise(isa(), program, in, to, 0, 23, scratch_);
    elementwise(isa(), program, in, spread, 0, 23, scratch_);
    for (int r = 0; r < 23; ++r) elementwise(isa(), program, in, one, r, r + 1, scratch_);
    EXPECT_TRUE(same_bits(together.all(), alone.all()));
    for (int r = 0; r < 23; ++r)
      for (int c = 0; c < width; ++c) ASSERT_EQ(bits_of(apart.at(r, c)), bits_of(together.at(r, c)));
    const float first = x.at(7, width - 1);
    float y = 0;
    const ConstRows single[] = {{&first, 1, nullptr, 1}};
    const Rows single_out[] = {{&y, 1, 1}};
    elementwise(isa(), program, single, single_out, 0, 1, scratch_);
    EXPECT_EQ(bits_of(y), bits_of(together.at(7, width - 1)));
  }
}

TEST_P(Elementwise, OutputsMayOverlapInputs) {
  const ScalarProgram swap_and_add{2, 3, {{Op::kInput, 0, 0}, {Op::kInput, 1, 1}, {Op::kAdd, 2, 0, 1}}, {1, 0, 2}};
  Random random(4, RandomPurpose::kGenerator);
  for (const int width : kElementWidths) {
    Matrix a(9, width, random), b(9, width, random), sum(9, width, random);
    const Matrix a0 = a, b0 = b;
    const ConstRows in[] = {a.view(), b.view()};
    const Rows out[] = {a.out(), b.out(), sum.out()};
    elementwise(isa(), swap_and_add, in, out, 0, 9, scratch_);
    EXPECT_TRUE(same_bits(a.all(), b0.all()));
    EXPECT_TRUE(same_bits(b.all(), a0.all()));
    for (int c = 0; c < width; ++c) EXPECT_EQ(sum.at(8, c), a0.at(8, c) + b0.at(8, c));
  }
}

TEST_P(Elementwise, DoesNothingForNoRows) {
  const ScalarProgram program{0, 1, {{Op::kConstant, 0, 0, 0, 3.0F}}, {0}};
  float y = 1;
  const Rows out[] = {{&y, 1, 1}};
  elementwise(isa(), program, {}, out, 0, 0, scratch_);
  EXPECT_EQ(y, 1);
  elementwise(isa(), program, {}, out, 0, 1, scratch_);
  EXPECT_EQ(y, 3);
}

}  // namespace
}  // namespace cavs::cpu
