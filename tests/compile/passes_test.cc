#include "compile/passes.h"

#include <gmock/gmock.h>

#include "compile/count_nodes.h"
#include "graphs/error_text.h"
#include "helpers/evaluate.h"
#include "ir/builder.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// One vertex function with resolved states, before any pass.
Function declared(const std::function<void(Model&, Vertex&)>& declare) {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) { declare(m, v); });
  std::vector<Function> functions = m.functions();
  resolve_states(functions, true);
  return functions[0];
}

Domain domain_of(const Function& f, const std::string& name) {
  for (const Node& node : f.nodes)
    if (node.name == name) return node.domain;
  ADD_FAILURE() << "no value '" << name << "'";
  return {};
}

std::vector<std::string> states_of(const Program& program) {
  std::vector<std::string> names;
  for (const State& state : program.states) names.push_back(state.name);
  return names;
}

TEST(Unwanted, StatesThatNoWantedValueGathersAreNotComputed) {
  Model m;
  m.vertex_function("up", [](Vertex& v) {
    auto x = v.pull("x", 2), a = v.gather(0, "a") + x, b = v.gather(0, "b") * x;
    v.scatter("a", a);
    v.scatter("b", b);
    v.scatter("nobody", x);
    v.loss(sum_features(a));
  });
  m.vertex_function("down", [](Vertex& v) { v.push("y", v.gather(0, "b")); });
  EXPECT_THAT(states_of(*compile(m, {.pushes = std::vector<std::string>()})), ElementsAre("a"));
  EXPECT_THAT(states_of(*compile(m, {.loss = false})), ElementsAre("b"));
  EXPECT_THAT(states_of(*compile(m)), ElementsAre("a", "b"));
  EXPECT_THAT(states_of(*compile(m, {.loss = false, .pushes = std::vector<std::string>()})),
              ElementsAre("a", "b", "nobody"))
      << "with no other results wanted, states are results";
}

TEST(Simplify, MergesEqualNodesAndDropsDeadOnes) {
  const Function f = declared([](Model&, Vertex& v) {
    const Value x = v.pull("x", 2);
    exp(x);  // dead
    v.push("y", tanh(x) + tanh(v.pull("x", 2)));
  });
  const Function g = simplify(f, {});
  EXPECT_EQ(count(g, "pull"), 1);
  EXPECT_EQ(count(g, "tanh"), 1);
  EXPECT_EQ(count(g, "exp"), 0);
  EXPECT_EQ(g.forward, static_cast<std::int32_t>(g.nodes.size()));
}

TEST(Simplify, DoesNotMergeWhatDiffersInAnAttribute) {
  const Function g = simplify(declared([](Model&, Vertex& v) {
                                const Value x = v.pull("x", 4);
                                v.push("y", slice(x, 0, 2) + slice(x, 1, 2));
                                v.push("z", dropout(x, 0.5) + dropout(x, 0.5));
                              }),
                              {});
  EXPECT_EQ(count(g, "slice"), 2);
}

TEST(Simplify, FoldsConstantsAndIdentities) {
  const Function g = simplify(declared([](Model&, Vertex& v) {
                                const Value x = v.pull("x", 2);
                                v.push("y", (x + 0.0) * 1.0 * (v.constant(2) * v.constant(3)));
                              }),
                              {});
  EXPECT_EQ(count(g, "add_scalar"), 0);
  EXPECT_EQ(count(g, "multiply_scalar"), 0);
  EXPECT_EQ(count(g, "multiply"), 1);
  ASSERT_EQ(count(g, "constant"), 1);
  const auto constant =
      std::find_if(g.nodes.begin(), g.nodes.end(), [](const Node& node) { return node.is(OpId::kConstant); });
  EXPECT_EQ(constant->get<attr::Constant>().number, 6);
}

TEST(Unwanted, DropoutIsKeptOnlyInTrainingWhateverIsSwitchedOff) {
  Model m;
  m.vertex_function("cell", [](Vertex& v) { v.push("y", dropout(v.pull("x", 2), 0.5)); });
  for (const std::vector<std::string>& off : {std::vector<std::string>(), {"simplify", "simplify_gradient"}}) {
    const auto masks = [&](bool training, bool dropout) {
      const auto program = compile(m, {.training = training, .dropout = dropout, .disabled_passes = off});
      EXPECT_EQ(count(program->types[0].declared, "dropout_mask"), count(program->types[0].function, "dropout_mask"));
      return count(program->types[0].function, "dropout_mask");
    };
    EXPECT_EQ(masks(true, true), 1);
    EXPECT_EQ(masks(false, true), 0);
    EXPECT_EQ(masks(true, false), 0);
  }
}

/// Mask numbers of a function, in order.
std::vector<std::int32_t> masks_of(const Function& f) {
  std::vector<std::int32_t> masks;
  for (const Node& node : f.nodes)
    if (node.is(OpId::kDropoutMask)) masks.push_back(node.get<attr::Dropout>().mask);
  return masks;
}

TEST(Masks, AreNumberedAsDeclaredWhateverPassesRemove) {
  Model m;
  m.vertex_function("cell", [](Vertex& v) {
    const Value x = v.pull("x", 3);
    v.push("a", dropout(x, 0.5));
    v.push("b", dropout(x, 0.5));
    v.push("c", dropout(x, 0) + sample_dropout(x, 0.5));
    v.push("d", dropout(x, 0.5));
  });
  using Ports = std::vector<std::string>;
  const auto masks = [](const Model& model, const Ports& pushes) {
    return masks_of(compile(model, {.pushes = pushes})->types[0].function);
  };
  for (const Model& model : {m, Model::from_json(m.to_json())}) {
    EXPECT_THAT(masks(model, {"a", "b", "c", "d"}), ElementsAre(0, 1, 2, 3)) << "masks of one value are not merged";
    EXPECT_THAT(masks(model, {"b", "d"}), ElementsAre(1, 3));
  }
}

TEST(CompactAbsent, RunsWhatIsLinearInAnAbsentInputOnPresentRows) {
  const Function f = compact_absent(declared([](Model& m, Vertex& v) {
                                      const Value x = m.lookup("E", {9, 4})(v.pull_index("word")).named("x");
                                      const Value y = (x * m.parameter("W", {4, 4})).named("product");
                                      const Value z = (y * 2.0).named("twice");
                                      v.push("y", (z + m.parameter("b", {4})).named("with bias"));
                                      v.push("e", exp(z).named("exponential"));
                                    }),
                                    {});
  const Domain present{DomainKind::kPresent, "word"}, vertex{DomainKind::kVertex, {}};
  EXPECT_EQ(domain_of(f, "x"), present);
  EXPECT_EQ(domain_of(f, "product"), present);
  EXPECT_EQ(domain_of(f, "twice"), present);
  EXPECT_EQ(domain_of(f, "with bias"), vertex);    // the bias is not zero where the word is absent
  EXPECT_EQ(domain_of(f, "exponential"), vertex);  // exp(0) is not zero either
}

TEST(ShareLookups, MultipliesALookedUpRowOnceForAllVerticesThatLookItUp) {
  const Function f = share_lookups(declared([](Model& m, Vertex& v) {
                                     auto E = m.lookup("E", {9, 4}), F = m.lookup("F", {9, 4});
                                     const Value x = E(v.pull_index("word")).named("x");
                                     const Value y = (x * m.parameter("W", {4, 4})).named("product");
                                     v.push("y", tanh(y).named("tanh"));
                                     const Value biased = (y + m.parameter("b", {4})).named("with bias");
                                     const Value other = F(v.pull_index("word")).named("other");
                                     v.scatter("h", tanh(other * m.parameter("U", {4, 4}) + other));
                                     v.loss(sum_features(biased));
                                   }),
                                   {});
  const Domain distinct{DomainKind::kDistinct, "word"}, vertex{DomainKind::kVertex, {}};
  EXPECT_EQ(domain_of(f, "x"), distinct);
  EXPECT_EQ(domain_of(f, "product"), distinct);
  EXPECT_EQ(domain_of(f, "with bias"), vertex);  // the bias is not zero where the word is absent
  EXPECT_EQ(domain_of(f, "tanh"), vertex) << "its gradient is not linear, so gradients cannot be summed before it";
  EXPECT_EQ(domain_of(f, "other"), vertex) << "each vertex would need a copy of it";

  const Function g = simplify(differentiate(f, {}), {});
  ASSERT_EQ(count(g, "segment_sum"), 1);
  for (const Node& node : g.nodes)
    if (node.is(OpId::kLookupGradient) && node.attribute_name() == "E") {
      EXPECT_EQ(g.nodes[node.in[1]].domain, distinct) << "the product with W^T also runs once per word";
    }
}

TEST(CompactUnlabelled, RunsWhatOnlyALossNeedsOnLabelledRows) {
  const auto declare = [](bool pushed) {
    return compact_unlabelled(declared([&](Model& m, Vertex& v) {
                                const Value x = tanh(v.pull("x", 4)).named("x");
                                v.scatter("h", x);
                                const Value y = (dropout(x, 0.5) * m.parameter("W", {4, 3})).named("product");
                                const Value logits = (y + m.parameter("b", {3})).named("with bias");
                                if (pushed) v.push("y", logits);
                                v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
                                v.loss(softmax_cross_entropy(x, v.pull_index("label")));
                                v.loss(softmax_cross_entropy(x, v.pull_index("other")));
                              }),
                              {});
  };
  const Domain labelled{DomainKind::kLabelled, "label"}, vertex{DomainKind::kVertex, {}};
  const Function f = declare(false);
  EXPECT_EQ(domain_of(f, "product"), labelled);
  EXPECT_EQ(domain_of(f, "with bias"), labelled);  // nothing reads rows without a label
  EXPECT_EQ(domain_of(f, "x"), vertex);            // a state needs all rows
  EXPECT_EQ(count(f, "compact"), 1) << "of the rows that are multiplied";
  EXPECT_EQ(count(declare(true), "compact"), 0) << "a push returns all rows";
}

TEST(Differentiate, KeepsFAndAppendsItsGradient) {
  const Function f = declared([](Model& m, Vertex& v) {
    const Value h = tanh(v.gather(0, "h") * m.parameter("U", {3, 3}) + v.pull("x", 3));
    v.scatter("h", h);
    v.loss(sum_features(h));
  });
  const Function g = differentiate(f, {});
  ASSERT_EQ(g.forward, static_cast<std::int32_t>(f.nodes.size()));
  for (std::size_t i = 0; i < f.nodes.size(); ++i) EXPECT_EQ(g.nodes[i].op, f.nodes[i].op);
  EXPECT_EQ(count(g, "gather_gradient"), 1);  // gather and scatter are each other's gradient
  EXPECT_EQ(count(g, "scatter_gradient"), 1);
  EXPECT_EQ(count(g, "accumulate"), 1);
  EXPECT_EQ(count(g, "pull_gradient"), 0);  // CompileOptions::pull_gradients is off
  EXPECT_EQ(count(differentiate(f, {.pull_gradients = true}), "pull_gradient"), 1);
  EXPECT_EQ(count(differentiate(f, {.training = false}), "accumulate"), 0);
}

TEST(Differentiate, APortThatIsPulledTwiceHasOneGradient) {
  const Function g = differentiate(declared([](Model&, Vertex& v) {
                                     const Value x = v.pull("x", 3), y = v.pull("y", 3);
                                     v.loss(sum_features(x * y + tanh(v.pull("x", 3))));
                                   }),
                                   {.pull_gradients = true});
  EXPECT_EQ(count(g, "pull"), 3);
  EXPECT_EQ(count(g, "pull_gradient"), 2);
}

TEST(Differentiate, AddsNothingForValuesThatReachNoParameter) {
  const Function g = differentiate(
      declared([](Model& m, Vertex& v) { v.loss(sum_features(multiply(exp(v.pull("x", 3)), m.parameter("p", {3})))); }),
      {});
  EXPECT_EQ(count(g, "exp"), 1);
}

/// Checks the message of verify for a function that `spoil` broke.
void expect_refused(const std::function<void(Function&)>& spoil, const std::string& what) {
  Function f = declared([](Model& m, Vertex& v) { v.push("y", tanh(v.pull("x", 3)) + m.parameter("p", {3})); });
  EXPECT_NO_THROW(verify(f, {}));
  spoil(f);
  EXPECT_THROW(verify(f, {}), InternalError) << what;
}

TEST(Verify, CatchesABrokenFunction) {
  expect_refused([](Function& f) { f.nodes[1].in[0] = 1; }, "reads itself");
  expect_refused([](Function& f) { f.nodes[1].in[0] = 3; }, "reads a later value");
  expect_refused([](Function& f) { f.nodes[1].in[0] = -1; }, "reads nothing");
  expect_refused([](Function& f) { f.nodes[1].in = {0, 0}; }, "too many inputs");
  expect_refused([](Function& f) { f.nodes[1].shape = {4}; }, "a wrong shape");
  expect_refused([](Function& f) { f.nodes[1].domain = {DomainKind::kEdge, {}}; }, "a wrong domain");
  expect_refused(
      [](Function& f) {
        f.forward = 1;
        f.nodes[0].in = {};
        f.nodes.push_back(f.nodes[1]);
        f.nodes[0].shape = {2};
      },
      "a pull of another shape");
}

TEST(PassList, NamesEveryPassOnceWithADocumentation) {
  std::vector<std::string_view> names;
  for (const Pass& pass : pass_list()) {
    EXPECT_EQ(std::count(names.begin(), names.end(), pass.name), 0) << pass.name;
    names.push_back(pass.name);
    EXPECT_FALSE(pass.doc.empty()) << pass.name;
  }
}

TEST(Compile, UnknownPassGetsASuggestion) {
  Model m;
  m.vertex_function("cell", [](Vertex& v) { v.push("y", v.pull("x", 1)); });
  EXPECT_THAT(error_of([&] { compile(m, {.disabled_passes = {"simplfy"}}); }),
              AllOf(HasSubstr("'simplfy'"), HasSubstr("simplify")));
  EXPECT_THAT(error_of([&] { compile(m, {.disabled_passes = {"differentiate"}}); }), HasSubstr("switched off"));
  EXPECT_THAT(error_of([] { compile(Model()); }), HasSubstr("no vertex function"));
}

/// A model that pushes "y" and "z", and has a loss of a separate product.
Model pushing_model() {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    const Value x = v.pull("x", 3), y = x * m.parameter("W", {3, 4}), z = x * m.parameter("U", {3, 5});
    v.push("y", tanh(y));
    v.push("z", z);
    v.loss(softmax_cross_entropy(x * m.parameter("V", {3, 6}), v.pull_index("label")));
  });
  return m;
}

TEST(Compile, LeavesOutUnwantedResults) {
  using Ports = std::vector<std::string>;
  const auto function = [](const CompileOptions& options) {
    return compile(pushing_model(), options)->types[0].function;
  };
  const Function all = function({.training = false}), none = function({.training = false, .pushes = Ports{}}),
                 one = function({.training = false, .loss = false, .pushes = Ports{"z"}});
  EXPECT_EQ(count(all, "push"), 2);
  EXPECT_EQ(count(all, "matmul"), 3);
  EXPECT_EQ(count(none, "push"), 0);
  EXPECT_EQ(count(none, "matmul"), 1);
  EXPECT_EQ(count(none, "loss"), 1);
  EXPECT_EQ(count(one, "push"), 1);
  EXPECT_EQ(count(one, "matmul"), 1);
  EXPECT_EQ(count(one, "pull_index"), 0);
  EXPECT_THAT(error_of([] { compile(pushing_model(), {.pushes = Ports{"zz"}}); }),
              AllOf(HasSubstr("'zz'"), HasSubstr("known: y, z")));
}

TEST(Compile, LogsWhatEachPassDid) {
  Model m;
  m.vertex_function("cell", [](Vertex& v) { v.push("y", v.pull("x", 1)); });
  const auto program = compile(m, {.disabled_passes = {"simplify"}});
  EXPECT_EQ(program->log.size(), pass_list().size());
  EXPECT_THAT(program->log, testing::Contains("cell: simplify is off"));
}

}  // namespace
}  // namespace cavs
