// Models as JSON: a saved model loads unchanged, and no content of a file crashes the process.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cavs/operator.h"
#include "graphs/error_text.h"
#include "helpers/evaluate.h"
#include "helpers/zoo_test.h"

namespace cavs {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::ordered_json;

class ModelJsonOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, ModelJsonOfModel, testing::ValuesIn(zoo_names()), zoo_test_name);

TEST_P(ModelJsonOfModel, LoadsUnchanged) {
  const ZooCase zoo = make(5, 0.25);
  const std::string text = zoo.model.to_json();
  const Model back = Model::from_json(text);
  EXPECT_EQ(back.to_json(), text) << zoo.name;
  EXPECT_EQ(back.types(), zoo.model.types());
  EXPECT_EQ(back.seed(), zoo.model.seed());
  const auto samples = all_samples(zoo.graphs);
  expect_same_result_bits(Bench(back, zoo.graphs).run(samples), Bench(zoo.model, zoo.graphs).run(samples), zoo.name);
}

TEST(ModelJson, KeepsInitializersAndTheNamesOfValues) {
  Model m({.seed = 99});
  m.lookup("E", {3, 2}, Initializer::normal(0.5F));
  m.vertex_function("cell", [&](Vertex& v) {
    v.push("y", tanh(v.pull("x", 2) + m.parameter("b", {2}, Initializer::constant(3))).named("squashed"));
  });
  const Model back = Model::from_json(m.to_json());
  for (int p = 0; p < 2; ++p)
    expect_same_bits(back.make_parameters()->values(p), m.make_parameters()->values(p), m.parameters()[p].name);
  EXPECT_THAT(m.to_json(), HasSubstr("squashed"));
  EXPECT_EQ(back.to_json(), m.to_json());
}

std::string document() { return small_model("tree-lstm", 0.5).to_json(); }

/// The error of loading the document after `spoil` has changed it.
std::string complaint(const std::function<void(Json&)>& spoil) {
  Json json = Json::parse(document());
  spoil(json);
  return error_of([&] { Model::from_json(json.dump()); });
}

Json& node(Json& json, const std::string& op) {
  for (Json& item : json["functions"][0]["nodes"])
    if (item["op"] == op) return item;
  throw std::logic_error("the model has no " + op);
}

TEST(ModelJson, NamesTheMistake) {
  EXPECT_THAT(complaint([](Json& j) { j["format"] = "other"; }), HasSubstr("not a cavs model"));
  EXPECT_THAT(complaint([](Json& j) { j["version"] = 3; }), HasSubstr("newer cavs"));
  EXPECT_THAT(complaint([](Json& j) { j["version"] = 0; }),
              EndsWith("has version 0, but this program reads versions 1 to 2"));
  EXPECT_THAT(complaint([](Json& j) { node(j, "tanh")["op"] = "tahn"; }), HasSubstr("tanh"));
  EXPECT_THAT(complaint([](Json& j) { node(j, "tanh")["op"] = "accumulate"; }), HasSubstr("autodiff"));
  EXPECT_THAT(complaint([](Json& j) { node(j, "tanh")["op"] = "dropout"; }), HasSubstr("dropout"));
  EXPECT_THAT(complaint([](Json& j) { node(j, "tanh")["in"] = {100000}; }), HasSubstr("expected an earlier value"));
  EXPECT_THAT(complaint([](Json& j) { node(j, "tanh")["in"] = {-1}; }), HasSubstr("expected an earlier value"));
  EXPECT_THAT(complaint([](Json& j) { node(j, "tanh")["in"] = {0, 1}; }), HasSubstr("takes 1 inputs, found 2"));
  EXPECT_THAT(complaint([](Json& j) { node(j, "parameter")["attributes"]["name"] = "none"; }), HasSubstr("'none'"));
  EXPECT_THAT(complaint([](Json& j) { j["parameters"][1]["shape"] = {1, 1}; }), HasSubstr("the model has a parameter"));
  EXPECT_THAT(complaint([](Json& j) { j["parameters"][1]["shape"] = {-4, 3}; }), HasSubstr("at least 1"));
  EXPECT_THAT(complaint([](Json& j) { j["parameters"][1]["init"] = "magic"; }), HasSubstr("'magic'"));
  EXPECT_THAT(complaint([](Json& j) { j["functions"].push_back(j["functions"][0]); }), HasSubstr("'tree_lstm'"));
  EXPECT_THAT(complaint([](Json& j) { j["functions"][0]["type"] = ""; }), HasSubstr("empty"));
}

TEST(ModelJson, AcceptsOnlyWholeNumbersThatFit) {
  for (const Json& number : {Json(1.5), Json(1e39), Json(4294967297), Json("1"), Json()}) {
    const std::string expected = number.dump() + "; expected a whole number";
    EXPECT_THAT(complaint([&](Json& j) { j["version"] = number; }), HasSubstr("version is " + expected));
    EXPECT_THAT(complaint([&](Json& j) { j["parameters"][1]["shape"][0] = number; }),
                HasSubstr("shape is " + expected));
    EXPECT_THAT(complaint([&](Json& j) { node(j, "tanh")["in"][0] = number; }), HasSubstr("in is " + expected));
    EXPECT_THAT(complaint([&](Json& j) { node(j, "children")["attributes"]["index"] = number; }),
                HasSubstr("index is " + expected));
  }
  EXPECT_THAT(complaint([](Json& j) { j["seed"] = -1; }), HasSubstr("seed is -1; expected a whole number from 0"));
  EXPECT_THAT(complaint([](Json& j) { node(j, "tanh")["in"] = 0; }), HasSubstr("expected a list of numbers"));
}

TEST(ModelJson, ValuesOfSinksAreNotRead) {
  EXPECT_THAT(complaint([](Json& j) {
                Json& nodes = j["functions"][0]["nodes"];
                for (std::size_t i = 0; i < nodes.size(); ++i)
                  if (nodes[i]["op"] == "scatter") {
                    nodes.push_back({{"op", "tanh"}, {"in", {i}}});
                    return;
                  }
              }),
              HasSubstr("has no value"));
}

TEST(ModelJson, ChecksTheRulesOfDeclarations) {
  const auto again = [](const std::string& op) {
    return complaint([&](Json& j) { j["functions"][0]["nodes"].push_back(node(j, op)); });
  };
  EXPECT_THAT(again("scatter"), HasSubstr("twice"));
  EXPECT_THAT(again("push"), HasSubstr("twice"));
  const auto with = [](const std::string& op, const Json& attributes) {
    return complaint([&](Json& j) { j["functions"][0]["nodes"].push_back({{"op", op}, {"attributes", attributes}}); });
  };
  EXPECT_THAT(with("gather", {{"name", "h"}, {"index", -1}}), HasSubstr("[gather]"));
  EXPECT_THAT(with("gather", {{"name", "h"}, {"index", 2147483647}}), HasSubstr("[gather]"));
  EXPECT_THAT(with("gather", {{"name", ""}}), HasSubstr("name"));
  EXPECT_THAT(with("children", {{"name", "h"}, {"index", 3}}), HasSubstr("[children]"));
  EXPECT_THAT(with("gather", {{"name", "unknown"}, {"count", 1}, {"shape", {5}}}), HasSubstr("'unknown'"));
  EXPECT_THAT(with("pull", {{"name", "x"}, {"shape", {-3}}}), HasSubstr("[pull]"));
  EXPECT_THAT(with("pull", {{"name", "x"}, {"shape", {0}}}), HasSubstr("[pull]"));
  EXPECT_THAT(with("constant", {{"shape", {65536, 65536, 65536, 65536}}}), HasSubstr("[constant]"));
}

TEST(ModelJson, WindowsMustFitTheirImage) {
  const auto with = [](const Json& attributes) {
    return complaint([&](Json& j) {
      Json& nodes = j["functions"][0]["nodes"];
      nodes.push_back({{"op", "constant"}, {"attributes", {{"shape", {4, 4, 2}}}}});
      nodes.push_back({{"op", "unfold"}, {"in", {nodes.size() - 1}}, {"attributes", attributes}});
    });
  };
  EXPECT_THAT(with({{"shape", {2, 2}}}), HasSubstr("the stride is 0"));
  EXPECT_THAT(with({{"count", 1}}), HasSubstr("the window is []"));
  EXPECT_THAT(with({{"count", 1}, {"shape", {2, 5, 9}}}), HasSubstr("the window is [2, 5]"));
  EXPECT_THAT(with({{"count", 1}, {"shape", {2, 2}}, {"index", -1}}), HasSubstr("the padding is -1"));
}

TEST(ModelJson, RejectsOtherJson) {
  for (const char* text :
       {"", "{", "[]", "null", "3", "\"x\"", "{\"format\":\"cavs-model\"}", "{\"format\":3}", "\xff\xfe",
        "{\"format\":\"cavs-model\",\"version\":1,\"seed\":\"x\",\"parameters\":[],\"functions\":[]}",
        "{\"format\":\"cavs-model\",\"version\":1,\"seed\":1,\"parameters\":{},\"functions\":7}"})
    EXPECT_THAT(error_of([&] { Model::from_json(text); }), Not(HasSubstr("no UserError"))) << text;
}

TEST(ModelJson, DeepNestingDoesNotExhaustTheStack) {
  const std::string deep(2'000'000, '[');
  EXPECT_THAT(error_of([&] { Model::from_json(deep); }), HasSubstr("nests"));
  EXPECT_THAT(error_of([&] { Model::from_json("{\"format\":" + deep + std::string(deep.size(), ']') + "}"); }),
              HasSubstr("nests"));
}

/// Checks that loading and, on success, compiling either works or throws UserError.
void expect_no_crash(const std::string& text) {
  try {
    compile(Model::from_json(text));
  } catch (const UserError&) {
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what() << "\n" << text;
  }
}

/// A model with a user-defined operator.
std::string operator_document() {
  const Operator swish({.name = "swish", .expression = [](const auto& x) { return x[0] * sigmoid(x[0]); }});
  Model m;
  m.vertex_function("cell", [&](Vertex& v) { v.loss(sum_features(swish(v.pull("x", 2) + m.parameter("b", {2})))); });
  return m.to_json();
}

TEST(ModelJson, ChecksOperators) {
  const auto with = [](const std::string& path, const Json& value) {
    Json json = Json::parse(operator_document());
    json[Json::json_pointer("/operators/0" + path)] = value;
    return error_of([&] { Model::from_json(json.dump()); });
  };
  EXPECT_EQ(with("/doc", "x sigmoid(x)"), "no UserError");
  EXPECT_THAT(with("/name", "other"), HasSubstr("unknown operator 'swish'"));
  EXPECT_THAT(with("/name", "tanh"), HasSubstr("library"));
  EXPECT_THAT(with("/inputs", 2), HasSubstr("2 inputs and 1 gradients"));
  EXPECT_THAT(with("/gradients", Json::array()), HasSubstr("1 inputs and 0 gradients"));
  EXPECT_THAT(with("/expression", Json::array()), HasSubstr("no instructions"));
  EXPECT_THAT(with("/expression/1/0", "sigmund"), HasSubstr("'sigmund'"));
  EXPECT_THAT(with("/expression/1/1", 1), HasSubstr("from 0 to 0"));
  EXPECT_THAT(with("/expression/0/1", 1), HasSubstr("from 0 to 0"));
  EXPECT_THAT(with("/gradients/0", Json::parse(R"([["input",1]])")), HasSubstr("not linear in dy"));
  Json twice = Json::parse(operator_document());
  twice["operators"].push_back(twice["operators"][0]);
  EXPECT_THAT(error_of([&] { Model::from_json(twice.dump()); }), HasSubstr("defined twice"));
}

class ModelJsonReplaced : public testing::TestWithParam<std::string (*)()> {};
INSTANTIATE_TEST_SUITE_P(Documents, ModelJsonReplaced, testing::Values(document, operator_document));

TEST_P(ModelJsonReplaced, HandlesAnyValueInPlaceOfAnother) {
  const Json original = Json::parse(GetParam()());
  const Json flat = original.flatten();
  const std::vector<Json> others{nullptr,   -1,  0,      1,         3,    2147483647,    1e300,
                                 "",        "h", "tanh", "scatter", true, Json::array(), Json::object(),
                                 4294967296};
  for (const auto& [path, value] : flat.items())
    for (const Json& other : others) {
      Json changed = original;
      changed[Json::json_pointer(path)] = other;
      expect_no_crash(changed.dump());
    }
}

}  // namespace
}  // namespace cavs
