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
  int peer = 0;
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
  /// Sends and receives all messages; those between two ranks keep their order. No message is empty.
  /// @throws LostRank
  virtual void exchange(std::span<const Message> sends, std::span<const Message> receives) = 0;
  /// The name of the machine.
  virtual std::string host() const;
  /// Ends the processes of all ranks at once, if possible. Called after this rank has failed and reported the reason.
  virtual void abort() {}
};

/// A transport over connected stream sockets, one per rank (sockets[rank] is not used), which it owns. A dead peer is
/// detected at once, a silent peer after `timeout`.
std::shared_ptr<Transport> socket_transport(int rank, std::vector<int> sockets, std::chrono::milliseconds timeout);

/// Thrown by all ranks if one rank has failed. All throw the same text, which names the failed rank.
class FailedJob : public UserError {
 public:
  using UserError::UserError;
};

/// Several ranks that train one model (TrainOptions::job). All ranks must make the same calls in the same order. A rank
/// that fails ends all ranks.
class Job {
 public:
  /// Meets the other ranks. @throws LostRank
  explicit Job(std::shared_ptr<Transport> transport);
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job();

  int rank() const;
  int ranks() const;
  /// "rank 2 (host b)".
  std::string name(int rank) const;
  /// Number of consecutive ranks on each host; 1 if hosts have different numbers, or if there is only one host.
  int ranks_per_host() const;

  /// Waits until all ranks have called meet().
  /// @param where  Name of the meeting place for messages; must be equal on all ranks.
  /// @return the bytes of each rank.
  /// @throws FailedJob if a rank has failed or is at another place; LostRank, naming the rank.
  std::vector<std::vector<std::byte>> meet(const std::string& where, std::span<const std::byte> bytes = {});
  /// Meets, and returns the bytes of rank 0.
  std::vector<std::byte> share(const std::string& where, std::span<const std::byte> bytes);
  /// A value that must be equal on all ranks, and advice for the case that it is not.
  struct Fact {
    std::string name, value, remedy;
  };
  /// Meets, and compares with rank 0's facts, which have the same names. @throws FailedJob naming the first difference.
  void expect_same(const std::string& where, const std::vector<Fact>& facts);

  /// Calls f, which may meet. Rethrows an exception of f here, and reports it to the other ranks at their next meeting.
  void guard(const std::function<void()>& f);
  /// The reason of a failure, for rank 0 to print; empty if the job has not failed, or if only this rank has noticed.
  const std::string& failure() const;

  /// ask() sends requests of this rank, one bit each, to all ranks with the next meeting. take_asked() returns the
  /// requests of all ranks that have arrived since its last call.
  void ask(std::uint32_t requests);
  std::uint32_t take_asked();

  /// Exchanges messages at a meeting place. All ranks must know their sizes; empty messages are skipped. @throws
  /// LostRank, naming the rank.
  void exchange(std::vector<Message> sends, std::vector<Message> receives);
  Transport& transport() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace v0_1
}  // namespace cavs
