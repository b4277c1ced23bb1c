// One law for all combinations: random models and data with random values of all options. Environment:
//
//   CAVS_LAW_CASES   number of cases; 200 if unset, fewer under a sanitizer, 32 on a device. From 20,000 cases on,
//   every pair of values must have run.
//
//   CAVS_LAW_SEED    seed of the first case.
//
//   CAVS_LAW_DEVICE  device for all sessions of a case except those of the reference. The device's default engine runs,
//   and eight cases share one program.
//
//   CAVS_LAW_SHRINK  seconds spent on making a failed case smaller; 60 if unset.
//
//   CAVS_LAW_TRACE   if set, prints the seed of each case before it runs, and its time.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/detail/TestListenerAdapter.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "cavs/error.h"
#include "cavs/models.h"
#include "compile/passes.h"
#include "helpers/evaluate.h"
#include "helpers/sanitizer.h"
#include "law/coverage.h"
#include "law/law_case.h"
#include "law/members.h"
#include "law/unordered.h"

namespace cavs::law {

namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

bool is_on_device() { return std::getenv("CAVS_LAW_DEVICE") != nullptr; }

int case_count() { return static_cast<int>(number_from("CAVS_LAW_CASES", is_on_device() ? 32 : fewer(200))); }

/// Only devices have TF32. It replaces bf16 in half of the cases.
bool has_tf32(const LawCase& of) {
  const auto drawn = std::accumulate(of.options.begin(), of.options.end(), std::size_t{0});
  return is_on_device() && drawn % 2 == 0 && to_options(of.options).session.precision == Precision::kBf16;
}

LawOptions options_of(const LawCase& of) {
  LawOptions options = to_options(of.options);
  if (!is_on_device()) return options;
  options.session.device = device_named(std::getenv("CAVS_LAW_DEVICE"));
  options.session.engine = std::nullopt;
  if (has_tf32(of)) options.session.precision = Precision::kTf32;
  return options;
}

/// The statements for what options_of changes.
std::vector<std::string> statements_on_device(const LawCase& of) {
  if (!is_on_device()) return {};
  std::vector<std::string> texts = {
      "o.session.device = device_named(\"" + std::string(std::getenv("CAVS_LAW_DEVICE")) + "\")",
      "o.session.engine = std::nullopt"};
  if (has_tf32(of)) texts.emplace_back("o.session.precision = Precision::kTf32");
  return texts;
}

std::string program_of(const LawCase& of) {
  std::ostringstream text;
  print_program(of, statements_on_device(of), text);
  return text.str();
}

}  // namespace

// RapidCheck calls this to print the smallest failed case.
void showValue(const LawCase& of, std::ostream& out) { out << '\n' << program_of(of); }

namespace {

struct Tally {
  Coverage coverage;
  Events events;
  std::int64_t recomputed = 0;  // values that ∂F recomputes
  std::string failure;          // message of the first failure, up to its first colon
  std::string smallest;         // smallest program so far that fails in the same way
  Clock::time_point shrinks_until;
};

/// The law that the case breaks. Empty if the case keeps all laws, or is refused as expected.
std::string broken_law(const LawCase& of, Tally& tally) {
  const std::vector<const Refusal*> refusals = refusals_of(of);
  try {
    const Model model = declare(of.model);
    const auto program = compile(model);
    tally.recomputed += computed_again(*program);
    if (const std::string race = unordered_read(*program); !race.empty()) return "has a race: " + race;
    const std::string broken = broken_law(model, to_set(of.model, of.graphs), options_of(of), &tally.events);
    if (!broken.empty()) return broken;
    if (!refusals.empty()) return "is taken, but must be refused: " + std::string(refusals[0]->message);
  } catch (const UserError& error) {
    const auto explains = [&](const Refusal* refusal) {
      return std::string_view(error.what()).find(refusal->message) != std::string_view::npos;
    };
    if (std::ranges::none_of(refusals, explains)) return "is refused: " + std::string(error.what());
    tally.coverage.refused();
    return "";
  } catch (const std::exception& error) {
    return "throws " + std::string(error.what());
  }
  if (tally.failure.empty()) tally.coverage.ran(of);
  return "";
}

rc::Gen<LawCase> any_case() {
  const auto seed = rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>()));
  const auto draw = [](std::uint64_t number) {
    return is_on_device() ? draw_case(number, static_cast<std::uint64_t>(case_count()) / 8 + 1) : draw_case(number);
  };
  const auto drawn = rc::gen::withSize([=](int size) {
    return rc::gen::map(seed, [=](std::uint64_t number) {
      return draw(number / kSizes / 2 * kSizes + static_cast<std::uint64_t>(size));
    });
  });
  const std::uint64_t one = number_from("CAVS_LAW_CASE", 0);
  return rc::gen::shrink(one != 0 ? rc::gen::just(draw(one)) : drawn,
                         [](const LawCase& of) { return rc::seq::fromContainer(smaller(of)); });
}

void check(const LawCase& of, Tally& tally) {
  const bool shrinks = !tally.failure.empty();
  const bool late = shrinks && Clock::now() > tally.shrinks_until;
  if (late && program_of(of) != tally.smallest) return;  // time is up: only the smallest case still fails
  const bool trace = std::getenv("CAVS_LAW_TRACE") != nullptr;
  if (trace) std::cerr << "case " << of.seed << std::flush;
  const auto start = Clock::now();
  const std::string broken = broken_law(of, tally);
  if (trace) std::cerr << ": " << std::chrono::duration<double>(Clock::now() - start).count() << " s\n";
  const std::string kind = broken.substr(0, broken.find(':'));
  if (broken.empty() || (shrinks && kind != tally.failure)) return;  // shrinking follows only the first kind of failure
  if (!shrinks) {
    tally.failure = kind;
    tally.shrinks_until = Clock::now() + std::chrono::seconds(number_from("CAVS_LAW_SHRINK", 60));
  }
  tally.smallest = program_of(of);
  RC_FAIL(broken);
}

TEST(Law, DrawsEveryMemberOfTheOptions) {
  std::map<std::string, std::set<std::string>> drawn;
  const OptionVector defaults(all_dimensions().size());
  for (std::size_t d = 0; d < defaults.size(); ++d)
    for (std::size_t choice = 0; choice < all_dimensions()[d].choices.size(); ++choice) {
      OptionVector vector = defaults;
      vector[d] = static_cast<int>(choice);
      for (const auto& [member, text] : members(to_options(vector))) drawn[member].insert(text);
    }
  for (const auto& [member, texts] : drawn)
    EXPECT_EQ(texts.size() > 1, !not_drawn().contains(member)) << member << " has " << texts.size() << " values";
}

TEST(Law, DrawsEveryOptionalPass) {
  for (const std::string_view pass : optional_passes()) {
    const auto is_its = [&](const Dimension& d) { return d.name == "pass " + std::string(pass); };
    EXPECT_TRUE(std::ranges::any_of(all_dimensions(), is_its)) << pass;
  }
}

/// A wait was missing for a group whose reader had a level for another reason.
TEST(Law, NoWorkerReadsWhatAnotherMayStillWrite) {
  EXPECT_EQ(unordered_read(*compile(declare(draw_case(1684658978096133231U).model))), "");
}

TEST(Law, NoWorkerReadsWhatAnotherMayStillWriteInTheZoo) {
  for (const ZooModel& zoo : all_models())
    for (const std::int32_t hidden : {6, 64}) {
      const ModelConfig config{.vocabulary = 20, .embedding = hidden - 1, .hidden = hidden, .classes = 5};
      EXPECT_EQ(unordered_read(*compile(zoo.make(config))), "") << zoo.name << ", hidden " << hidden;
    }
}

TEST(Law, HoldsForAllCombinations) {
  const bool alone = number_from("CAVS_LAW_CASE", 0) != 0;
  const int cases = alone ? 1 : case_count();
  Tally tally;
  rc::detail::TestParams params;
  params.seed = number_from("CAVS_LAW_SEED", 1);
  params.maxSuccess = cases;
  rc::detail::TestListenerAdapter silent;
  const auto result = rc::detail::checkTestable([&] { check(*any_case(), tally); }, rc::detail::TestMetadata{}, params,
                                                silent, std::unordered_map<std::string, rc::detail::Reproduce>{});
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  ASSERT_TRUE(result.is<rc::detail::SuccessResult>()) << message.str();
  if (alone || is_on_device()) return;
  std::cout << tally.coverage.table();
  const auto& [runs, given, deferred, streamed_rows, fallbacks, clipped, in_mid_epoch, ill_conditioned, not_finite,
               trained, compared_training, on_ranks] = tally.events;
  std::cout << tally.recomputed << " values computed again, " << runs << " runs, " << given << " with given pulls, "
            << deferred << " deferred gradients, " << streamed_rows << " streamed rows, " << fallbacks
            << " tasks without a rule, " << clipped << " clipped steps, " << in_mid_epoch << " resumed in an epoch, "
            << ill_conditioned << " ill-conditioned, " << not_finite << " not finite, " << trained << " trained, "
            << compared_training << " of them compared with the reference, " << on_ranks
            << " resumed on several ranks\n";
  for (const std::int64_t happened : {given, deferred, fallbacks, clipped, in_mid_epoch, compared_training, on_ranks})
    EXPECT_GT(happened, 0);
  EXPECT_LE(ill_conditioned, 3 + cases / 20);  // few, however small the number of cases
  EXPECT_LE(not_finite, 1 + cases / 50);
  if (cases >= 20'000) {
    EXPECT_GT(streamed_rows, 0);  // few cases have a thread with time for streaming if the machine is busy
    EXPECT_EQ(tally.coverage.rare_pairs(5), "");
  }
}

}  // namespace
}  // namespace cavs::law
