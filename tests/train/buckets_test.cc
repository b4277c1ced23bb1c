#include <gmock/gmock.h>

#include "cavs/data.h"
#include "cavs/models.h"
#include "cavs/trainer.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

struct BucketedWork {
  Dataset data = load_data("markov:train=70,test=0,length=9,vocabulary=30");
  Model model = find_model("gru").make({.vocabulary = 30, .embedding = 8, .hidden = 8, .classes = 30, .dropout = 0.3});
  TrainOptions options;

  BucketedWork() {
    options.batch_size = 8;
    options.buckets = 4;
    options.optimizer = optimizer_defaults("adam");
  }
};

TEST(Buckets, NeedFewerTasksForTheSameSamples) {
  BucketedWork work;
  const auto tasks_of_an_epoch = [&](std::int64_t buckets) {
    work.options.buckets = buckets;
    Trainer trainer(work.model, work.data.train, work.options);
    std::int64_t tasks = 0, samples = 0;
    while (trainer.position().epoch == 0) {
      const TrainStep step = trainer.step();
      tasks += step.statistics.tasks;
      samples += step.samples;
    }
    EXPECT_EQ(samples, 70);
    return tasks;
  };
  EXPECT_LT(tasks_of_an_epoch(9), tasks_of_an_epoch(0));
}

TEST(Buckets, NeedShuffledSamples) {
  BucketedWork work;
  work.options.shuffle = false;
  EXPECT_EQ(error_of([&] { Trainer(work.model, work.data.train, work.options); }),
            "buckets is 4 with shuffle off; expected 0 (none) or more, and shuffled samples");
  work.options.shuffle = true;
  work.options.clip_norm = -1;
  EXPECT_EQ(error_of([&] { Trainer(work.model, work.data.train, work.options); }),
            "clip_norm is -1; expected 0 (none) or more");
}

}  // namespace
}  // namespace cavs
