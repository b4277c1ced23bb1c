// SessionOptions::check_scripts: every script of a run goes through the validator.

#include <gmock/gmock.h>

#include "cavs/error.h"
#include "cavs/trainer.h"
#include "execute/session_access.h"
#include "helpers/evaluate.h"
#include "helpers/models.h"

namespace cavs {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const SessionOptions kChecked{.threads = 2, .engine = EngineKind::kPersistent, .check_scripts = true};

TEST(CheckScripts, FindsNoFaultInTrainingAndInference) {
  for (const char* name : {"tree-lstm-binary", "bilstm-char", "lstm-nmt"}) {
    const ZooCase zoo = zoo_case(name, 6, 0.2);
    TrainOptions options;
    options.batch_size = 3, options.session = kChecked;
    Trainer trainer(zoo.model, zoo.graphs, options);
    for (int step = 0; step < 4; ++step) EXPECT_NO_THROW(trainer.step()) << name;
    const Bench bench(zoo.model, zoo.graphs, {.training = false});
    EXPECT_NO_THROW(bench.run(all_samples(zoo.graphs), kChecked)) << name;
  }
}

/// Plans and scripts a minibatch, leaves the first step with rows out of the plan, and makes the script of that.
void script_without_a_step(SessionOptions options) {
  const ZooCase zoo = zoo_case("tree-lstm-binary", 4);
  const Bench bench(zoo.model, zoo.graphs);
  Session session(bench.program, bench.parameters, options);
  { const Run run = session.forward(*bench.bound, all_samples(zoo.graphs)); }
  Run::State& state = *detail::SessionAccess::impl(session).states.front();
  Plan& plan = state.batch.plan;
  plan.steps.erase(plan.steps.begin());
  for (bool first = true; state.run->prepare(state.batch, first); first = false) {
  }
}

TEST(CheckScripts, ReportsAScriptThatReadsWhatNobodyHasWritten) {
  EXPECT_THAT([] { script_without_a_step(kChecked); },
              ThrowsMessage<InternalError>(testing::AllOf(HasSubstr("script for 2 threads has faults"),
                                                          HasSubstr("column 0, which nobody has written"))));
  SessionOptions unchecked = kChecked;
  unchecked.check_scripts = false;
  EXPECT_NO_THROW(script_without_a_step(unchecked));
}

TEST(CheckScripts, NeedsScripts) {
  const ZooCase zoo = zoo_case("tree-lstm-binary", 1);
  const Bench bench(zoo.model, zoo.graphs);
  EXPECT_THAT([&] { bench.run(all_samples(zoo.graphs), {.check_scripts = true}); },
              ThrowsMessage<UserError>(HasSubstr("check_scripts is on with engine batched, which has no scripts")));
}

}  // namespace
}  // namespace cavs
