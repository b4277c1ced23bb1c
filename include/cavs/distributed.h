#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cavs/error.h"
#include "cavs/version.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

/// Bytes to send to, or to receive from, one other rank.
struct Message {
  int peer = 0;  // the other rank
  std::span<std::byte> bytes;
};

/// Thrown if other ranks have ended, or have sent nothing for too long.
class LostRank : public UserError {
 public:
  /// @param what  For example "has ended" or "has sent nothing for 300 s".
  LostRank(std::vector<int> ranks, std::string what)
      : UserError("a rank " + what), ranks_(std::move(ranks)), what_(std::move(what)) {}
  /// The error for ranks that have sent nothing for `timeout`.
  static LostRank silent(std::vector<int> ranks, std::chrono::milliseconds timeout);
  const std::vector<int>& ranks() const { return ranks_; }
  const std::string& reason() const { return what_; }

 private:
  std::vector<int> ranks_;
  std::string what_;
};

/// Carries bytes between the processes (ranks) of a job. The library sums gradients itself, in an order that depends
/// neither on the number of ranks nor on the transport. One thread at a time may use a transport.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  /// Sends and receives all messages. Messages from one rank to another keep their order. No message may be empty.
  /// @throws LostRank
  virtual void exchange(std::span<const Message> sends, std::span<const Message> receives) = 0;
  /// Returns the name of the machine.
  virtual std::string host() const;
  /// Ends the processes of all ranks at once, if possible. Called after this rank has failed and reported the reason.
  virtual void abort() {}
};

/// Returns a transport over connected stream sockets, which it owns: sockets[r] leads to rank r, and sockets[rank] is
/// not used. A rank that ends is detected at once, a rank that sends nothing after `timeout`.
std::shared_ptr<Transport> socket_transport(int rank, std::vector<int> sockets, std::chrono::milliseconds timeout);

/// Thrown if a rank has failed. The message names the failed rank, and is the same on all ranks that throw it.
class FailedJob : public UserError {
 public:
  using UserError::UserError;
};

/// Several ranks that train one model (TrainOptions::job). All ranks must make the same calls in the same order. If one
/// rank fails, all ranks end.
class Job {
 public:
  /// Waits for all other ranks, and exchanges host names with them. @throws LostRank
  explicit Job(std::shared_ptr<Transport> transport);
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job();

  int rank() const;
  int ranks() const;
  /// The name of a rank for messages, such as "rank 2 (host b)".
  std::string name(int rank) const;
  /// Number of consecutive ranks on each host; 1 if this number differs between hosts, or if there is only one host.
  int ranks_per_host() const;

  /// Waits until all ranks have called meet(), and sends `bytes` to all of them.
  /// @param where  Name of the meeting place for messages; must be equal on all ranks.
  /// @return the bytes from each rank, in order of ranks
  /// @throws FailedJob if a rank has failed or is at another place; LostRank, naming the rank.
  std::vector<std::vector<std::byte>> meet(const std::string& where, std::span<const std::byte> bytes = {});
  /// Meets the other ranks, and returns the bytes of rank 0.
  std::vector<std::byte> share(const std::string& where, std::span<const std::byte> bytes);
  /// A value that must be equal on all ranks, and advice for the user if it is not.
  struct Fact {
    std::string name, value, remedy;
  };
  /// Meets the other ranks, and compares the facts of each rank with those of rank 0. All ranks must pass the same
  /// names in the same order. @throws FailedJob naming the first difference.
  void expect_same(const std::string& where, const std::vector<Fact>& facts);

  /// Calls f, which may call meet(). Rethrows an exception of f, and reports it to the other ranks when they meet.
  void guard(const std::function<void()>& f);
  /// The reason of the job's failure, for rank 0 to print; empty if there is none, or if only this rank has heard of
  /// it.
  const std::string& failure() const;

  /// ask() adds requests, one bit each, that the next meet() sends to all ranks. take_asked() returns the requests of
  /// all ranks that have arrived since its last call.
  void ask(std::uint32_t requests);
  std::uint32_t take_asked();

  /// Exchanges messages with other ranks, without meet(). Sender and receiver must agree on the sizes; empty messages
  /// are skipped. @throws LostRank, naming the rank.
  void exchange(std::vector<Message> sends, std::vector<Message> receives);
  Transport& transport() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace v0_1
}  // namespace cavs
