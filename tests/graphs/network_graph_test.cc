// Networks of several vertex functions: the graphs that connections create, and the connections that are refused.

#include <gmock/gmock.h>

#include "cavs/graph.h"
#include "cavs/model.h"
#include "cavs/models.h"
#include "cavs/readers.h"
#include "cavs/session.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kWidth = 2;

/// Adds a chain cell with this name and its own weight, which pushes its state.
void add_chain(Model& m, const std::string& name, const FunctionOptions& options = {}) {
  auto U = m.parameter(name + "_U", {kWidth, kWidth});
  m.vertex_function(
      name,
      [&](Vertex& v) {
        auto y = tanh(v.gather(0, "h") * U + 1);
        v.scatter("h", y);
        v.push("h", y);
      },
      options);
}

/// Adds a function without children that pulls from `port` and pushes an output.
void add_head(Model& m, const std::string& name, const FunctionOptions& options, bool all = false) {
  m.vertex_function(
      name, [&](Vertex& v) { v.push(name, all ? sum(v.pull_all("x", kWidth)) : v.pull("x", kWidth) * 2); }, options);
}

InputGraph tagged_chain(int length) {
  const std::vector<std::int32_t> words(length, 1), tags(length, 0);
  return to_tagged_chain(words, tags);
}

std::vector<std::vector<std::int32_t>> children_of(const InputGraph& graph) {
  std::vector<std::vector<std::int32_t>> lists;
  for (std::size_t v = 0; v + 1 < graph.child_offsets.size(); ++v)
    lists.emplace_back(graph.children.begin() + graph.child_offsets[v],
                       graph.children.begin() + graph.child_offsets[v + 1]);
  return lists;
}

using List = std::vector<std::int32_t>;

TEST(NetworkGraph, RunsAChainInBothDirectionsBelowAFunctionWithoutChildren) {
  Model m;
  add_chain(m, "left", {.over = {"token"}});
  add_chain(m, "right", {.over = {"token"}, .reverse = true});
  m.vertex_function("head", [&](Vertex& v) { v.push("y", v.pull("a", kWidth) + v.pull("b", kWidth)); },
                    {.over = {"token"}});
  m.connect({"left", "h"}, {"head", "a"});
  m.connect({"right", "h"}, {"head", "b"});
  const GraphBuilder builder = network_builder(m, chain_schema(), "y");
  EXPECT_THAT(builder.target.types, ElementsAre("left", "right", "head"));
  EXPECT_EQ(builder.target.index_ports, chain_schema().index_ports);
  const BuiltGraph built = builder.build(tagged_chain(3));
  EXPECT_THAT(built.graph.types, ElementsAre(0, 0, 0, 1, 1, 1, 2, 2, 2));
  EXPECT_THAT(children_of(built.graph),
              ElementsAre(List{}, List{0}, List{1}, List{4}, List{5}, List{}, List{0, 3}, List{1, 4}, List{2, 5}));
  EXPECT_THAT(built.outputs, ElementsAre(6, 7, 8));
  // Input exists only for functions that pull it or push an output, which here is the head.
  EXPECT_THAT(built.graph.index_pulls[0], ElementsAre(-1, -1, -1, -1, -1, -1, 1, 1, 1));
}

TEST(NetworkGraph, StacksASecondLayerOnBothDirectionsOfTheFirst) {
  const GraphBuilder builder = network_builder(find_model("bilstm-tagger").make({}), chain_schema());
  EXPECT_THAT(builder.target.types, ElementsAre("forward1", "backward1", "forward2", "backward2", "output"));
  const std::vector<std::int32_t> words{5, 6}, tags{1, 0};
  const BuiltGraph built = builder.build(to_tagged_chain(words, tags));
  EXPECT_THAT(children_of(built.graph), ElementsAre(List{}, List{0}, List{3}, List{},  // first layer
                                                    List{0, 2}, List{1, 3, 4},         // forward2
                                                    List{0, 2, 7}, List{1, 3},         // backward2
                                                    List{4, 6}, List{5, 7}));          // outputs
  EXPECT_THAT(built.graph.index_pulls[0], ElementsAre(5, 6, 5, 6, -1, -1, -1, -1, 5, 6));
  EXPECT_THAT(built.graph.index_pulls[1], ElementsAre(-1, -1, -1, -1, -1, -1, -1, -1, 1, 0));
  EXPECT_THAT(built.outputs, ElementsAre(8, 9));
  InputGraph fork = tagged_chain(3);
  fork.children[1] = 0;
  EXPECT_EQ(error_of([&] { builder.build(fork); }),
            "vertex 0 has 2 parents, but vertex function 'backward1' gathers 1; use children() for any number of them");
}

TEST(NetworkGraph, ConnectsRootsStartsAndAllRows) {
  const auto children = [](const RowMap& rows, bool all = false) {
    Model m;
    add_chain(m, "token");
    add_chain(m, "back", {.over = {"token"}, .reverse = true});
    if (all)
      add_head(m, "head", {.over = {"token"}}, true);
    else
      m.vertex_function("head",
                        [&](Vertex& v) {
                          v.scatter("s", v.pull("x", kWidth) + v.gather(0, "s"));
                          v.push("y", v.gather(0, "s"));
                        },
                        {.over = {"token"}});
    m.connect({"back", "h"}, {"head", "x"}, rows);
    const auto lists = children_of(network_builder(m, chain_schema()).build(tagged_chain(3)).graph);
    return std::vector(lists.begin() + 6, lists.end());
  };
  // The backward chain has vertices 3, 4 and 5, and ends at the first token.
  EXPECT_THAT(children(RowMap::root()), ElementsAre(List{3}, List{3, 6}, List{3, 7}));
  EXPECT_THAT(children(RowMap::start()), ElementsAre(List{3}, List{-1, 6}, List{-1, 7}));
  EXPECT_THAT(children(RowMap::same()), ElementsAre(List{3}, List{4, 6}, List{5, 7}));
  EXPECT_THAT(children(RowMap::all(), true), ElementsAre(List{3, 4, 5}, List{3, 4, 5}, List{3, 4, 5}));
}

TEST(NetworkGraph, PutsAllRowsAfterOwnChildren) {
  Model m;
  add_chain(m, "source");
  m.vertex_function("target", [&](Vertex& v) {
    auto y = v.gather(0, "s") + sum(v.pull_all("memory", kWidth));
    v.scatter("s", y);
    v.push("y", y);
  });
  m.connect({"source", "h"}, {"target", "memory"}, RowMap::all());
  const GraphSchema schema{.types = {"source", "target"}};
  const InputGraph sample{.types = {0, 0, 1, 1}, .child_offsets = {0, 0, 1, 1, 2}, .children = {0, 2}};
  EXPECT_THAT(children_of(network_builder(m, schema).build(sample).graph),
              ElementsAre(List{}, List{0}, List{-1, 0, 1}, List{2, 0, 1}));
}

TEST(NetworkGraph, ReadsChildrenOfOtherTypesAndSelectedRows) {
  Model m;
  m.vertex_function("leaf", [&](Vertex& v) {
    auto y = v.pull("numbers", kWidth);
    v.scatter("h", y);
    v.push("h", y);
  });
  m.vertex_function("inner", [&](Vertex& v) {
    auto y = tanh(v.gather(0, "h") + v.gather(1, "h"));
    v.scatter("h", y);
    v.push("h", y);
  });
  add_head(m, "head", {.over = {"leaf", "inner"}});
  add_head(m, "pointer", {.over = {"inner"}});
  for (const char* from : {"leaf", "inner"}) {
    m.connect({from, "h"}, {"head", "x"});
    m.connect({from, "h"}, {"pointer", "x"}, RowMap::given("at"));
  }
  const GraphSchema schema{.types = {"leaf", "inner"}, .index_ports = {"at"}, .float_ports = {{"numbers", kWidth}}};
  const GraphBuilder builder = network_builder(m, schema, "head");
  InputGraph sample{.types = {1, 0, 0},
                    .child_offsets = {0, 2, 2, 2},
                    .children = {1, 2},
                    .index_pulls = {{2, -1, -1}},
                    .float_pulls = {{0, 0, 1, 2, 3, 4}},
                    .float_present = {{0, 1, 1}}};
  const BuiltGraph built = builder.build(sample);
  EXPECT_THAT(built.graph.types, ElementsAre(0, 0, 1, 2, 2, 2, 3));
  EXPECT_THAT(children_of(built.graph), ElementsAre(List{}, List{}, List{0, 1}, List{2}, List{0}, List{1}, List{1}));
  EXPECT_THAT(std::vector(built.graph.float_pulls[0].begin(), built.graph.float_pulls[0].begin() + 4),
              ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(built.outputs, ElementsAre(3, 4, 5));
  EXPECT_THAT(network_builder(m, schema, "pointer").build(sample).outputs, ElementsAre(6, -1, -1));

  GraphSet samples(schema);
  samples.add(sample);
  const auto program = compile(m, {.training = false});
  const GraphSet graphs = build_graphs(samples, builder);
  EXPECT_NO_THROW(bind_graphs(program, graphs));
  sample.index_pulls[0][0] = 3;
  EXPECT_EQ(error_of([&] { builder.build(sample); }),
            "connection 'leaf.h' -> 'pointer.x': 'at' of vertex 0 is 3; expected -1 (none), or a vertex, 0 to 2");
}

TEST(NetworkGraph, RefusesDataThatDoNotFit) {
  Model m;
  add_chain(m, "token");
  add_head(m, "head", {.over = {"token"}});
  m.connect({"token", "h"}, {"head", "x"}, RowMap::root());
  EXPECT_THAT(error_of([&] { network_builder(m, tree_schema()); }),
              HasSubstr("'token' runs over vertices of type 'token', but the data have none"));
  EXPECT_THAT(error_of([&] {
                network_builder(m, {.types = {"token", "character"}});
              }),
              HasSubstr("no vertex function runs over vertices of type 'character'"));
  InputGraph two_roots = tagged_chain(2);
  two_roots.children.clear();
  two_roots.child_offsets = {0, 0, 0};
  const GraphBuilder builder = network_builder(m, chain_schema());
  EXPECT_EQ(error_of([&] { builder.build(two_roots); }),
            "connection 'token.h' -> 'head.x' uses the root of 'token', but the sample has several (vertices 0 and 1); "
            "expected one root, or RowMap::all()");
  InputGraph two_children = tagged_chain(3);
  two_children.children = {0, 1};
  two_children.child_offsets = {0, 0, 0, 2};
  EXPECT_EQ(error_of([&] { builder.build(two_children); }),
            "vertex 2 has 2 children, but vertex function 'token' gathers 1; use children() for any number of them");
}

/// The error of compiling a chain and heads with these connections. 'head' pulls one row, or all rows if `all` is true.
std::string refusal(const std::vector<Connection>& connections, bool all = false) {
  Model m;
  add_chain(m, "token");
  add_chain(m, "leaf");
  add_head(m, "head", {.over = {"token"}}, all);
  add_head(m, "other", {.over = {"token"}});
  m.vertex_function("wide", [](Vertex& v) { v.push("h", v.pull("w", 3)); }, {.over = {"token"}});
  for (const auto& [from, to, rows] : connections) m.connect(from, to, rows);
  return error_of([&] { compile(m); });
}

TEST(Connections, ThatDoNotFitAreReportedWithBothEnds) {
  const auto to_head = [](const char* from, const char* port, const RowMap& rows = RowMap::same()) {
    return Connection{{from, port}, {"head", "x"}, rows};
  };
  const std::vector<std::pair<std::vector<Connection>, const char*>> cases{
      {{to_head("tokn", "h")}, "connection 'tokn.h' -> 'head.x': no vertex function 'tokn'; did you mean 'token'?"},
      {{to_head("token", "g")}, "connection 'token.g' -> 'head.x': vertex function 'token' has no push port 'g'"},
      {{{{"token", "h"}, {"head", "y"}, RowMap::same()}},
       "connection 'token.h' -> 'head.y': vertex function 'head' has no pull port 'y'"},
      {{to_head("token", "h", RowMap::all())},
       "'token.h' -> 'head.x': supplies all rows of the sample, but is pulled with pull; expected pull_all"},
      {{to_head("wide", "h")}, "connection 'wide.h' -> 'head.x': pushes [3], pulls [2]; expected equal shapes"},
      {{to_head("leaf", "h")}, "supplies the row of the same vertex, but 'leaf' runs over leaf and 'head' over token"},
      {{to_head("token", "h"), to_head("other", "other")},
       "connections 'other.other' -> 'head.x' and 'token.h' -> 'head.x' feed the same port"},
      {{{{"head", "head"}, {"other", "x"}, RowMap::same()}, to_head("other", "other")},
       "connections form a cycle of vertex functions: head -> other -> head"}};
  for (const auto& [connections, says] : cases) EXPECT_THAT(refusal(connections), HasSubstr(says));
  EXPECT_THAT(refusal({to_head("token", "h")}, true),
              HasSubstr("supplies one row, but is pulled with pull_all; expected pull"));
  EXPECT_THAT(refusal({}, true), HasSubstr("[pull_all] port 'x' of vertex function 'head' is not connected"));
}

/// Two leaves below an inner vertex. 'leaf' scatters `state` and 'inner' gathers it. The ends of a connection have
/// names from which a state could be named alike.
std::vector<float> outputs_of_tree(const std::string& state) {
  Model m;
  auto E = m.lookup("E", {5, kWidth});
  m.vertex_function("leaf", [&](Vertex& v) {
    auto x = E(v.pull_index("word"));
    v.push("x", x);
    v.scatter(state, x * 100);
  });
  m.vertex_function("inner", [&](Vertex& v) { v.push("inner", v.gather(0, state) + v.gather(1, state)); });
  m.vertex_function("c", [&](Vertex& v) { v.push("c", v.pull("q", kWidth)); }, {.over = {"leaf"}});
  m.connect({"leaf", "x"}, {"c", "q"});
  InputGraph tree;
  tree.types = {0, 0, 1};
  tree.child_offsets = {0, 0, 0, 2};
  tree.children = {0, 1};
  tree.index_pulls = {{1, 2, -1}, {-1, -1, -1}};
  const GraphBuilder builder = network_builder(m, tree_schema(), "inner");
  GraphSet graphs(builder.target);
  graphs.add(builder.build(tree).graph);
  const auto program = compile(m, {.training = false});
  Session session(program, m.make_parameters(), {});
  const auto bound = bind_graphs(program, graphs);
  const std::int32_t sample = 0;
  return session.forward(*bound, {&sample, 1}).output("inner");
}

TEST(Connections, CreateStatesWithUnusedNames) {
  EXPECT_EQ(outputs_of_tree("leaf.x"), outputs_of_tree("h"));
  EXPECT_NE(outputs_of_tree("h"), std::vector<float>(outputs_of_tree("h").size()));
}

}  // namespace
}  // namespace cavs
