#pragma once

#include <sys/socket.h>

#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cavs/distributed.h"

namespace cavs {

/// Returns the transports of all ranks (processes of a job), which sockets within this process connect.
inline std::vector<std::shared_ptr<Transport>> connected_ranks(
    int ranks, std::chrono::milliseconds timeout = std::chrono::seconds(60)) {
  std::vector<std::vector<int>> sockets(ranks, std::vector<int>(ranks, -1));
  for (int a = 0; a < ranks; ++a)
    for (int b = 0; b < a; ++b) {
      int pair[2] = {-1, -1};
      if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) std::terminate();
      sockets[a][b] = pair[0];
      sockets[b][a] = pair[1];
    }
  std::vector<std::shared_ptr<Transport>> transports;
  for (int r = 0; r < ranks; ++r) transports.push_back(socket_transport(r, sockets[r], timeout));
  return transports;
}

/// Like connected_ranks(), with `per_host` ranks on each of several simulated hosts.
inline std::vector<std::shared_ptr<Transport>> ranks_on_hosts(int ranks, int per_host) {
  class OnHost final : public Transport {
   public:
    OnHost(std::shared_ptr<Transport> transport, int host) : transport_(std::move(transport)), host_(host) {}
    int rank() const override { return transport_->rank(); }
    int ranks() const override { return transport_->ranks(); }
    std::string host() const override { return "host" + std::to_string(host_); }
    void exchange(std::span<const Message> sends, std::span<const Message> receives) override {
      transport_->exchange(sends, receives);
    }

   private:
    const std::shared_ptr<Transport> transport_;
    const int host_;
  };
  std::vector<std::shared_ptr<Transport>> transports = connected_ranks(ranks);
  for (int r = 0; r < ranks; ++r) transports[r] = std::make_shared<OnHost>(transports[r], r / per_host);
  return transports;
}

/// Calls f(transport) on one thread per rank. Closes the sockets of a rank when f returns. Returns each rank's
/// exception.
template <typename F>
std::vector<std::exception_ptr> on_transports(std::vector<std::shared_ptr<Transport>> transports, F f) {
  std::vector<std::exception_ptr> thrown(transports.size());
  std::vector<std::jthread> threads;
  for (std::size_t r = 0; r < transports.size(); ++r)
    threads.emplace_back([&f, &error = thrown[r], transport = std::move(transports[r])]() mutable {
      try {
        f(std::move(transport));
      } catch (...) {
        error = std::current_exception();
      }
    });
  threads.clear();
  return thrown;
}

/// Calls f(job) on one thread per rank. @throws the exception of the first rank that failed
template <typename F>
void on_ranks(std::vector<std::shared_ptr<Transport>> transports, F f) {
  const auto make_job = [&f](auto transport) { f(std::make_shared<Job>(std::move(transport))); };
  for (const std::exception_ptr& error : on_transports(std::move(transports), make_job))
    if (error) std::rethrow_exception(error);
}
template <typename F>
void on_ranks(int ranks, F f) {
  on_ranks(connected_ranks(ranks), f);
}

/// Calls f. Returns the message of the exception that f throws; "" if f throws none.
template <typename F>
std::string message_of(F f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

}  // namespace cavs
