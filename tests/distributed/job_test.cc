// Ranks of a job: exchange of data, and the end of a job when one rank fails.

#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <mutex>
#include <string>

#include "cavs/distributed.h"
#include "helpers/ranks.h"

namespace cavs {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }
std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::string> texts_of(const std::vector<std::exception_ptr>& thrown) {
  std::vector<std::string> texts;
  for (const std::exception_ptr& error : thrown)
    texts.push_back(message_of([&] {
      if (error) std::rethrow_exception(error);
    }));
  return texts;
}

/// The message of the exception on each rank.
template <typename F>
std::vector<std::string> messages_of(int ranks, F f, milliseconds timeout = std::chrono::seconds(60)) {
  return texts_of(on_transports(connected_ranks(ranks, timeout), [&](auto transport) {
    Job job(std::move(transport));
    f(job);
  }));
}

TEST(SocketTransport, CarriesMessagesOfAnySizeInOrder) {
  on_transports(connected_ranks(3), [](const std::shared_ptr<Transport>& t) {
    std::vector<std::vector<std::byte>> out, in;
    std::vector<Message> sends, receives;
    for (const std::size_t size : {1, 40'000'000, 3})
      for (int peer = 0; peer < 3; ++peer) {
        if (peer == t->rank()) continue;
        out.emplace_back(size, std::byte(7 * t->rank() + 1));
        in.emplace_back(size);
        out.back().back() = std::byte(size % 251);
        sends.push_back({peer, out.back()});
        receives.push_back({peer, in.back()});
      }
    t->exchange(sends, receives);
    for (const Message& m : receives) {
      ASSERT_EQ(m.bytes.back(), std::byte(m.bytes.size() % 251));
      const bool has_front = m.bytes.size() > 1;
      ASSERT_TRUE(!has_front || m.bytes.front() == std::byte(7 * m.peer + 1));
    }
  });
}

TEST(SocketTransport, NamesRanksThatEndedOrAreSilent) {
  const auto transports = connected_ranks(3, milliseconds(100));
  const auto texts = texts_of(on_transports(transports, [](const std::shared_ptr<Transport>& t) {
    std::array<std::byte, 1> byte{};
    if (t->rank() != 1) t->exchange({}, std::vector<Message>{{1, byte}});
  }));
  EXPECT_THAT(texts[0], HasSubstr("sent nothing for 0.1 s"));
  const auto closed = texts_of(on_transports(connected_ranks(2), [](std::shared_ptr<Transport> t) {
    std::array<std::byte, 1> byte{};
    if (t->rank() == 0) t->exchange({}, std::vector<Message>{{1, byte}});
    t.reset();
  }));
  EXPECT_EQ(closed[0], "a rank has ended");
}

TEST(Job, GathersTheDataOfAllRanks) {
  on_ranks(4, [](const std::shared_ptr<Job>& job) {
    for (int round = 0; round < 3; ++round) {
      const std::string mine(job->rank() * 1000 * round, static_cast<char>('a' + job->rank()));
      const auto all = job->meet("a round", bytes_of(mine));
      for (int r = 0; r < 4; ++r) EXPECT_EQ(text_of(all[r]), std::string(r * 1000 * round, static_cast<char>('a' + r)));
    }
    EXPECT_EQ(text_of(job->share("news", bytes_of(job->rank() == 0 ? "of rank 0" : "of another"))), "of rank 0");
  });
}

TEST(Job, SharesARequestOfAnyRankWithAll) {
  on_ranks(3, [](const std::shared_ptr<Job>& job) {
    if (job->rank() == 1) job->ask(1);
    if (job->rank() == 2) job->ask(4);
    EXPECT_EQ(job->take_asked(), 0U);
    job->meet("there");
    job->meet("here");
    EXPECT_EQ(job->take_asked(), 5U);
    EXPECT_EQ(job->take_asked(), 0U);
  });
}

TEST(Job, EndsOnAllRanksWithTheErrorOfTheFailedRank) {
  std::mutex mutex;
  std::vector<std::string> failures;
  const auto texts = messages_of(3, [&](Job& job) {
    const auto kept = message_of([&] {
      job.guard([&] {
        if (job.rank() == 2) throw std::runtime_error("the disk is full");
        job.meet("step 3", bytes_of("much work"));
      });
    });
    const std::lock_guard lock(mutex);
    failures.push_back(job.failure());
    throw std::runtime_error(kept);
  });
  EXPECT_THAT(failures, Each(AllOf(HasSubstr("rank 2 (host "), HasSubstr("): the disk is full"))));
  EXPECT_EQ(texts[0], failures[0]);
  EXPECT_EQ(texts[1], failures[0]);
  EXPECT_EQ(texts[2], "the disk is full");  // as it was thrown
}

TEST(Job, NamesTheFirstRankIfSeveralFail) {
  EXPECT_THAT(messages_of(3,
                          [](Job& job) {
                            job.guard([&] {
                              if (job.rank() > 0) throw std::bad_alloc();
                              job.meet("step 3");
                            });
                          })[0],
              AllOf(HasSubstr("rank 1 (host "), HasSubstr("out of memory")));
}

TEST(Job, NamesARankAtAnotherPointOfTheProgram) {
  EXPECT_THAT(messages_of(3, [](Job& job) { job.meet(job.rank() == 1 ? "the evaluation" : "step 9"); }),
              Each(AllOf(HasSubstr("rank 1 (host "), HasSubstr("is at the evaluation, but rank 0 is at step 9"))));
}

TEST(Job, NamesARankThatEndsAndWhere) {
  EXPECT_THAT(messages_of(2,
                          [](Job& job) {
                            if (job.rank() == 0) job.meet("step 9");
                          })[0],
              AllOf(HasSubstr("rank 1 (host "), HasSubstr("has ended in step 9")));
}

TEST(Job, NamesTheFirstDifference) {
  EXPECT_THAT(
      messages_of(3,
                  [](Job& job) {
                    const bool odd = job.rank() == 2;
                    job.expect_same("the first step", {{"version", "1", ""},
                                                       {"instruction set", odd ? "avx2" : "avx512", "set it"},
                                                       {"seed", odd ? "3" : "4", ""}});
                  }),
      Each(AllOf(HasSubstr("rank 2 (host "), HasSubstr("has instruction set avx2, but rank 0 has avx512; set it"))));
}

TEST(Job, RefusesAConnectionWithAnotherProtocol) {
  const auto texts = texts_of(on_transports(connected_ranks(2), [](const std::shared_ptr<Transport>& t) {
    if (t->rank() == 0) Job job(t);
    std::array<std::byte, 64> noise, note;
    noise.fill(std::byte(0x55));
    if (t->rank() == 1) t->exchange(std::vector<Message>{{0, noise}}, std::vector<Message>{{0, note}});
  }));
  EXPECT_THAT(texts[0], HasSubstr("rank 1 does not use the protocol of this version of cavs"));
}

TEST(Job, RefusesMessagesThatExceedTheMemory) {
  const auto texts = texts_of(on_transports(connected_ranks(2), [](const std::shared_ptr<Transport>& t) {
    if (t->rank() == 0) {
      Job job(t);
      return;
    }
    std::array<std::byte, 64> note;
    t->exchange({}, std::vector<Message>{{0, note}});
    note[62] = std::byte(0x7F);  // the last eight bytes of the message are a size
    t->exchange(std::vector<Message>{{0, note}}, {});
  }));
  EXPECT_THAT(texts[0], HasSubstr("which do not fit into memory"));
}

}  // namespace
}  // namespace cavs
