// The validator of scripts finds every possible fault, and reports no others.

#include "script/validate_script.h"

#include <gmock/gmock.h>

#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "cavs/error.h"
#include "helpers/zoo_test.h"
#include "script/pairs.h"
#include "script/scripted.h"

namespace cavs {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class ValidatorOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, ValidatorOfModel, testing::ValuesIn(zoo_names()), zoo_test_name);

void expect_every_necessary_wait_is_reported(const ZooCase& zoo, const Scripted& s) {
  const Pairs pairs(s.plan, s.script);
  EXPECT_FALSE(pairs.has_race(s.script));
  const auto waits = static_cast<std::int32_t>(s.script.waits.size());
  int necessary = 0, false_accepts = 0;
  for (std::int32_t k = 0; k < waits; ++k) {
    const Script mutant = without_wait(s.script, k);
    const bool race = pairs.has_race(mutant);
    const bool found = !find_faults(*s.bench.program, s.placement, s.plan, mutant).empty();
    EXPECT_EQ(found, race) << zoo.name << ", wait " << k;
    necessary += race ? 1 : 0;
    false_accepts += race && !found ? 1 : 0;
  }
  testing::Test::RecordProperty("waits", waits);
  testing::Test::RecordProperty("necessary", necessary);
  testing::Test::RecordProperty("false_accepts", false_accepts);
}

TEST_P(ValidatorOfModel, ReportsEachDroppedWaitThatIsNecessary) {
  const ZooCase zoo = make(1);
  expect_every_necessary_wait_is_reported(zoo, Scripted(zoo.model, zoo.graphs, 2));
}

/// A script of a small tree model with tasks large enough to share. Tests break this script.
class Validator : public testing::Test {
 protected:
  Validator()
      : s_(small_model("tree-lstm-binary", 0, 64), random_samples(find_model("tree-lstm-binary"), 4, 50, 11), 2) {}

  std::vector<std::string> faults() const {
    return find_faults(*s_.bench.program, s_.placement, s_.plan, s_.script, 1 << 20);  // no limit
  }
  /// The first entry of this stage with this kind of sharing.
  ScriptEntry& first(Share share, Stage stage) {
    return *std::ranges::find_if(s_.instructions(), [&](const ScriptEntry& e) {
      return e.share == share && s_.plan.steps[e.step].stage == stage;
    });
  }

  Scripted s_;
};

TEST_F(Validator, AcceptsAnUnchangedScript) { EXPECT_THAT(faults(), IsEmpty()); }

TEST_F(Validator, EndsARunWhoseScriptHasFaults) {
  const auto check = [this] { check_script(*s_.bench.program, s_.placement, s_.plan, s_.script); };
  EXPECT_NO_THROW(check());
  s_.script.waits[0].entry = static_cast<std::int32_t>(s_.script.entries.size()) - 1;
  EXPECT_THAT(check, testing::ThrowsMessage<InternalError>(HasSubstr("comes later or does not signal")));
}

struct Fault {
  const char *what, *says;
  std::function<void()> make;
};

TEST_F(Validator, FindsEveryFault) {
  Script& script = s_.script;
  const Script whole = script;
  std::vector<ScriptEntry>& entries = script.entries;
  const auto waited_for = [&]() -> ScriptEntry& { return entries[script.waits[0].entry]; };
  const Fault faults_made[] = {
      {"a wait for what comes later", "comes later or does not signal",
       [&] { script.waits[0].entry = static_cast<std::int32_t>(entries.size()) - 1; }},
      {"a wait for an entry that does not signal", "comes later or does not signal",
       [&] { waited_for().signals = false; }},
      {"a wait for a processor without a part", "in which that processor has no part",
       [&] {
         waited_for().share = Share::kOne;
         waited_for().processor = 0;
       }},
      {"a weight that another than its owner reads", "which another processor owns",
       [&] {
         const ScriptEntry& entry = first(Share::kColumns, Stage::kTask);
         for (Part& p : std::span(script.parts).subspan(entry.parts.begin, entry.parts.count)) p.processor = 0;
       }},
      {"columns that nobody computes", "no processor multiplies with the last units",
       [&] {
         const ScriptEntry& entry = first(Share::kColumns, Stage::kTask);
         --script.parts[entry.parts.begin + entry.parts.count - 1].end;
       }},
      {"rows that nobody computes", "parts have gaps or overlaps",
       [&] { ++script.parts[first(Share::kRows, Stage::kLazy).parts.begin].begin; }},
      {"an entry that is missing", "not in the script", [&] { entries.erase(entries.begin() + --script.update); }},
      {"an update that is said to begin later", "entries before the update", [&] { ++script.update; }},
      {"an entry that is there twice", "rows differ from the plan's",
       [&] {
         const auto last = entries.begin() + script.update - 1;
         entries.insert(last, ScriptEntry(*last));
         ++script.update;
       }},
      {"a piece of the update that is missing", "0 times; expected once", [&] { entries.pop_back(); }},
      {"a piece of the update that is there twice", "2 times; expected once",
       [&] { entries.push_back(ScriptEntry(entries.back())); }},
      {"an update before the scale is known", "before the scale is known",
       [&] { std::swap(s_.update()[s_.update().size() / 2], s_.update()[s_.update().size() / 2 + 1]); }},
      {"rows that are updated before a gradient is made of them", "reads the values of parameter",
       [&] {
         const auto updates = s_.update().last(s_.bench.program->parameters.size());
         ASSERT_EQ(updates.front().work, Work::kUpdate);
         std::rotate(updates.begin(), updates.end() - 1, updates.end());
       }},
      {"a gradient that is added to before it is summed", "added to before it is summed",
       [&] {
         for (ScriptEntry& e : entries) e.adds = true;
       }},
      {"what lies outside of the arena", "outside of the arena",
       [&] {
         for (ScriptOperand& o : script.operands)
           if (o.buffer == Buffer::kArena) o.offset += s_.plan.arena;
       }},
      {"what is read before it is written", "which has not been written",
       [&] {
         for (ScriptOperand& o : script.operands) o.writes = false;
       }},
  };
  for (const Fault& fault : faults_made) {
    SCOPED_TRACE(fault.what);
    script = whole;
    fault.make();
    EXPECT_THAT(faults(), Contains(HasSubstr(fault.says)));
  }
}

}  // namespace
}  // namespace cavs
