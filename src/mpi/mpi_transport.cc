#include <mpi.h>

#include <algorithm>
#include <limits>
#include <thread>
#include <vector>

#include "cavs/mpi.h"

namespace cavs::inline v0_1 {
namespace {

using Clock = std::chrono::steady_clock;

/// Maximum number of bytes per MPI message, because MPI counts bytes with an int.
constexpr std::size_t kLargest = std::size_t{1} << 30;
/// Number of polls before waiting begins to pause between polls, so that other threads can use the processor.
constexpr int kLooks = 200;
constexpr std::chrono::microseconds kPause{50};

class MpiTransport final : public Transport {
 public:
  explicit MpiTransport(std::chrono::milliseconds timeout) : timeout_(timeout) {
    int begun = 0, level = MPI_THREAD_SINGLE;
    MPI_Initialized(&begun);
    is_mine_ = begun == 0;
    if (is_mine_)
      MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
    else
      MPI_Query_thread(&level);
    if (level < MPI_THREAD_SERIALIZED)
      throw UserError(
          "this MPI does not support calls from several threads in turn (MPI_THREAD_SERIALIZED), which steps beside "
          "the thread of the caller need; start it with MPI_Init_thread, or use an MPI that was built with threads");
    MPI_Comm_dup(MPI_COMM_WORLD, &world_);
    MPI_Comm_rank(world_, &rank_);
    MPI_Comm_size(world_, &ranks_);
  }
  ~MpiTransport() override {
    MPI_Comm_free(&world_);
    if (is_mine_) MPI_Finalize();
  }
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  void abort() override { MPI_Abort(world_, 1); }

  void exchange(std::span<const Message> sends, std::span<const Message> receives) override {
    requests_.clear();
    peers_.clear();
    const auto begin = [this](std::span<const Message> messages, auto call) {
      for (const Message& m : messages)
        for (std::size_t at = 0; at < m.bytes.size(); at += kLargest) {
          peers_.push_back(m.peer);
          call(m.bytes.data() + at, static_cast<int>(std::min(kLargest, m.bytes.size() - at)), m.peer,
               &requests_.emplace_back());
        }
    };
    begin(receives, [this](std::byte* bytes, int size, int peer, MPI_Request* request) {
      MPI_Irecv(bytes, size, MPI_BYTE, peer, 0, world_, request);
    });
    begin(sends, [this](std::byte* bytes, int size, int peer, MPI_Request* request) {
      MPI_Isend(bytes, size, MPI_BYTE, peer, 0, world_, request);
    });
    wait();
  }

 private:
  void wait() {
    std::vector<int> done(requests_.size());
    std::size_t left = requests_.size();
    Clock::time_point last = Clock::now();
    for (int looks = 0; left > 0; ++looks) {
      int count = 0;
      MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, done.data(), MPI_STATUSES_IGNORE);
      if (count > 0) {
        left -= count;
        looks = 0;
        last = Clock::now();
      } else if (looks > kLooks) {
        if (Clock::now() - last > timeout_) throw silent();
        std::this_thread::sleep_for(kPause);
      }
    }
  }

  LostRank silent() const {
    std::vector<int> silent;
    for (std::size_t i = 0; i < requests_.size(); ++i)
      if (requests_[i] != MPI_REQUEST_NULL) silent.push_back(peers_[i]);
    std::ranges::sort(silent);
    silent.erase(std::unique(silent.begin(), silent.end()), silent.end());
    return LostRank::silent(std::move(silent), timeout_);
  }

  const std::chrono::milliseconds timeout_;
  bool is_mine_ = false;
  MPI_Comm world_ = MPI_COMM_NULL;
  int rank_ = 0, ranks_ = 1;
  std::vector<MPI_Request> requests_;
  std::vector<int> peers_;  // [requests]: the other rank of the request
};

}  // namespace

std::shared_ptr<Transport> mpi_transport(std::chrono::milliseconds timeout) {
  return std::make_shared<MpiTransport>(timeout);
}

}  // namespace cavs::inline v0_1
