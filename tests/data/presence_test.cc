#include <gmock/gmock.h>

#include "cavs/compile.h"
#include "cavs/model.h"
#include "cavs/readers.h"
#include "cavs/session.h"

namespace cavs {
namespace {

using testing::ElementsAre;

TEST(Presence, CanBeReadAsANumber) {
  const GraphSet graphs =
      parse_jsonl(R"({"children":[[],[],[]],"pull":{"size":[[0,0],null,[3,4]],"kind":[null,2,0]}})", "g");
  Model model;
  model.vertex_function("vertex", [](Vertex& v) {
    v.push("sized", v.where_present("size", v.constant(1)));
    v.push("of_a_kind", v.where_present("kind", v.constant(1)));
  });
  const auto program = compile(model, {.training = false});
  const auto bound = bind_graphs(program, graphs);
  Session session(program, model.make_parameters());
  const auto run = session.forward(*bound, std::vector<std::int32_t>{0});
  EXPECT_THAT(run.output("sized"), ElementsAre(1, 0, 1));
  EXPECT_THAT(run.output("of_a_kind"), ElementsAre(0, 1, 1));
}

}  // namespace
}  // namespace cavs
