// Fibers must report faulty kernels, even if their results happen to be right.

#include <gmock/gmock.h>

#include <array>
#include <bit>

#include "cuda/fibers/fibers.h"

namespace cavs::cuda {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const FiberFunctions& kGpu = kFiberFunctions;

void store(float* p, float x) {
  kGpu.store(p, sizeof x);
  *p = x;
}
float load(const float* p) {
  kGpu.load(p, sizeof *p);
  return *p;
}
void wait_for(const unsigned* counter, unsigned value) {
  while (kGpu.acquire(counter) < value) kGpu.pause();
}

/// Runs two blocks of two warps, with 64 unwritten numbers x and 64 valid numbers y.
class Fibers : public testing::TestWithParam<std::uint64_t> {
 protected:
  std::vector<std::string> run(const std::function<void()>& kernel) {
    const LaunchBuffer memory[] = {{"x", x_.data(), sizeof x_, false},
                                   {"y", y_.data(), sizeof y_, true},
                                   {"counter", &counter_, sizeof counter_, true}};
    return launch_on_fibers(2, 64, GetParam(), memory, kernel);
  }
  static bool is_first() { return kGpu.thread() == 0; }
  static bool is_first_of(int block) { return is_first() && kGpu.processor() == block; }

  std::array<float, 64> x_{}, y_{};
  unsigned counter_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Orders, Fibers, testing::Range<std::uint64_t>(0, 8));

TEST_P(Fibers, AcceptAccessesOrderedByASignal) {
  const auto kernel = [&] {
    if (!is_first()) return;
    if (kGpu.processor() == 0) {
      store(&x_[0], 1);
      kGpu.signal(&counter_, 1);
    } else {
      wait_for(&counter_, 1);
      store(&x_[1], load(&x_[0]) + 1);
    }
  };
  EXPECT_THAT(run(kernel), IsEmpty());
  EXPECT_EQ(x_[1], 2);
}

/// A thread that waits again for a value that it has read is not ordered after later signals.
TEST_P(Fibers, ReportAccessesOrderedOnlyByALaterSignal) {
  const auto kernel = [&] {
    if (!is_first()) return;
    if (kGpu.processor() == 0) {
      kGpu.signal(&counter_, 1);
      store(&x_[0], 1);
      kGpu.signal(&counter_, 2);
    } else {
      wait_for(&counter_, 1);
      wait_for(&counter_, 1);
      load(&x_[0]);
    }
  };
  EXPECT_THAT(run(kernel), Not(IsEmpty()));
}

/// The second signal orders the write, but a thread that waits for the first one may not have seen the second.
TEST_P(Fibers, AreNotOrderedByLaterSignalsThanTheyWaitFor) {
  const auto kernel = [&] {
    if (!is_first()) return;
    if (kGpu.processor() == 0) {
      kGpu.signal(&counter_, 1);
      store(&y_[0], 1);
      kGpu.signal(&counter_, 2);
    } else {
      wait_for(&counter_, 1);
      load(&y_[0]);
    }
  };
  EXPECT_THAT(run(kernel), Contains(HasSubstr("are not ordered")));
}

TEST_P(Fibers, AcceptAccessesOrderedByASumInACounter) {
  const auto kernel = [&] {
    if (is_first()) {
      store(&x_[kGpu.processor()], 1);
      kGpu.arrive(&counter_);
      wait_for(&counter_, 2);
    }
    kGpu.sync();
    load(&x_[1 - kGpu.processor()]);
  };
  EXPECT_THAT(run(kernel), IsEmpty());
}

TEST_P(Fibers, ReportRacesWithinABlock) {
  const auto neighbour = [&](bool syncs) {
    return [=, this] {
      if (kGpu.processor() != 0) return;
      store(&x_[kGpu.thread()], 1);
      if (syncs) kGpu.sync();
      load(&x_[(kGpu.thread() + 1) % 64]);
    };
  };
  EXPECT_THAT(run(neighbour(true)), IsEmpty());
  EXPECT_THAT(run(neighbour(false)), testing::Not(IsEmpty()));
}

TEST_P(Fibers, SyncWarpOrdersOnlyItsWarpAndAShuffleNothing) {
  const auto kernel = [&](int distance, bool shuffles) {
    return [=, this] {
      if (kGpu.processor() != 0) return;
      store(&y_[kGpu.thread()], 1);
      if (shuffles)
        kGpu.shuffle_xor(0, 1);
      else
        kGpu.sync_warp();
      load(&y_[kGpu.thread() ^ distance]);
    };
  };
  EXPECT_THAT(run(kernel(1, false)), IsEmpty());
  EXPECT_THAT(run(kernel(32, false)), Contains(HasSubstr("are not ordered")));
  EXPECT_THAT(run(kernel(1, true)), Contains(HasSubstr("are not ordered")));
}

TEST_P(Fibers, LanesReadTheValuesOfTheirPartners) {
  const auto kernel = [&] {
    for (int mask = 16; mask > 0; mask /= 2) {
      const int found = static_cast<int>(kGpu.shuffle_xor(static_cast<unsigned>(kGpu.thread() * mask), mask));
      EXPECT_EQ(found, (kGpu.thread() ^ mask) * mask);
    }
  };
  EXPECT_THAT(run(kernel), IsEmpty());
}

/// Compares the lanes' results for matrices with known elements.
TEST_P(Fibers, MultiplyMatrices) {
  const auto a_at = [](int row, int k) { return static_cast<float>(row * 16 + k); };
  const auto b_at = [](int k, int column) { return static_cast<float>(k - 3 * column); };
  const auto pair = [](float low, float high) {
    return (std::bit_cast<unsigned>(high) & 0xFFFF0000U) | std::bit_cast<unsigned>(low) >> 16;
  };
  const auto kernel = [&] {
    const int g = kGpu.thread() % 32 / 4, t = 2 * (kGpu.thread() % 4);
    const unsigned a[4] = {pair(a_at(g, t), a_at(g, t + 1)), pair(a_at(g + 8, t), a_at(g + 8, t + 1)),
                           pair(a_at(g, t + 8), a_at(g, t + 9)), pair(a_at(g + 8, t + 8), a_at(g + 8, t + 9))};
    const unsigned b[2] = {pair(b_at(t, g), b_at(t + 1, g)), pair(b_at(t + 8, g), b_at(t + 9, g))};
    float sums[4] = {1, 2, 3, 4};
    kGpu.multiply_matrices(sums, a, b);
    for (int q = 0; q < 4; ++q) {
      float expected = static_cast<float>(q + 1);
      for (int k = 0; k < 16; ++k) expected += a_at(g + 8 * (q / 2), k) * b_at(k, t + q % 2);
      EXPECT_EQ(sums[q], expected);
    }
  };
  EXPECT_THAT(run(kernel), IsEmpty());
}

struct Mistake {
  const char* says;
  std::function<void()> kernel;
};

TEST_P(Fibers, ReportMistakes) {
  static float outside = 0;
  const Mistake mistakes[] = {
      {"x byte 0, the kernel: block",
       [&] {
         if (is_first()) store(&x_[0], 1);
       }},
      {"y byte 12, the kernel: block",
       [&] {
         if (is_first_of(0)) store(&y_[3], 1);
         if (is_first_of(1)) load(&y_[3]);
       }},
      {"block 0 thread 0 reads x byte 28, which nobody has written",
       [&] {
         if (is_first_of(0)) load(&x_[7]);
       }},
      {"outside of every allocation",
       [&] {
         if (is_first()) load(&outside);
       }},
      {"outside of every allocation",
       [&] {  // and never ends
         if (is_first_of(1))
           for (;;) load(&outside);
       }},
      {"read by this launch as constant",
       [&] {
         kGpu.load_fixed(y_.data(), 4);
         kGpu.sync();
         if (is_first_of(0)) store(&y_[9], 1);
       }},
      {"waits in sync() for ever",
       [&] {
         if (kGpu.thread() != 5) kGpu.sync();
       }},
      {"waits in shuffle_xor() for ever",
       [&] {
         if (kGpu.thread() != 5) kGpu.shuffle_xor(0, 1);
       }},
      {"some lanes",
       [&] {
         if (kGpu.thread() % 2 == 0)
           kGpu.shuffle_xor(0, 1);
         else
           kGpu.sync_warp();
       }},
      {"waits on a counter for ever",
       [&] {
         if (is_first()) wait_for(&counter_, 1);
       }},
  };
  for (const Mistake& mistake : mistakes) {
    x_ = y_ = {};
    counter_ = 0;
    EXPECT_THAT(run(mistake.kernel), Contains(HasSubstr(mistake.says)));
  }
}

#if defined(__SANITIZE_THREAD__)
/// ThreadSanitizer treats fibers as threads, and does not use what fibers record.
TEST(ThreadSanitizer, FindsUnorderedAccesses) {
  const auto run = [](bool meet) {
    float x = 0;
    std::array<float, 32> y{};
    launch_on_fibers(1, 32, 0, [&] {
      if (kGpu.thread() == 0) x = 1;
      if (meet) kGpu.sync();
      y[static_cast<std::size_t>(kGpu.thread())] = x;
    });
    return y;
  };
  EXPECT_THAT(run(true), testing::Each(1));
  EXPECT_DEATH(run(false), "data race");
}
#endif

}  // namespace
}  // namespace cavs::cuda
