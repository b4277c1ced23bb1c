#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "cavs/distributed.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

class SocketTransport final : public Transport {
 public:
  SocketTransport(int rank, std::vector<int> sockets, std::chrono::milliseconds timeout)
      : rank_(rank), sockets_(std::move(sockets)), timeout_(timeout) {
    for (int r = 0; r < ranks(); ++r)
      user_check(r == rank || ::fcntl(sockets_[r], F_SETFL, O_NONBLOCK) == 0, "socket {} to rank {} is not open",
                 sockets_[r], r);
  }
  ~SocketTransport() override {
    for (int r = 0; r < ranks(); ++r)
      if (r != rank_) ::close(sockets_[r]);
  }
  SocketTransport(const SocketTransport&) = delete;
  SocketTransport& operator=(const SocketTransport&) = delete;

  int rank() const override { return rank_; }
  int ranks() const override { return static_cast<int>(sockets_.size()); }

  void exchange(std::span<const Message> sends, std::span<const Message> receives) override {
    std::vector<Queue> out(sockets_.size()), in(sockets_.size());
    for (const Message& m : sends) out[m.peer].messages.push_back(m.bytes);
    for (const Message& m : receives) in[m.peer].messages.push_back(m.bytes);
    for (;;) {
      std::vector<pollfd> polls;
      for (int r = 0; r < ranks(); ++r) {
        const int events = (in[r].done() ? 0 : POLLIN) | (out[r].done() ? 0 : POLLOUT);
        polls.push_back({events == 0 ? -1 : sockets_[r], static_cast<short>(events), 0});
      }
      if (std::ranges::all_of(polls, [](const pollfd& p) { return p.fd < 0; })) return;
      const int ready = ::poll(polls.data(), polls.size(), static_cast<int>(timeout_.count()));
      if (ready == 0) throw silent(polls);
      for (int r = 0; ready > 0 && r < ranks(); ++r) {
        if ((polls[r].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !in[r].done())
          move(r, in[r], [&](std::span<std::byte> b) { return ::recv(sockets_[r], b.data(), b.size(), 0); });
        if ((polls[r].revents & (POLLOUT | POLLHUP | POLLERR)) != 0 && !out[r].done())
          move(r, out[r],
               [&](std::span<std::byte> b) { return ::send(sockets_[r], b.data(), b.size(), MSG_NOSIGNAL); });
      }
    }
  }

 private:
  /// The messages to a peer, or from it. Messages before `first` are done, and spans have only the bytes not yet moved.
  struct Queue {
    std::vector<std::span<std::byte>> messages;
    std::size_t first = 0;
    bool done() const { return first == messages.size(); }
  };

  template <typename Call>
  static void move(int peer, Queue& queue, Call call) {
    std::span<std::byte>& bytes = queue.messages[queue.first];
    const ssize_t moved = call(bytes);
    if (moved < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (moved <= 0) throw LostRank({peer}, "has ended");
    bytes = bytes.subspan(moved);
    if (bytes.empty()) ++queue.first;
  }

  LostRank silent(const std::vector<pollfd>& polls) const {
    std::vector<int> peers;
    for (int r = 0; r < ranks(); ++r)
      if (polls[r].fd >= 0) peers.push_back(r);
    return LostRank::silent(std::move(peers), timeout_);
  }

  const int rank_;
  const std::vector<int> sockets_;
  const std::chrono::milliseconds timeout_;
};

}  // namespace

std::shared_ptr<Transport> socket_transport(int rank, std::vector<int> sockets, std::chrono::milliseconds timeout) {
  return std::make_shared<SocketTransport>(rank, std::move(sockets), timeout);
}

}  // namespace cavs::inline v0_1
