// The validator of scripts finds every fault that there can be, and no other.

#include "script/validate_script.h"

#include <gmock/gmock.h>

#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "cavs/error.h"
#include "helpers/zoo_test.h"
#include "script/scripted.h"
#include "script/touched.h"

namespace cavs {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// The same script but for one of its waits.
Script without_wait(Script script, std::int32_t wait) {
  for (ScriptEntry& e : script.entries) {
    if (e.waits.begin <= wait && wait < e.waits.begin + e.waits.count) --e.waits.count;
    if (e.waits.begin > wait) --e.waits.begin;
  }
  script.waits.erase(script.waits.begin() + wait);
  return script;
}

/// What the validator is compared with: every two entries of two processors that touch the same number, one of them to
/// write it, must lie on a path of waits. The entries are found once, the paths for every set of waits.
class Pairs {
 public:
  Pairs(const Plan& plan, const Script& script) {
    std::map<std::pair<Buffer, std::int64_t>, std::set<Touch>> touches;
    for (std::int32_t e = 0; e < static_cast<std::int32_t>(script.entries.size()); ++e)
      for (std::int32_t p = 0; p < script.processors; ++p)
        if (script.entries[e].is_of(p))
          Touched(plan, script, script.entries[e], p).each([&](const ScriptOperand& o, auto row, auto from, auto to) {
            if (o.all) touches[{o.buffer, o.id}].insert({e, p, o.writes});
            for (std::int64_t c = from; c < to; ++c)
              touches[{o.buffer, o.offset + std::int64_t{row} * o.stride + c}].insert({e, p, o.writes});
          });
    for (const auto& [number, all] : touches)
      for (const Touch& a : all)
        for (const Touch& b : all)
          if (std::get<0>(a) <= std::get<0>(b) && conflict(script, a, b)) pairs_.insert({a, b});
  }

  bool has_race(const Script& script) const {
    const auto before = order(script);
    return std::ranges::any_of(pairs_, [&](const auto& pair) {
      const auto [d, q, wrote] = pair.first;
      const auto [e, p, writes] = pair.second;
      return d == e || before[node(script, p, e)][node(script, q, d)] == 0;
    });
  }

 private:
  using Touch = std::tuple<std::int32_t, std::int32_t, bool>;  // entry, processor, writes

  /// Where outputs are shared, each number that is written is one processor's.
  static bool conflict(const Script& script, const Touch& a, const Touch& b) {
    const auto [d, q, wrote] = a;
    const auto [e, p, writes] = b;
    const Share share = script.entries[e].share;
    const bool shared = d == e && (share == Share::kOutput || share == Share::kTogether);
    return p != q && (wrote || writes) && !shared;
  }
  static std::size_t node(const Script& script, std::int32_t p, std::int32_t e) {
    return static_cast<std::size_t>(e) * static_cast<std::size_t>(script.processors) + static_cast<std::size_t>(p);
  }

  /// [node][node]: whether the second is done before the first begins.
  static std::vector<std::vector<char>> order(const Script& script) {
    const std::size_t nodes = script.entries.size() * static_cast<std::size_t>(script.processors);
    std::vector<std::vector<char>> before(nodes, std::vector<char>(nodes));
    for (std::int32_t e = 1; e < static_cast<std::int32_t>(script.entries.size()); ++e)
      for (std::int32_t p = 0; p < script.processors; ++p) {
        std::vector<char>& own = before[node(script, p, e)];
        const auto after = [&](std::int32_t q, std::int32_t d) {
          const std::vector<char>& theirs = before[node(script, q, d)];
          std::transform(own.begin(), own.end(), theirs.begin(), own.begin(), std::logical_or<>());
          own[node(script, q, d)] = 1;
        };
        const ScriptEntry &entry = script.entries[e], &last = script.entries[e - 1];
        const bool meet = entry.share == Share::kTogether || last.share == Share::kTogether || e == script.update;
        for (std::int32_t q = 0; q < script.processors; ++q)
          if (q == p || meet) after(q, e - 1);
        for (const Wait& w : part_of(script.waits, entry.waits))
          for (std::int32_t q = 0; q < script.processors; ++q)
            if (entry.is_of(p) && (w.processor == Wait::kAll || w.processor == q)) after(q, w.entry);
      }
    return before;
  }

  std::set<std::pair<Touch, Touch>> pairs_;
};

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
    necessary += race ? 1 : 0, false_accepts += race && !found ? 1 : 0;
  }
  testing::Test::RecordProperty("waits", waits);
  testing::Test::RecordProperty("necessary", necessary);
  testing::Test::RecordProperty("false_accepts", false_accepts);
}

TEST_P(ValidatorOfModel, ReportsEveryDroppedWaitThatIsNecessaryAndNoOther) {
  const ZooCase zoo = make(1);
  expect_every_necessary_wait_is_reported(zoo, Scripted(zoo.model, zoo.graphs, 2));
}

/// A script of a small tree model whose tasks are worth sharing, to be spoilt.
class Validator : public testing::Test {
 protected:
  Validator()
      : s_(small_model("tree-lstm-binary", 0, 64), random_samples(find_model("tree-lstm-binary"), 4, 50, 11), 2) {}

  std::vector<std::string> faults() const {
    return find_faults(*s_.bench.program, s_.placement, s_.plan, s_.script, 1 << 20);  // all
  }
  /// The first entry of tasks, or of what runs for all vertices, that is shared so.
  ScriptEntry& first(Share share, Stage stage) {
    return *std::ranges::find_if(s_.instructions(), [&](const ScriptEntry& e) {
      return e.share == share && s_.plan.steps[e.step].stage == stage;
    });
  }

  Scripted s_;
};

TEST_F(Validator, AcceptsTheScriptAsItIs) { EXPECT_THAT(faults(), IsEmpty()); }

TEST_F(Validator, IsCalledToEndARunThatHasFaults) {
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
      {"a wait for who does not signal", "comes later or does not signal", [&] { waited_for().signals = false; }},
      {"a wait for who has no part", "which it has no part in",
       [&] { waited_for().share = Share::kOne, waited_for().processor = 0; }},
      {"a weight that another than its owner reads", "which is another one's",
       [&] {
         const ScriptEntry& entry = first(Share::kColumns, Stage::kTask);
         for (Part& p : std::span(script.parts).subspan(entry.parts.begin, entry.parts.count)) p.processor = 0;
       }},
      {"columns that nobody computes", "nobody multiplies with the last units",
       [&] {
         const ScriptEntry& entry = first(Share::kColumns, Stage::kTask);
         --script.parts[entry.parts.begin + entry.parts.count - 1].end;
       }},
      {"rows that nobody computes", "parts do not follow each other",
       [&] { ++script.parts[first(Share::kRows, Stage::kLazy).parts.begin].begin; }},
      {"an entry that is missing", "not in the script", [&] { entries.erase(entries.begin() + --script.update); }},
      {"an entry that is there twice", "entries before the update",
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
      {"what is read before it is written", "which nobody has written",
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
