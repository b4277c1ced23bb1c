// Law 4: the bits do not depend on the number of threads, the other samples, or other sessions.

#include <gtest/gtest.h>

#include <thread>

#include "helpers/evaluate.h"
#include "helpers/sanitizer.h"
#include "helpers/zoo_test.h"

namespace cavs {
namespace {

using CavsRun = cavs::Run;  // testing::Test has a member of that name

class SameBitsOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, SameBitsOfModel, testing::ValuesIn(zoo_names()), zoo_test_name);

/// Minibatches have any size and order, and may contain a sample twice.
TEST_P(SameBitsOfModel, OutputsOfASampleAreEqualInRandomMinibatches) {
  constexpr std::int32_t kSamples = 40;
  Numbers numbers(17);
  const ZooCase zoo = make(kSamples);
  const Bench bench(zoo.model, zoo.graphs);
  std::vector<std::vector<float>> alone;
  Session one(bench.program, bench.parameters);
  for (std::int32_t s = 0; s < kSamples; ++s) alone.push_back(one.forward(*bench.bound, {&s, 1}).output("logits"));
  for (int minibatch = 0; minibatch < 12; ++minibatch) {
    std::vector<std::int32_t> samples(static_cast<std::size_t>(1 + numbers.below(70)));
    for (std::int32_t& s : samples) s = numbers.below(kSamples);
    Session session(bench.program, bench.parameters, {.threads = 1 + minibatch % 3});
    const CavsRun run = session.forward(*bench.bound, samples);
    const std::vector<float> found = run.output("logits");
    const int width = run.width("logits");
    for (std::size_t k = 0; k < samples.size(); ++k) {
      const std::vector<float>& expected = alone[static_cast<std::size_t>(samples[k])];
      expect_same_bits(std::span(found).subspan(run.sample_begin()[k] * width, expected.size()), expected,
                       zoo.name + ", minibatch " + std::to_string(minibatch) + ", place " + std::to_string(k));
    }
  }
}

TEST_P(SameBitsOfModel, LossAndGradientsAreEqualForAnyNumberOfThreads) {
  const ZooCase zoo = make(fewer(64), 0.3);
  const Bench bench(zoo.model, zoo.graphs);
  const auto samples = all_samples(zoo.graphs);
  for (const char* policy : {"frontier", "serial"}) {
    const Result one = bench.run(samples, {.threads = 1, .policy = policy});
    for (int threads : {2, 3})
      expect_same_result_bits(bench.run(samples, {.threads = threads, .policy = policy}), one,
                              zoo.name + ", " + policy + ", " + std::to_string(threads) + " threads");
  }
}

TEST(SameBits, SameSeedSameMaskOtherSeedOtherMask) {
  const ZooCase zoo = zoo_cases(8, 0.5)[0];
  const Bench bench(zoo.model, zoo.graphs), again(zoo.model, zoo.graphs);
  const auto samples = all_samples(zoo.graphs);
  const Result first = bench.run(samples, {.seed = 4}, 2);
  expect_same_result_bits(again.run(samples, {.seed = 4}, 2), first, "the same seed");
  EXPECT_NE(bench.run(samples, {.seed = 5}, 2).loss, first.loss);
  EXPECT_NE(bench.run(samples, {.seed = 4}, 3).loss, first.loss) << "every epoch has masks of its own";
}

TEST_P(SameBitsOfModel, OpenRunsDoNotDisturbEachOther) {
  const ZooCase zoo = make(12, 0.3);
  const Bench bench(zoo.model, zoo.graphs);
  const auto all = all_samples(zoo.graphs);
  const auto a = std::span(all).first(5), b = std::span(all).subspan(5, 7), c = std::span(all).first(1);
  const Result alone_a = bench.run(a), alone_b = bench.run(b), alone_c = bench.run(c);
  for (int threads : {1, 2}) {
    Session session(bench.program, bench.parameters, {.threads = threads});
    CavsRun run_a = session.forward(*bench.bound, a);
    CavsRun run_b = session.forward(*bench.bound, b);
    Result found_a = result_of(run_a, *bench.program, *bench.parameters);
    CavsRun run_c = session.forward(*bench.bound, c);
    expect_same_result_bits(result_of(run_c, *bench.program, *bench.parameters), alone_c, zoo.name + ", third");
    expect_same_result_bits(result_of(run_b, *bench.program, *bench.parameters), alone_b, zoo.name + ", second");
    expect_same_result_bits(found_a, alone_a, zoo.name + ", first");
    Gradients again(*bench.parameters);  // a run keeps its values, so backward can run again
    run_a.backward(again);
    expect_same_gradient_bits(again, alone_a.gradients, zoo.name + ", first again");
  }
}

TEST(SameBits, SessionsInTwoThreadsShareParameters) {
  const ZooCase zoo = zoo_cases(24)[1];
  const Bench bench(zoo.model, zoo.graphs);
  const auto samples = all_samples(zoo.graphs);
  const Result expected = bench.run(samples);
  std::vector<Result> found(2);
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      Session session(bench.program, bench.parameters, {.threads = t + 1});
      for (int i = 0; i < 3; ++i) {
        CavsRun run = session.forward(*bench.bound, samples);
        found[t] = result_of(run, *bench.program, *bench.parameters);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const Result& result : found) expect_same_result_bits(result, expected, "two sessions");
}

TEST(SameBits, AfterAPrefetchOfOtherSamples) {
  const ZooCase zoo = zoo_cases(5, 0.3)[0];
  const Bench bench(zoo.model, zoo.graphs);
  const auto all = all_samples(zoo.graphs);
  for (int threads : {1, 2}) {
    Session session(bench.program, bench.parameters, {.threads = threads});
    session.prefetch(*bench.bound, std::span(all).first(3));
    CavsRun run = session.forward(*bench.bound, all);
    expect_same_result_bits(result_of(run, *bench.program, *bench.parameters), bench.run(all), "all");
  }
}

TEST(SameBits, ParametersInTheCallersMemory) {
  const ZooCase zoo = zoo_cases(10)[0];
  const Bench ours(zoo.model, zoo.graphs), theirs(zoo.model, zoo.graphs);
  const auto samples = all_samples(zoo.graphs);
  std::vector<std::vector<float>> memory;
  for (int p = 0; p < theirs.parameters->size(); ++p) {
    const auto values = ours.parameters->values(p);
    memory.emplace_back(values.begin(), values.end());
    theirs.parameters->bind(p, memory.back().data());
  }
  Session session(theirs.program, theirs.parameters);
  CavsRun run = session.forward(*theirs.bound, samples);
  const Result before = result_of(run, *theirs.program, *theirs.parameters);
  expect_same_result_bits(before, ours.run(samples), "bound memory");
  const int w = ours.parameters->find("U");
  for (std::size_t i = 0; i < memory[w].size(); ++i) {
    memory[w][i] *= -2;
    ours.parameters->values(w)[i] *= -2;
  }
  theirs.parameters->touch(w);
  ours.parameters->touch(w);
  CavsRun after = session.forward(*theirs.bound, samples);
  const Result changed = result_of(after, *theirs.program, *theirs.parameters);
  EXPECT_NE(changed.loss, before.loss) << "touch() renews packed copies";
  expect_same_result_bits(changed, ours.run(samples), "after touch()");
}

}  // namespace
}  // namespace cavs
