// Training on samples that are read when needed.

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "cavs/models.h"
#include "cavs/readers.h"
#include "cavs/trainer.h"
#include "data/generators.h"
#include "graphs/error_text.h"
#include "helpers/trained.h"
#include "pack/minibatch.h"
#include "train/batches.h"
#include "train/shuffle_buffer.h"

namespace cavs {
namespace {

/// A stream of samples in memory that counts its passes.
class SetStream final : public SampleStream {
 public:
  explicit SetStream(int samples) : source_({.vocabulary = 30, .length = 6}, 1), samples_(samples) {}
  GraphSchema schema() const override { return chain_schema(); }
  std::int64_t samples() const override { return samples_; }
  std::uint64_t content_hash() const override { return 1; }
  void rewind() override {
    next_ = 0;
    ++passes;
  }
  /// A chain whose first word is the number of the sample, which makes the order visible.
  InputGraph next() override {
    EXPECT_LT(next_, samples_);
    InputGraph graph = to_chain(1, source_.sentence(Split::kTrain, next_));
    graph.index_pulls[0][0] = static_cast<std::int32_t>(next_++) % 30;
    return graph;
  }
  int passes = 0;

 private:
  MarkovSource source_;
  std::int64_t samples_, next_ = 0;
};

std::vector<std::int32_t> drawn(std::int64_t samples, std::int64_t size, std::int64_t epoch, std::int64_t skip = 0) {
  ShuffleBuffer buffer(std::make_shared<SetStream>(static_cast<int>(samples)), size, 7);
  buffer.begin(epoch, skip);
  std::vector<std::int32_t> order;
  while (std::ssize(order) + skip < samples) order.push_back(buffer.next().index_pulls[0][0]);
  return order;
}

TEST(ShuffleBuffer, DrawsEverySampleOnceFromAWindow) {
  std::vector<std::int32_t> all(30);
  std::iota(all.begin(), all.end(), 0);
  for (const std::int64_t size : {1, 5, 30, 100}) {
    std::vector<std::int32_t> order = drawn(30, size, 0);
    for (std::size_t i = 0; i < order.size(); ++i)
      EXPECT_LT(order[i], static_cast<std::int64_t>(i) + size);  // samples beyond the window are not available yet
    if (size > 1) {
      EXPECT_NE(order, all) << size;
    }
    if (size > 1) {
      EXPECT_NE(order, drawn(30, size, 1)) << "another epoch, size " << size;
    }
    EXPECT_EQ(order, drawn(30, size, 0)) << size;
    std::ranges::sort(order);
    EXPECT_EQ(order, all) << size;
  }
  EXPECT_EQ(drawn(30, 1, 0), all);
}

TEST(ShuffleBuffer, ContinuesAfterSkippedSamples) {
  const std::vector<std::int32_t> whole = drawn(30, 8, 2);
  for (const std::int64_t skip : {1, 13, 29})
    EXPECT_EQ(drawn(30, 8, 2, skip), std::vector<std::int32_t>(whole.begin() + skip, whole.end()));
}

TEST(ShuffleBuffer, SeveralMayDrawFromOneStream) {
  const std::vector<std::int32_t> first = drawn(30, 8, 0), second = drawn(30, 5, 1);
  const auto stream = std::make_shared<SetStream>(30);
  ShuffleBuffer a(stream, 8, 7), b(stream, 5, 7);
  a.begin(0, 0);
  b.begin(1, 0);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(a.next().index_pulls[0][0], first[i]);
    if (i % 3 == 0) {
      EXPECT_EQ(b.next().index_pulls[0][0], second[i / 3]);
    }
  }
}

struct StreamedWork {
  Model model = find_model("gru").make({.vocabulary = 30, .embedding = 8, .hidden = 8, .classes = 30});
  TrainOptions options;
  std::shared_ptr<SetStream> stream = std::make_shared<SetStream>(30);

  StreamedWork() {
    options.batch_size = 4;
    options.shuffle_buffer = 10;
    options.optimizer = optimizer_defaults("adam");
  }
  Trainer trainer() const { return {model, std::make_shared<SetStream>(30), options}; }
};

TEST(Stream, InItsOwnOrderTrainsLikeDataInMemory) {
  StreamedWork work;
  work.options.shuffle = false;
  GraphSet graphs(chain_schema());
  for (int i = 0; i < 30; ++i) graphs.add(work.stream->next());
  for (const int accumulate : {1, 2, 3}) {
    work.options.accumulate = accumulate;
    Trainer in_memory(work.model, graphs, work.options), streamed = work.trainer();
    EXPECT_EQ(in_memory.steps_per_epoch(), streamed.steps_per_epoch());
    for (int step = 0; step < 12; ++step) EXPECT_EQ(in_memory.step().loss, streamed.step().loss) << step;
    expect_same_parameters(in_memory, streamed);
  }
}

TEST(Stream, IsReadOncePerEpoch) {
  for (const int accumulate : {1, 3}) {
    StreamedWork work;
    work.options.accumulate = accumulate;
    Trainer trainer(work.model, work.stream, work.options);
    while (trainer.position().epoch < 3) trainer.step();
    EXPECT_EQ(work.stream->passes, 3) << accumulate;
  }
}

TEST(Stream, DropoutMasksDifferBetweenMinibatches) {
  StreamedWork work;
  const auto program = compile(work.model, {});
  for (const int accumulate : {1, 4}) {
    work.options.accumulate = accumulate;
    const auto batches = batches_of(program, work.stream, work.options);
    std::set<std::uint32_t> masks;
    std::size_t minibatches = 0;
    for (const std::int64_t epoch : {0, 1})
      for (std::int64_t sample = 0; sample < 30; sample += samples_per_step(work.options))
        for (std::int64_t m = 0; m < accumulate; ++m) {
          masks.insert(batches->at(epoch, sample, m).dropout_epoch);
          ++minibatches;
        }
    EXPECT_EQ(masks.size(), minibatches) << accumulate;
    EXPECT_EQ(batches->at(0, 0, 0).dropout_epoch, *masks.begin()) << accumulate;
  }
}

TEST(Stream, RepeatsAStepAfterRestore) {
  StreamedWork work;
  work.options.accumulate = 3;
  const auto batches = batches_of(compile(work.model, {}), work.stream, work.options);
  const auto vertices = [&](std::int64_t sample, std::int64_t number) {
    return batches->at(0, sample, number).graphs->graphs().vertices();
  };
  const std::vector<std::int64_t> expected{vertices(0, 0), vertices(0, 1), vertices(0, 2)};
  vertices(12, 0);
  EXPECT_EQ((std::vector<std::int64_t>{vertices(0, 0), vertices(0, 1), vertices(0, 2)}), expected);
}

TEST(Stream, RefusesUnsupportedUse) {
  StreamedWork work;
  work.options.buckets = 2;
  EXPECT_EQ(error_of([&] { work.trainer(); }), "buckets is 2 with a stream; expected 0: buckets need data in memory");
  work.options.buckets = 0;
  work.options.shuffle_buffer = 0;
  EXPECT_EQ(error_of([&] { work.trainer(); }), "the size of the shuffle buffer is 0 samples; expected 1 to 4294967295");
  EXPECT_THAT(error_of([&] { Trainer(work.model, std::shared_ptr<SampleStream>(), TrainOptions()); }),
              testing::HasSubstr("there is no stream to train on"));
}

}  // namespace
}  // namespace cavs
