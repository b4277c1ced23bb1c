// Accuracy of exp, log, tanh, sigmoid, erf, sin, cos and pow against double libm, and their special values.

#include <gmock/gmock.h>

#include <cfloat>
#include <cmath>
#include <limits>
#include <utility>

#include "backend/kernel_testing.h"
#include "ir/op.h"
#include "ir/scalar_eval.h"

namespace cavs::cpu {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::nanf("");

struct Function {
  const char* name;
  ScalarOp op;
  double (*exact)(double);
};
const Function kFunctions[] = {
    {"exp", ScalarOp::kExp, [](double x) { return std::exp(x); }},
    {"log", ScalarOp::kLog, [](double x) { return std::log(x); }},
    {"tanh", ScalarOp::kTanh, [](double x) { return std::tanh(x); }},
    {"sigmoid", ScalarOp::kSigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"erf", ScalarOp::kErf, [](double x) { return std::erf(x); }},
    {"sqrt", ScalarOp::kSqrt, [](double x) { return std::sqrt(x); }},
    {"round", ScalarOp::kRound, [](double x) { return std::nearbyint(x); }},
};

class VectorMath : public EveryIsa {
 protected:
  /// @param x  values of each input, all of the same length
  std::vector<float> apply(const ScalarProgram& program, const std::vector<std::vector<float>>& x) {
    std::vector<float> y(x[0].size());
    const auto n = static_cast<std::int32_t>(y.size());
    std::vector<ConstRows> in;
    for (const std::vector<float>& input : x) in.push_back({input.data(), n, nullptr, n});
    const Rows out[] = {{y.data(), n, n}};
    elementwise(isa(), program, in, out, 0, 1, scratch_);
    return y;
  }
  std::vector<float> apply(ScalarOp op, const std::vector<float>& x) {
    return apply({1, 2, {{ScalarOp::kInput, 0, 0}, {op, 1, 0}}, {1}}, {x});
  }
  float apply(ScalarOp op, float x) { return apply(op, std::vector<float>{x})[0]; }
};
CAVS_FOR_EVERY_ISA(VectorMath);

/// Every 1009th float, of all magnitudes and both signs.
std::vector<float> floats_of_all_sizes() {
  std::vector<float> xs;
  for (std::uint32_t b = 0; b < 0x7F800000U; b += 1009) {
    float x;
    std::memcpy(&x, &b, sizeof x);
    xs.push_back(x);
    xs.push_back(-x);
  }
  return xs;
}

TEST_P(VectorMath, IsAccurateToFiveTenMillionthsEverywhere) {
  const std::vector<float> xs = floats_of_all_sizes();
  for (const Function& f : kFunctions) {
    SCOPED_TRACE(f.name);
    const std::vector<float> ys = apply(f.op, xs);
    double worst = 0;
    float worst_x = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const double exact = f.exact(xs[i]);
      if (std::isnan(exact)) {
        ASSERT_TRUE(std::isnan(ys[i])) << xs[i];
      } else if (std::abs(exact) > FLT_MAX) {
        ASSERT_EQ(ys[i], exact > 0 ? kInf : -kInf) << xs[i];
      } else {  // below the smallest normal number, results may be flushed to zero
        const double error = std::abs(ys[i] - exact) / std::max(std::abs(exact), double{FLT_MIN} / 5e-7);
        const double tiny = std::abs(exact) < double{FLT_MIN} ? 0 : std::abs(ys[i] - exact) / std::abs(exact);
        if (std::max(error, tiny) > worst) {
          worst = std::max(error, tiny);
          worst_x = xs[i];
        }
      }
    }
    EXPECT_LE(worst, 5e-7) << "at " << worst_x;
    RecordProperty(std::string(f.name) + "_error", std::to_string(worst));
  }
}

TEST_P(VectorMath, NotANumberStaysNotANumber) {
  std::uint32_t payload = 0x7FC00155U;  // a payload whose low bits are set
  float odd;
  std::memcpy(&odd, &payload, sizeof odd);
  for (const Function& f : kFunctions)
    for (const float x : {kNan, -kNan, odd}) EXPECT_TRUE(std::isnan(apply(f.op, x))) << f.name;
}

TEST_P(VectorMath, HasTheRightLimits) {
  EXPECT_EQ(apply(ScalarOp::kExp, kInf), kInf);
  EXPECT_EQ(apply(ScalarOp::kExp, -kInf), 0);
  EXPECT_EQ(apply(ScalarOp::kExp, 0.0F), 1);
  EXPECT_EQ(apply(ScalarOp::kExp, 88.8F), kInf);
  EXPECT_EQ(apply(ScalarOp::kLog, 0.0F), -kInf);
  EXPECT_EQ(apply(ScalarOp::kLog, -0.0F), -kInf);
  EXPECT_EQ(apply(ScalarOp::kLog, kInf), kInf);
  EXPECT_EQ(apply(ScalarOp::kLog, 1.0F), 0);
  EXPECT_TRUE(std::isnan(apply(ScalarOp::kLog, -1.0F)));
  EXPECT_TRUE(std::isnan(apply(ScalarOp::kLog, -kInf)));
  EXPECT_EQ(apply(ScalarOp::kTanh, kInf), 1);
  EXPECT_EQ(apply(ScalarOp::kTanh, -kInf), -1);
  EXPECT_EQ(apply(ScalarOp::kTanh, 0.0F), 0);
  EXPECT_EQ(apply(ScalarOp::kSigmoid, kInf), 1);
  EXPECT_EQ(apply(ScalarOp::kSigmoid, -kInf), 0);
  EXPECT_EQ(apply(ScalarOp::kSigmoid, 0.0F), 0.5F);
  EXPECT_EQ(apply(ScalarOp::kErf, kInf), 1);
  EXPECT_EQ(apply(ScalarOp::kErf, -kInf), -1);
  EXPECT_EQ(apply(ScalarOp::kErf, 0.0F), 0);
}

TEST_P(VectorMath, SineAndCosineAreAccurateToFiveTenMillionths) {
  std::vector<float> xs;
  for (int i = -400'000; i <= 400'000; ++i) xs.push_back(static_cast<float>(i) * 0.025F);
  // points at which one of them is 0
  for (int i = 0; i < 3'000; ++i) xs.push_back(static_cast<float>(i * 1.5707963267948966));
  for (const auto& [name, exact] : {std::pair<const char*, double (*)(double)>{"sin", std::sin}, {"cos", std::cos}}) {
    const std::vector<float> ys = apply(expression_program(find_op(name), {}), {xs});
    double worst = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) worst = std::max(worst, std::abs(ys[i] - exact(xs[i])));
    EXPECT_LE(worst, 5e-7) << name;
    EXPECT_TRUE(std::isnan(apply(expression_program(find_op(name), {}), {{kNan}})[0])) << name;
    for (const float y : apply(expression_program(find_op(name), {}), {{1e6F, -1.7e9F, 3e20F}}))
      EXPECT_LE(std::abs(y), 1 + 5e-7) << name;
  }
}

TEST_P(VectorMath, PowersAreAccurateAndKeepTheSignOfTheirBase) {
  const ScalarProgram power = expression_program(find_op("pow"), {});
  std::vector<float> a, b;
  for (int i = 1; i < 400; ++i)
    for (int j = -24; j <= 24; ++j) {
      a.push_back(static_cast<float>(i) * 0.05F);
      b.push_back(static_cast<float>(j) * 0.25F);
    }
  const std::vector<float> ys = apply(power, {a, b});
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(ys[i] / std::pow(double{a[i]}, double{b[i]}), 1, 5e-6) << a[i] << " to the " << b[i];
  const auto of = [&](float x, float y) { return apply(power, {{x}, {y}})[0]; };
  EXPECT_NEAR(of(-2, 3), -8, 1e-5);
  EXPECT_NEAR(of(-2, 2), 4, 1e-5);
  EXPECT_NEAR(of(-2, -1), -0.5, 1e-6);
  EXPECT_TRUE(std::isnan(of(-2, 0.5F)));
  EXPECT_EQ(of(0, 2), 0);
  EXPECT_EQ(of(0, -1), kInf);
  EXPECT_EQ(of(2, kInf), kInf);
  EXPECT_EQ(of(0.5F, kInf), 0);
  for (const float x : {-3.0F, 0.0F, 5.0F}) EXPECT_EQ(of(x, 0), 1) << x;
}

TEST_P(VectorMath, KeepGivesZeroForDroppedValuesWhateverTheyAre) {
  const ScalarProgram kept = expression_program(find_op("keep"), {});
  EXPECT_THAT(apply(kept, {{0, -0.0F, 0, 2, -1, kNan}, {kInf, kNan, 3, 4, -kInf, 5}}),
              testing::ElementsAre(0, 0, 0, 4, -kInf, 5));
}

TEST_P(VectorMath, RoundFloorAndSignAreExact) {
  std::vector<float> xs = floats_of_all_sizes();
  for (int i = -40; i <= 40; ++i) xs.push_back(static_cast<float>(i) * 0.25F);
  for (const float size : {4194304.5F, 4194305.5F, 8388607.5F, 8388609.0F}) xs.insert(xs.end(), {size, -size});
  const std::vector<float> floors = apply(expression_program(find_op("floor"), {}), {xs});
  const std::vector<float> signs = apply(expression_program(find_op("sign"), {}), {xs});
  const std::vector<float> rounds = apply(expression_program(find_op("round"), {}), {xs});
  for (std::size_t i = 0; i < xs.size(); ++i) {
    ASSERT_EQ(rounds[i], std::nearbyint(xs[i])) << xs[i];
    ASSERT_EQ(floors[i], std::floor(xs[i])) << xs[i];
    ASSERT_EQ(signs[i], xs[i] > 0 ? 1 : xs[i] < 0 ? -1 : 0) << xs[i];
  }
}

TEST_P(VectorMath, DivisionAndSquareRootAreExact) {
  Random random(1, RandomPurpose::kGenerator);
  const ScalarProgram divide{
      2, 3, {{ScalarOp::kInput, 0, 0}, {ScalarOp::kInput, 1, 1}, {ScalarOp::kDiv, 2, 0, 1}}, {2}};
  const Matrix a(10, 300, random), b(10, 300, random);
  Matrix y(10, 300, random);
  const ConstRows in[] = {a.view(), b.view()};
  const Rows out[] = {y.out()};
  elementwise(isa(), divide, in, out, 0, 10, scratch_);
  const std::vector<float> roots = apply(ScalarOp::kSqrt, a.all());
  for (int r = 0; r < 10; ++r)
    for (int c = 0; c < 300; ++c) ASSERT_EQ(bits_of(y.at(r, c)), bits_of(a.at(r, c) / b.at(r, c)));
  for (std::size_t i = 0; i < roots.size(); ++i)
    ASSERT_TRUE(a.all()[i] < 0 || bits_of(roots[i]) == bits_of(std::sqrt(a.all()[i])));
}

TEST_P(VectorMath, MaximumAndMinimumPropagateNotANumber) {
  for (const ScalarOp op : {ScalarOp::kMax, ScalarOp::kMin})
    for (const auto& [a, b] : {std::pair{kNan, 1.0F}, {1.0F, kNan}, {kNan, kNan}, {kNan, kInf}}) {
      const ScalarProgram program{2, 2, {{ScalarOp::kInput, 0, 0}, {ScalarOp::kInput, 1, 1}, {op, 0, 0, 1}}, {0}};
      float y = 0;
      const ConstRows in[] = {{&a, 1, nullptr, 1}, {&b, 1, nullptr, 1}};
      const Rows out[] = {{&y, 1, 1}};
      elementwise(isa(), program, in, out, 0, 1, scratch_);
      EXPECT_TRUE(std::isnan(y));
    }
}

}  // namespace
}  // namespace cavs::cpu
