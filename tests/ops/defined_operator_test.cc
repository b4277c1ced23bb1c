// User-defined operators obey the same rules as the library's own.

#include <gmock/gmock.h>

#include <limits>

#include "cavs/operator.h"
#include "graphs/error_text.h"
#include "helpers/finite_differences.h"
#include "inspect/print_operator.h"
#include "ops/op_cases.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Dx = std::vector<Scalar>;

Operator softplus() {
  return Operator({.name = "softplus",
                   .expression = [](const auto& x) { return max(x[0], 0) + log(1 + exp(-abs(x[0]))); },
                   .gradient = [](const auto& g) { return Dx{g.dy * sigmoid(g.x[0])}; }});
}

Operator swish() {
  return Operator({.name = "swish", .expression = [](const auto& x) { return x[0] * sigmoid(x[0]); }});
}

/// Uses each scalar operation, and both inputs several times. Kinks are far from the inputs.
Operator everything() {
  return Operator({.name = "everything", .inputs = 2, .expression = [](const auto& x) {
                     const Scalar a = x[0] * 0.5 + 2.5, b = 3.25 - x[1] / 2;
                     const Scalar smooth = sqrt(a) + log(b) + exp(-a) + erf(b) + tanh(a * b) + sigmoid(a - b) + a / b;
                     return smooth + max(a, -b) * min(b, a + 9) + abs(b) * greater(a, b - 9) + equal(a, b + 99) * a;
                   }});
}

Operator first_of_three() {
  return Operator({.name = "first_of_three", .inputs = 3, .expression = [](const auto& x) { return x[0]; }});
}

struct DefinedCase {
  const char* name;
  Operator op;
  std::vector<std::vector<Shape>> shapes;
};

std::vector<DefinedCase> defined_cases() {
  return {{"softplus", softplus(), {{{4}}, {{1}}}},
          {"swish", swish(), {{{4}}}},
          {"everything", everything(), {{{4}, {4}}, {{4}, Shape{}}, {{1}, {4}}}},
          {"first_of_three", first_of_three(), {{{2}, {2}, {2}}}}};
}

std::vector<OpModel> models_of(const DefinedCase& c) {
  const Operator op = c.op;
  return op_models(c.name,
                   {.shapes = c.shapes, .apply = [op](Vertex&, Model&, const std::vector<Value>& in) {
                      return in.size() == 1 ? op(in[0]) : in.size() == 2 ? op(in[0], in[1]) : op(in[0], in[1], in[2]);
                    }});
}

TEST(DefinedOperator, GradientsAgreeWithFiniteDifferences) {
  const GraphSet graphs = op_graphs();
  for (const DefinedCase& c : defined_cases())
    for (const OpModel& m : models_of(c))
      expect_gradients_match_differences(Bench(m.model, graphs), all_samples(graphs), m.name, 1);
}

TEST(DefinedOperator, BatchedAgreesWithTheReferenceWithAndWithoutFusionAndMachineCode) {
  const GraphSet graphs = op_graphs();
  const auto samples = all_samples(graphs);
  for (const DefinedCase& c : defined_cases())
    for (const OpModel& m : models_of(c)) {
      const Result reference = Bench(m.model, graphs).run(samples, {.engine = EngineKind::kReference});
      for (const char* pass : {"recompute", "fuse", "generate_code", "compact_absent"}) {
        const Bench bench(m.model, graphs, {.disabled_passes = {pass}});
        expect_same_numbers(bench.run(samples, {.threads = 2}), reference, *bench.parameters,
                            m.name + ", without " + pass);
      }
    }
}

/// A model whose loss depends on all elements of op(x), where x depends on a parameter.
Model model_of(const Operator& op) {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    const Value y = op(v(m.parameter("p", {4}, Initializer::uniform(2))) + sum(v.children("h")));
    v.scatter("h", y);
    v.loss(sum_features(y * y));
  });
  return m;
}

TEST(DefinedOperator, ADerivedGradientEqualsTheGivenOne) {
  const Operator derived(
      {.name = "softplus", .expression = [](const auto& x) { return max(x[0], 0) + log(1 + exp(-abs(x[0]))); }});
  const GraphSet graphs = graphs_from_text("0>2 1>2 | 3>4");
  const Bench given(model_of(softplus()), graphs), found(model_of(derived), graphs);
  expect_same_numbers(found.run(all_samples(graphs)), given.run(all_samples(graphs)), *given.parameters, "softplus");
}

TEST(DefinedOperator, AGivenGradientReplacesTheDerivedOne) {
  const Operator step({.name = "step",
                       .expression = [](const auto& x) { return greater(x[0], 0); },
                       .gradient = [](const auto& g) { return Dx{g.dy}; }});
  const Operator flat({.name = "flat", .expression = [](const auto& x) { return greater(x[0], 0); }});
  const GraphSet graphs = graphs_from_text("0");
  const auto gradient = [&](const Operator& op) {
    const Result result = Bench(model_of(op), graphs).run(all_samples(graphs));
    return std::vector<float>(result.gradients.values(0).begin(), result.gradients.values(0).end());
  };
  EXPECT_THAT(gradient(step), testing::Each(testing::AnyOf(0.0F, 2.0F)));  // 2 y, where y is 0 or 1
  EXPECT_THAT(gradient(step), testing::Contains(2.0F));
  EXPECT_THAT(gradient(flat), testing::Each(0.0F));
}

TEST(DefinedOperator, IsPartOfTheModelsJson) {
  const GraphSet graphs = graphs_from_text("0>2 1>2 | 3>4");
  for (const DefinedCase& c : defined_cases()) {
    if (c.shapes[0].size() != 1) continue;
    const Model m = model_of(c.op), back = Model::from_json(m.to_json());
    EXPECT_EQ(back.to_json(), m.to_json());
    expect_same_result_bits(Bench(back, graphs).run(all_samples(graphs)), Bench(m, graphs).run(all_samples(graphs)),
                            c.name);
  }
  EXPECT_THAT(model_of(swish()).to_json(), HasSubstr(R"(["sigmoid",0],["multiply",0,1])"));
}

TEST(DefinedOperator, LivesAsLongAsItsUsers) {
  const GraphSet graphs = graphs_from_text("0>2 1>2");
  const auto make = [&] { return std::make_unique<Bench>(model_of(swish()), graphs); };
  const std::unique_ptr<Bench> bench = make();  // the operator and the model are destroyed
  EXPECT_GT(bench->run(all_samples(graphs)).loss, 0);
}

TEST(DefinedOperator, NamesAreUniquePerModel) {
  const Operator other({.name = "swish", .expression = [](const auto& x) { return x[0] * 2; }});
  EXPECT_NE(model_of(swish()).to_json(), model_of(other).to_json());
  const auto declare = [](const Operator& second) {
    Model m = model_of(swish());
    m.vertex_function("second", [&](Vertex& v) { v.push("y", second(v.gather(0, "h"))); });
  };
  EXPECT_NO_THROW(declare(swish()));
  EXPECT_THAT(error_of([&] { declare(other); }), AllOf(HasSubstr("'swish'"), HasSubstr("'second'")));
}

TEST(DefinedOperator, IsPrinted) {
  EXPECT_EQ(operators_to_text(model_of(softplus()).functions()),
            "operators\n  softplus(x0) = max(x0, 0) + log(exp(-abs(x0)) + 1)\n    dx0 = dy * sigmoid(x0)\n\n");
  EXPECT_EQ(operators_to_text(Model().functions()), "");
  const Operator deep({.name = "deep", .expression = [](const auto& x) {
                         Scalar y = x[0];
                         for (int i = 0; i < 200; ++i) y = y + y;
                         return y;
                       }});
  EXPECT_THAT(operators_to_text(model_of(deep).functions()), HasSubstr("..."));
}

std::string refusal(const OperatorDefinition& definition) {
  return error_of([&] { Operator{definition}; });
}

TEST(DefinedOperator, ReportsBadDefinitions) {
  const auto first = [](const ScalarInputs& x) { return x[0]; };
  EXPECT_THAT(refusal({.name = "", .expression = first}), HasSubstr("letters"));
  EXPECT_THAT(refusal({.name = "a b", .expression = first}), HasSubstr("'a b'"));
  EXPECT_THAT(refusal({.name = "tanh", .expression = first}), AllOf(HasSubstr("'tanh'"), HasSubstr("library")));
  EXPECT_THAT(refusal({.name = "matmul_sum", .expression = first}), HasSubstr("library"));
  EXPECT_THAT(refusal({.name = "f", .inputs = 0, .expression = first}), HasSubstr("1 to 8"));
  EXPECT_THAT(refusal({.name = "f", .inputs = 9, .expression = first}), HasSubstr("9 inputs"));
  EXPECT_THAT(refusal({.name = "f", .expression = nullptr}), HasSubstr("no expression"));
  EXPECT_THAT(refusal({.name = "f", .expression = [](const auto& x) { return x[1]; }}), HasSubstr("reads input 1"));
  EXPECT_THAT(refusal({.name = "f", .expression = [](const auto&) { return Scalar(); }}), HasSubstr("empty Scalar"));
  EXPECT_THAT(refusal({.name = "f", .expression = [](const auto& x) { return x[0] + Scalar(); }}),
              HasSubstr("empty Scalar"));
  EXPECT_THAT(refusal({.name = "f", .expression = [](const auto& x) { return x[0] * 1e300; }}), HasSubstr("finite"));
  EXPECT_THAT(refusal({.name = "f",
                       .expression =
                           [](const auto& x) {
                             Scalar y = x[0];
                             for (int i = 0; i < 300; ++i) y = tanh(y);
                             return y;
                           }}),
              HasSubstr("at most 256"));
}

TEST(DefinedOperator, ReportsBadGradients) {
  const auto with = [](const std::function<Dx(const GradientArguments&)>& gradient) {
    return refusal({.name = "f", .expression = [](const auto& x) { return exp(x[0]); }, .gradient = gradient});
  };
  EXPECT_THAT(with([](const auto&) { return Dx{}; }), HasSubstr("0 results"));
  EXPECT_THAT(with([](const auto& g) { return Dx{g.dy, g.dy}; }), HasSubstr("2 results"));
  EXPECT_THAT(with([](const auto& g) { return Dx{g.y}; }), HasSubstr("not linear in dy"));
  EXPECT_THAT(with([](const auto& g) { return Dx{g.dy + 1}; }), HasSubstr("not linear in dy"));
  EXPECT_THAT(with([](const auto&) { return Dx{Scalar()}; }), HasSubstr("empty Scalar"));
  Scalar kept;
  const OperatorDefinition mixed{.name = "f",
                                 .expression = [&](const auto& x) { return kept = x[0]; },
                                 .gradient = [&](const auto& g) { return Dx{g.dy * kept}; }};
  EXPECT_THAT(refusal(mixed), HasSubstr("two expressions"));
}

TEST(DefinedOperator, ReportsWrongUse) {
  const Operator op = everything();
  const auto use = [](const std::function<void(Vertex&)>& declare) {
    return error_of([&] {
      Model m;
      m.vertex_function("cell", declare);
    });
  };
  EXPECT_THAT(use([&](Vertex& v) { op(v.pull("x", 2)); }), AllOf(HasSubstr("[everything]"), HasSubstr("2 inputs")));
  EXPECT_THAT(use([&](Vertex& v) { op(v.pull("x", 2), v.pull("y", 3)); }), HasSubstr("shapes differ"));
  EXPECT_THAT(error_of([&] { op(Value(), Value()); }), HasSubstr("values of a vertex function"));
}

}  // namespace
}  // namespace cavs
