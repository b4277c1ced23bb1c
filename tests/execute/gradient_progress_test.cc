// A thread beside a backward pass reads each dense gradient as soon as the pass has completed it.

#include "execute/gradient_progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>

#include "execute/session_access.h"
#include "helpers/evaluate.h"
#include "helpers/models.h"
#include "helpers/zoo_test.h"

namespace cavs {
namespace {

class GradientProgressOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, GradientProgressOfModel, testing::ValuesIn(zoo_names()), zoo_test_name);

TEST_P(GradientProgressOfModel, TellsWhenGradientsAreComplete) {
  const ZooCase zoo = make(12);
  const Bench bench(zoo.model, zoo.graphs);
  const std::vector<std::size_t> early = early_gradients(*bench.program);
  ASSERT_FALSE(early.empty());
  const std::vector<std::int32_t> samples = all_samples(zoo.graphs);
  for (const int threads : {1, 3}) {
    SCOPED_TRACE(threads);
    Session session(bench.program, bench.parameters, {.threads = threads});
    Gradients gradients(*bench.parameters);
    GradientProgress progress(gradients.size());
    for (int pass = 0; pass < 3; ++pass) {
      cavs::Run run = session.forward(*bench.bound, samples);
      progress.begin();
      detail::SessionAccess::engine_run(run).report_to(progress);
      auto copies = std::async(std::launch::async, [&] {
        std::vector<std::vector<float>> read;
        for (const std::size_t p : early) {
          progress.wait(p);
          const std::span<const float> values = gradients.values(p);
          read.emplace_back(values.begin(), values.end());
        }
        return read;
      });
      run.backward(gradients);
      ASSERT_EQ(copies.wait_for(std::chrono::seconds(60)), std::future_status::ready) << "a gradient was never counted";
      progress.finish();
      const auto read = copies.get();
      for (std::size_t k = 0; k < early.size(); ++k)
        expect_same_bits(read[k], gradients.values(early[k]), bench.parameters->info(static_cast<int>(early[k])).name);
    }
  }
}

TEST(GradientProgress, NobodyWaitsAfterTheEnd) {
  GradientProgress progress(2);
  progress.begin();
  progress.expect(0, 3);
  auto waits = std::async(std::launch::async, [&] {
    progress.wait(0);
    progress.wait(1);
  });
  EXPECT_EQ(waits.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  progress.count(0);
  progress.finish();
  waits.get();
}

}  // namespace
}  // namespace cavs
