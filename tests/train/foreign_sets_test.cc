// Every entry point refuses parameters, gradients, optimisers and checkpoints of another model. The error names the
// first difference, and no memory outside of the sets is accessed.

#include <gmock/gmock.h>

#include <concepts>

#include "cavs/decode.h"
#include "cavs/fit.h"
#include "execute/session_access.h"
#include "graphs/error_text.h"
#include "helpers/graphs.h"
#include "helpers/packed_rows.h"
#include "helpers/trained.h"
#include "pack/minibatch.h"
#include "update/gradient_norm.h"
#include "update/optimizer_access.h"

namespace cavs {
namespace {

using CavsRun = cavs::Run;
using testing::HasSubstr;
using Infos = std::vector<ParameterInfo>;

constexpr const char* kText = "markov:train=12,test=4,vocabulary=12,length=4";
constexpr const char* kPairs = "translations:train=12,test=4,vocabulary=12,length=4";

template <typename... Arguments>
concept HasTrainer = std::constructible_from<Trainer, Arguments...>;
template <typename Graphs>
concept CanBind = requires(std::shared_ptr<const Program> p, Graphs&& g) {
  bind_graphs(p, std::forward<Graphs>(g));
};
template <typename Run>
concept HasRows = requires(Run&& run) {
  std::forward<Run>(run).rows("h");
};
template <typename Run>
concept HasSampleBegin = requires(Run&& run) {
  std::forward<Run>(run).sample_begin();
};

static_assert(HasTrainer<const Model&, const GraphSet&, TrainOptions>);
static_assert(!HasTrainer<const Model&, GraphSet, TrainOptions>, "the data would be gone with the statement");
static_assert(!HasTrainer<const Model&, const GraphSet, TrainOptions>);
static_assert(CanBind<const GraphSet&> && !CanBind<GraphSet>, "the graphs would be gone with the statement");
static_assert(!std::constructible_from<BoundGraphs, const Program&, GraphSet>);
static_assert(HasRows<const CavsRun&> && !HasRows<CavsRun>, "rows are valid as long as the run");
static_assert(HasSampleBegin<const CavsRun&> && !HasSampleBegin<CavsRun>);
static_assert(!std::is_move_assignable_v<Parameters>, "sessions refer to them");

/// A trained model with matching data, program and checkpoint.
struct Own {
  TrainedModel trained;
  Dataset data;
  std::shared_ptr<const Program> program;
  std::shared_ptr<const BoundGraphs> bound;
  Checkpoint checkpoint;

  explicit Own(std::string_view name)
      : trained(trained_on(name == "lstm-nmt" ? kPairs : kText, 1, name)),
        data(load_data(name == "lstm-nmt" ? kPairs : kText, {.network = &trained.model})),
        program(compile(trained.model)),
        bound(bind_graphs(program, data.train)) {
    const Optimizer optimizer(optimizer_defaults("adam"), parameters());
    capture(parameters(), &optimizer, checkpoint);
    checkpoint.model = trained.model.to_json();
    checkpoint.data.words = trained.words.words();
    checkpoint.seed = 1;
  }
  Parameters& parameters() const { return *trained.parameters; }
  TrainedModel with(const Infos& infos) const {
    TrainedModel changed = trained;
    changed.parameters = std::make_shared<Parameters>(infos, 1);
    return changed;
  }
  Checkpoint holding(const Infos& infos, bool in_optimizer) const {
    Checkpoint changed = checkpoint, other;
    const Parameters foreign(infos, 1);
    const Optimizer optimizer(optimizer_defaults("adam"), foreign);
    capture(foreign, &optimizer, other);
    if (in_optimizer)
      changed.optimizer = other.optimizer;
    else
      changed.parameters = other.parameters;
    return changed;
  }
};

/// An entry point that accepts a set from the caller.
struct Entry {
  std::string name;
  std::function<void(const Own&, const Infos&)> use;
  bool by_name = false;  // accepts any order
  std::string_view model = "var-lstm";
};

void go_back(const Own& own, const Infos& infos, EngineKind engine) {
  Session session(own.program, own.trained.parameters, {.engine = engine});
  CavsRun run = session.forward(*own.bound, std::vector<std::int32_t>{0, 1});
  Gradients gradients(Parameters(infos, 1));
  run.backward(gradients);
}

void step(const Own& own, Parameters& parameters, const Gradients& gradients) {
  Optimizer(optimizer_defaults("adam"), own.parameters()).step(parameters, gradients);
}

void resume(const Own& own, const Checkpoint& checkpoint) {
  TrainOptions options;
  options.optimizer = optimizer_defaults("adam");
  Trainer(own.trained.model, own.data.train, options).restore(checkpoint);
}

/// Updates rows through another session, whose parameters have the same names and shapes.
void step_rows(const Own& own, const Infos& infos) {
  const auto parameters = std::make_shared<Parameters>(infos, 1);
  Session session(own.program, own.trained.parameters);
  Gradients gradients(*parameters);
  Optimizer optimizer(optimizer_defaults("sgd"), *parameters);
  detail::OptimizerAccess::check(optimizer, *parameters, gradients, &begin_update(session));
}

std::vector<Entry> entries() {
  const auto norm = [](const Own& own, const Infos& infos, auto ask) {
    GradientNorm sums(own.parameters());
    sums.share(0, 1, Gradients(own.parameters()));
    ask(sums, Gradients(Parameters(infos, 1)));
  };
  return {
      {"Session", [](const Own& o, const Infos& i) { Session(o.program, std::make_shared<Parameters>(i, 1)); }},
      {"ReferenceSession",
       [](const Own& o, const Infos& i) {
         Session(o.program, std::make_shared<Parameters>(i, 1), {.engine = EngineKind::kReference});
       }},
      {"Evaluate",
       [](const Own& o, const Infos& i) { evaluate(o.trained.model, std::make_shared<Parameters>(i, 1), o.data.dev); }},
      {"Predictor", [](const Own& o, const Infos& i) { Predictor(o.with(i)); }},
      {"Continuer", [](const Own& o, const Infos& i) { Continuer(o.with(i)); }},
      {"Translator", [](const Own& o, const Infos& i) { Translator(o.with(i)); }, false, "lstm-nmt"},
      {"ThreadedTranslator", [](const Own& o, const Infos& i) { Translator(o.with(i), {.threads = 2}); }, false,
       "lstm-nmt"},
      {"Backward", [](const Own& o, const Infos& i) { go_back(o, i, EngineKind::kBatched); }},
      {"ReferenceBackward", [](const Own& o, const Infos& i) { go_back(o, i, EngineKind::kReference); }},
      {"OptimizerParameters",
       [](const Own& o, const Infos& i) {
         Parameters foreign(i, 1);
         step(o, foreign, Gradients(o.parameters()));
       }},
      {"OptimizerGradients",
       [](const Own& o, const Infos& i) { step(o, o.parameters(), Gradients(Parameters(i, 1))); }},
      {"OptimizerEndStep",
       [](const Own& o, const Infos& i) {
         Parameters foreign(i, 1);
         Optimizer optimizer(optimizer_defaults("adam"), o.parameters());
         detail::OptimizerAccess::end_step(optimizer, foreign);
       }},
      {"NormShare", [=](const Own& o,
                        const Infos& i) { norm(o, i, [](GradientNorm& n, const Gradients& g) { n.share(0, 1, g); }); }},
      {"NormTotal",
       [=](const Own& o, const Infos& i) { norm(o, i, [](GradientNorm& n, const Gradients& g) { n.total(g); }); }},
      {"NormOf",
       [=](const Own& o, const Infos& i) { norm(o, i, [](GradientNorm& n, const Gradients& g) { n.of(0, g); }); }},
      {"Clear",
       [](const Own& o, const Infos& i) {
         Gradients gradients(Parameters(i, 1));
         clear(o.parameters(), gradients);
       }},
      {"Capture",
       [](const Own& o, const Infos& i) {
         const Optimizer optimizer(optimizer_defaults("adam"), o.parameters());
         Checkpoint checkpoint;
         capture(Parameters(i, 1), &optimizer, checkpoint);
       }},
      {"RestoreOptimizer",
       [](const Own& o, const Infos& i) {
         Optimizer optimizer(optimizer_defaults("adam"), Parameters(i, 1));
         restore(o.checkpoint, o.parameters(), &optimizer);
       }},
      {"Restore", [](const Own& o, const Infos& i) { restore(o.holding(i, false), o.parameters(), nullptr); }, true},
      {"TrainedModel", [](const Own& o, const Infos& i) { trained_model(o.holding(i, false)); }, true},
      {"TrainerRestore", [](const Own& o, const Infos& i) { resume(o, o.holding(i, false)); }, true},
      {"TrainerRestoreState", [](const Own& o, const Infos& i) { resume(o, o.holding(i, true)); }, true},
  };
}

enum class Foreign : std::uint8_t { kOtherModel, kOtherOrder, kMissing, kOneMore, kOtherShape, kOtherName };

Infos foreign_set(Infos infos, Foreign kind) {
  switch (kind) {
    case Foreign::kOtherModel:
      return find_model("tree-lstm").make({.vocabulary = 9, .embedding = 3, .hidden = 5, .classes = 4}).parameters();
    case Foreign::kOtherOrder:
      std::ranges::reverse(infos);
      return infos;
    case Foreign::kMissing:
      infos.pop_back();
      return infos;
    case Foreign::kOneMore:
      infos.push_back({"surplus", {3}, false, {}});
      return infos;
    case Foreign::kOtherShape:
      ++infos.back().shape.dims.back();
      return infos;
    case Foreign::kOtherName:
      infos[1].name = "renamed";
      return infos;
  }
  return infos;
}

const char* name_of(Foreign kind) {
  constexpr const char* kNames[] = {"OtherModel", "OtherOrder", "Missing", "OneMore", "OtherShape", "OtherName"};
  return kNames[static_cast<int>(kind)];
}

/// The parameter that the error must name.
std::string first_wrong(const Infos& own, const Infos& foreign, Foreign kind) {
  if (kind == Foreign::kOneMore) return "'surplus'";
  if (kind == Foreign::kMissing || kind == Foreign::kOtherShape) return "'" + own.back().name + "'";
  if (kind == Foreign::kOtherName) return "'renamed'";
  return "'" + foreign.front().name + "'";
}

class ForeignSets : public testing::TestWithParam<std::tuple<Entry, Foreign>> {};

TEST_P(ForeignSets, AreRefusedWithTheFirstDifference) {
  const Entry& entry = std::get<Entry>(GetParam());
  const Foreign kind = std::get<Foreign>(GetParam());
  static std::map<std::string_view, Own> all;
  const Own& own = all.try_emplace(entry.model, entry.model).first->second;
  const Infos& infos = own.trained.model.parameters();
  EXPECT_EQ(error_of([&] { entry.use(own, infos); }), "no UserError") << "an equal set is accepted";
  const Infos foreign = foreign_set(infos, kind);
  const std::string message = error_of([&] { entry.use(own, foreign); });
  if (entry.by_name && kind == Foreign::kOtherOrder)
    EXPECT_EQ(message, "no UserError");
  else
    EXPECT_THAT(message, HasSubstr(first_wrong(infos, foreign, kind)));
}

INSTANTIATE_TEST_SUITE_P(
    Everywhere, ForeignSets,
    testing::Combine(testing::ValuesIn(entries()),
                     testing::Values(Foreign::kOtherModel, Foreign::kOtherOrder, Foreign::kMissing, Foreign::kOneMore,
                                     Foreign::kOtherShape, Foreign::kOtherName)),
    [](const auto& test) { return std::get<0>(test.param).name + name_of(std::get<1>(test.param)); });

TEST(ForeignSet, WithEqualNamesAndShapesCannotReplaceTheUpdatedParameters) {
  const Own own("var-lstm");
  EXPECT_THAT(error_of([&] { step_rows(own, own.trained.model.parameters()); }),
              HasSubstr("rows of other parameters than it updates"));
}

TEST(ForeignSet, NamesTheFirstDifference) {
  const Own own("var-lstm");
  const Infos& infos = own.trained.model.parameters();
  const auto error = [&](Foreign kind) {
    return error_of([&] { Session(own.program, std::make_shared<Parameters>(foreign_set(infos, kind), 1)); });
  };
  EXPECT_THAT(error(Foreign::kOtherShape), HasSubstr("number 6 of 6 is 'output_b' [13], expected 'output_b' [12]"));
  EXPECT_THAT(error(Foreign::kMissing), HasSubstr("there are 5, expected 6: number 6, 'output_b' [12], is missing"));
  EXPECT_THAT(error(Foreign::kOneMore), HasSubstr("there are 7, expected 6: number 7, 'surplus' [3], is unknown"));
  EXPECT_THAT(error(Foreign::kOtherOrder), HasSubstr("number 1 of 6 is 'output_b' [12], expected table 'embedding'"));
  EXPECT_THAT(error_of([&] { Session(own.program, nullptr); }), HasSubstr("no parameters"));
  EXPECT_THAT(error_of([&] { Session(nullptr, own.trained.parameters); }), HasSubstr("no program"));
}

TEST(ForeignSet, MovedFromParametersAreRefused) {
  const Own own("var-lstm");
  Session session(own.program, own.trained.parameters);
  const Parameters taken = std::move(*own.trained.parameters);
  EXPECT_THAT(error_of([&] { session.forward(*own.bound, std::vector<std::int32_t>{0}); }),
              HasSubstr("leave them where they are"));
}

TEST(ForeignSet, TruncatedGradientsAndRowsOutOfRangeAreRefused) {
  const Own own("var-lstm");
  Optimizer optimizer(optimizer_defaults("sgd"), own.parameters());
  const auto error = [&](auto spoil) {
    Gradients gradients(own.parameters());
    spoil(gradients);
    return error_of([&] { optimizer.step(own.parameters(), gradients); });
  };
  const int table = own.parameters().find("embedding");
  EXPECT_EQ(error([](Gradients&) {}), "no UserError");
  EXPECT_THAT(error([](Gradients& g) { g = {}; }), HasSubstr("have 0 gradients"));
  EXPECT_THAT(error([](Gradients& g) { g.table_rows.clear(); }), HasSubstr("0 lists of table rows; expected 6"));
  EXPECT_THAT(error([&](Gradients& g) { g.table_rows[table] = {12}; }), HasSubstr("lists row 12"));
  EXPECT_THAT(error([&](Gradients& g) { g.table_rows[table] = {-1}; }), HasSubstr("lists row -1"));
  EXPECT_THAT(error([&](Gradients& g) { g.table_rows[table].assign(13, 0); }), HasSubstr("lists 13 distinct rows"));
}

TEST(ForeignSet, InvalidTensorsAreNeitherRestoredNorSaved) {
  const Own own("var-lstm");
  const auto errors = [&](auto spoil) {
    Checkpoint checkpoint = own.checkpoint;
    spoil(checkpoint.parameters);
    return error_of([&] { restore(checkpoint, own.parameters(), nullptr); }) + " / " +
           error_of([&] { save_checkpoint(testing::TempDir() + "never.cavs", checkpoint); });
  };
  EXPECT_THAT(errors([](auto& tensors) { tensors[0].values.push_back(1); }),
              testing::MatchesRegex(".*has [0-9]+ numbers; expected [0-9]+ / cannot save tensor.*, found [0-9]+"));
  EXPECT_THAT(errors([](auto& tensors) { tensors.push_back(tensors[0]); }),
              testing::MatchesRegex(".*duplicate parameter.*/ cannot save tensor.*duplicate name"));
}

TEST(NotFinite, ValuesOfACheckpointAreRefusedByName) {
  const Own own("var-lstm");
  EXPECT_EQ(find_not_finite(own.checkpoint), "");
  Checkpoint weights = own.checkpoint, state = own.checkpoint;
  weights.parameters[1].values[7] = std::nanf("");
  const std::string name = "'" + weights.parameters[1].name + "'";
  state.optimizer->slots["exp_avg"][2].values[3] = INFINITY;
  EXPECT_THAT(find_not_finite(weights), testing::MatchesRegex("parameter " + name + ".* is nan at number 7"));
  EXPECT_THAT(find_not_finite(state), testing::MatchesRegex("optimiser state exp_avg of .* is inf at number 3"));
  const std::vector<float> before(own.parameters().values(1).begin(), own.parameters().values(1).end());
  EXPECT_THAT(error_of([&] { restore(weights, own.parameters(), nullptr); }), HasSubstr(name));
  EXPECT_EQ(std::vector<float>(own.parameters().values(1).begin(), own.parameters().values(1).end()), before);
  EXPECT_THAT(error_of([&] { trained_model(weights); }), HasSubstr("use an earlier checkpoint"));
  EXPECT_THAT(error_of([&] { resume(own, weights); }), HasSubstr("not finite"));
  EXPECT_THAT(error_of([&] { resume(own, state); }), HasSubstr("optimiser state exp_avg"));
}

TEST(NotThere, GradientsBeforeBackwardAndValuesOfAMovedRunAreErrors) {
  GraphSet graphs(dressed_schema());
  graphs.add(dressed(graph_of({{}, {}}), 1));
  Model m;
  const Parameter w = m.parameter("w", {kBoxWidth, 2});
  m.vertex_function("vertex", [&](Vertex& v) {
    const Value y = v.pull("box", kBoxWidth) * w;
    v.push("y", y);
    v.loss(sum_features(y));
  });
  const auto program = compile(m, {.pull_gradients = true});
  const auto bound = bind_graphs(program, graphs);
  const auto parameters = m.make_parameters();
  for (const EngineKind engine : {EngineKind::kBatched, EngineKind::kReference}) {
    Session session(program, parameters, {.engine = engine});
    Gradients gradients(*parameters);
    for (int again = 0; again < 2; ++again) {
      CavsRun run = session.forward(*bound, std::vector<std::int32_t>{0});
      EXPECT_THAT(error_of([&] { run.pull_gradient("box"); }), HasSubstr("call backward first")) << to_string(engine);
      run.backward(gradients);
      EXPECT_EQ(run.pull_gradient("box").size(), 2U * kBoxWidth);
      EXPECT_THAT(error_of([&] { run.index("lable"); }), HasSubstr("did you mean 'label'"));
      const CavsRun kept = std::move(run);
      EXPECT_EQ(kept.output("y").size(), 4U);
      EXPECT_THAT(error_of([&] { run.output("y"); }), HasSubstr("moved elsewhere"));
      EXPECT_THAT(error_of([&] { run.loss(); }), HasSubstr("moved elsewhere"));
    }
  }
  EXPECT_TRUE(std::isnan(GradientNorm(*parameters).total(Gradients(*parameters)))) << "no norm was computed";
}

TEST(NotThere, GraphsOfAnotherProgramAreNeitherPreparedNorMeasured) {
  const Own own("var-lstm"), other("gru");
  Session session(own.program, own.trained.parameters, {.threads = 2});
  const std::vector<std::int32_t> samples{0};
  EXPECT_THAT(error_of([&] { session.prefetch(*other.bound, samples); }), HasSubstr("another program"));
  EXPECT_THAT(error_of([&] { session.memory(*other.bound, samples); }), HasSubstr("another program"));
}

}  // namespace
}  // namespace cavs
