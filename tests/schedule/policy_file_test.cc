// A learned policy is a plain value: learning again or loading a file gives an equal value. Invalid files are refused.

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "graphs/error_text.h"
#include "schedule/policy_cases.h"
#include "schedule/resolve_policy.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::HasSubstr;

LearnedPolicy learned_on_trees(StateEncoding encoding) {
  const GraphSet trees = output_trees(40, 2, 1);
  return learn_policy("trees", *Packed(compile(typed_model(trees.schema().types)), trees).bound,
                      {.encoding = encoding, .trials = 100});
}

TEST(PolicyFile, LoadsWhatWasSaved) {
  const auto path = std::filesystem::temp_directory_path() / "cavs_policy_file_test.json";
  for (StateEncoding encoding :
       {StateEncoding::kBase, StateEncoding::kMax, StateEncoding::kSort, StateEncoding::kPhase}) {
    const LearnedPolicy policy = learned_on_trees(encoding);
    EXPECT_EQ(policy, learned_on_trees(encoding)) << "learning depends on more than its arguments";
    save_policy(path, policy);
    EXPECT_EQ(load_policy(path), policy) << encoding_name(encoding);
  }
  std::filesystem::remove(path);
}

std::string refusal(const char* pointer, const nlohmann::json& value) {
  auto json = nlohmann::json::parse(policy_to_json(learned_on_trees(StateEncoding::kPhase)));
  json[nlohmann::json::json_pointer(pointer)] = value;
  return error_of([&] { policy_from_json(json.dump(), "p.json"); });
}

TEST(PolicyFile, ReportsInvalidFiles) {
  const auto of = [](const char* text) { return error_of([=] { policy_from_json(text, "p.json"); }); };
  EXPECT_EQ(of("just text\n"),
            "p.json: expected a policy, as save_policy writes it; found a file that begins with 'just text'");
  EXPECT_THAT(of(""), HasSubstr("found an empty file"));
  EXPECT_THAT(of("{}"), HasSubstr("found a file that begins with '{}'"));
  EXPECT_THAT(refusal("/format", "dot"), HasSubstr("expected a policy"));
  EXPECT_THAT(of(R"({"format": "cavs-policy",)"),
              AllOf(HasSubstr("p.json: not valid JSON: parse error at line 1, column 26"),
                    HasSubstr("the policy is damaged: learn it again, or use another copy")));
  EXPECT_THAT(of(R"(["cavs-policy"])"), HasSubstr("p.json: expected a JSON object"));
  EXPECT_THAT(of(R"({"kind": "cavs-policy"})"), HasSubstr("field 'format' is missing"));
  EXPECT_THAT(of(R"({"format": "cavs-policy-2"})"), HasSubstr("expected 'cavs-policy'"));
  EXPECT_THAT(refusal("/format_version", 2), HasSubstr("reads 1"));
  EXPECT_THAT(refusal("/fingerprint", "12"), HasSubstr("expected 16 hexadecimal digits"));
  EXPECT_THAT(refusal("/types/1", "leaf"), HasSubstr("duplicate type 'leaf'"));
  EXPECT_THAT(refusal("/encoding", "sorted"), HasSubstr("did you mean 'sort'?"));
  EXPECT_THAT(refusal("/options/epsilon", 2), AllOf(HasSubstr("epsilon is 2"), HasSubstr("0 to 1")));
  EXPECT_THAT(refusal("/options/phases", 0), HasSubstr("phases is 0; expected at least 1"));
  EXPECT_THAT(refusal("/options/more", 1), HasSubstr("12 fields found, 11 known"));
  EXPECT_THAT(refusal("/training/tasks", -1), HasSubstr("expected an integer from 0"));
  EXPECT_THAT(refusal("/states", "none"), HasSubstr("expected a list"));
  EXPECT_THAT(refusal("/states/0/next", "leav"), HasSubstr("did you mean 'leaf'?"));
  EXPECT_THAT(refusal("/states/0/next", "reduction"), HasSubstr("no vertex of that type is ready"));
  EXPECT_THAT(refusal("/states/0/ready/0", 3), HasSubstr("expected names of types"));
  EXPECT_THAT(refusal("/states/0/phase", 8), HasSubstr("phase is 8; expected less than 8"));
  const auto first = nlohmann::json::parse(policy_to_json(learned_on_trees(StateEncoding::kPhase))).at("states").at(0);
  EXPECT_THAT(refusal("/states/1", first), HasSubstr("duplicate state"));
}

TEST(ResolvePolicy, RefusesAPolicyForAnotherModelByName) {
  const LearnedPolicy policy = learned_on_trees(StateEncoding::kSort);
  const auto other = compile(typed_model({"character", "word"}));
  EXPECT_THAT(error_of([&] { resolve_policy("fsm", &policy, *other); }),
              AllOf(HasSubstr("learned for model 'trees'"), HasSubstr("leaf, inner, other, output, reduction"),
                    HasSubstr("character, word")));
  EXPECT_THAT(error_of([&] { resolve_policy("fsm", nullptr, *other); }), HasSubstr("has to be learned first"));
  EXPECT_THAT(error_of([&] { resolve_policy("fsm:missing.json", nullptr, *other); }),
              AllOf(HasSubstr("missing.json: cannot open the file"), HasSubstr("expected a policy, as save_policy")));
}

TEST(ResolvePolicy, AcceptsAPolicyForAnySizesOfTheModel) {
  const auto model = [](int hidden) {
    Model m;
    m.vertex_function("cell",
                      [&](Vertex& v) { v.scatter("h", tanh(sum(v.children("h")) + m.parameter("b", {hidden}))); });
    return compile(m);
  };
  EXPECT_EQ(model(2)->fingerprint, model(64)->fingerprint);
  EXPECT_NE(model(2)->fingerprint, compile(typed_model({"another"}))->fingerprint);
}

TEST(LearnPolicy, RefusesOptionsOutOfRange) {
  const GraphSet trees = output_trees(1, 1, 1);
  const Packed packed(compile(typed_model(trees.schema().types)), trees);
  EXPECT_THAT(error_of([&] { learn_policy("trees", *packed.bound, {.trials = 0}); }), HasSubstr("trials is 0"));
  const GraphSet none({.types = trees.schema().types});
  EXPECT_THAT(error_of([&] { learn_policy("trees", *bind_graphs(packed.program, none)); }), HasSubstr("no sample"));
}

}  // namespace
}  // namespace cavs
