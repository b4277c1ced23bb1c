// Errors of cavs/inspect.h. Its output is tested beside each printer and drawing, and by the command's tests.

#include "cavs/inspect.h"

#include <gmock/gmock.h>

#include "cavs/compile.h"
#include "cavs/session.h"
#include "graphs/error_text.h"
#include "helpers/graphs.h"
#include "helpers/models.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Inspect : public testing::Test {
 protected:
  const ZooCase zoo_ = zoo_case("tree-lstm", 3, 0);
  const std::shared_ptr<const Program> program_ = compile(zoo_.model);
  const std::shared_ptr<const BoundGraphs> bound_ = bind_graphs(program_, zoo_.graphs);
};

TEST_F(Inspect, RefusesInvalidMinibatches) {
  const auto error = [&](const std::shared_ptr<const Program>& program, std::vector<std::int32_t> samples,
                         const std::string& policy = "frontier") {
    return error_of([&] { inspect::ScheduledBatch(program, bound_, samples, policy); });
  };
  EXPECT_EQ(error(program_, {0, 2}), "no UserError");
  EXPECT_THAT(error(program_, {}), HasSubstr("no samples to schedule"));
  EXPECT_THAT(error(program_, {0, 3}), HasSubstr("no sample 3; there are 3"));
  EXPECT_THAT(error(program_, {-1}), HasSubstr("no sample -1; there are 3"));
  EXPECT_THAT(error(program_, {0}, "frontir"), HasSubstr("did you mean 'frontier'?"));
  EXPECT_THAT(error(compile(zoo_.model), {0}), HasSubstr("bound to another program"));
}

TEST_F(Inspect, RefusesInvalidProcessors) {
  const inspect::ScheduledBatch batch(program_, bound_, std::vector<std::int32_t>{0, 1});
  EXPECT_THAT(error_of([&] { batch.script_to_text(0); }), HasSubstr("no script for 0 processors"));
  EXPECT_THAT(error_of([&] { batch.check_script(-1); }), HasSubstr("no script for -1 processors"));
  const auto place = [&](const inspect::PlacementOptions& options) {
    return error_of([&] { inspect::place(zoo_.model, {}, options); });
  };
  EXPECT_EQ(place({}), "no UserError");
  EXPECT_THAT(place({.processors = 0}), HasSubstr("placed on 0 processors"));
  EXPECT_THAT(place({.target = "sm_9"}), AllOf(HasSubstr("unknown target 'sm_9'"), HasSubstr("did you mean 'sm_90'?")));
}

TEST_F(Inspect, RefusesUnknownFunctionsAndSamples) {
  const std::size_t none = inspect::functions(*program_).size();
  EXPECT_THAT(error_of([&] { inspect::to_text(*program_, none); }), HasSubstr("numbered from 0"));
  EXPECT_THAT(error_of([&] { inspect::to_svg(zoo_.model, none); }), HasSubstr("numbered from 0"));
  for (const std::int32_t sample : {-1, 3})
    EXPECT_THAT(error_of([&] { inspect::notes_of(zoo_.graphs, sample, {}); }),
                HasSubstr("there are 3, numbered from 0"));
  inspect::VertexNotes notes = inspect::notes_of(zoo_.graphs, 0, {});
  EXPECT_EQ(error_of([&] { inspect::to_text(zoo_.graphs, 0, notes); }), "no UserError");
  EXPECT_THAT(error_of([&] { inspect::to_svg(zoo_.graphs, 3, notes); }), HasSubstr("no sample 3; there are 3"));
  notes.labels.pop_back();
  EXPECT_THAT(error_of([&] { inspect::to_text(zoo_.graphs, 0, notes); }), HasSubstr(" labels; expected one for each"));
  EXPECT_THAT(error_of([&] { inspect::to_svg(zoo_.graphs, 0, notes); }), HasSubstr(" labels; expected one for each"));
}

TEST_F(Inspect, RefusesAValueOfAnUnfinishedFunction) {
  Value kept;
  Model model;
  model.vertex_function("f", [&](Vertex& v) {
    kept = v.pull("x", 2) * 2.0;
    EXPECT_EQ(inspect::to_text(kept), "%1 = multiply_scalar(%0, 2) [2], vertex");
    v.push("y", kept);
  });
  EXPECT_NE(error_of([&] { inspect::to_text(kept); }), "no UserError");
}

}  // namespace
}  // namespace cavs
