#include "inspect/unused_ports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cavs/data.h"
#include "cavs/models.h"
#include "cavs/readers.h"

namespace cavs {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> unused_by(const Model& model, const std::string& line) {
  const GraphSet graphs = parse_jsonl(line, "t");
  return unused_ports(model, graphs);
}

TEST(UnusedPorts, ArePortsThatNoFunctionReads) {
  const Model model = find_model("dag-rnn").make({});
  EXPECT_THAT(unused_by(model, R"({"children":[[]],"pull":{"word":[1],"charge":[[0.5]],"kind":[2]},"label":[0]})"),
              ElementsAre("kind", "charge"));
}

TEST(UnusedPorts, IncludePortsOfEdges) {
  Model model;
  model.vertex_function("vertex", [](Vertex& v) { v.push("x", sum(v.children("h") + v.pull_edges("bond", 1))); });
  EXPECT_THAT(unused_by(model, R"({"children":[[],[0]],"edges":{"bond":[[],[[1]]],"order":[[],[1]],"x":[[],[-1]]}})"),
              ElementsAre("order"));
}

TEST(UnusedPorts, ExcludePortsWithoutValues) {
  const Model model = find_model("lrcn").make({});
  EXPECT_THAT(unused_by(model, R"({"children":[[],[]],"pull":{"word":[-1,-1]},"label":[0,1]})"), IsEmpty());
}

TEST(UnusedPorts, ExcludePortsWhosePresenceIsReadOrThatSelectRows) {
  Model model;
  model.vertex_function("vertex", [](Vertex& v) { v.push("given", v.where_present("score", v.constant(1))); });
  EXPECT_THAT(unused_by(model, R"({"children":[[]],"pull":{"score":[[2]]}})"), IsEmpty());
  const Model spelling = find_model("bilstm-char").make({});
  const Dataset data = load_data("tags:train=4,test=0", {.spelled_below = 5, .network = &spelling});
  EXPECT_THAT(unused_ports(spelling, data.train), IsEmpty());
}

}  // namespace
}  // namespace cavs
