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

/// Bytes for one other rank, or from it.
struct Message {
  int peer = 0;
  std::span<std::byte> bytes;
};

/// Other ranks have ended, or have sent nothing for too long.
class LostRank : public UserError {
 public:
  /// @param what  "has ended", "has sent nothing for 300 s"
  LostRank(std::vector<int> ranks, std::string what)
      : UserError("a rank " + what), ranks_(std::move(ranks)), what_(std::move(what)) {}
  /// Ranks that have sent nothing for so long.
  static LostRank silent(std::vector<int> ranks, std::chrono::milliseconds timeout);
  const std::vector<int>& ranks() const { return ranks_; }
  const std::string& reason() const { return what_; }

 private:
  std::vector<int> ranks_;
  std::string what_;
};

/// Carries bytes between the processes (ranks) of a job. It adds nothing: the library sums gradients itself, in an
/// order that depends neither on the number of ranks nor on what carries them. One thread at a time may call it.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  /// Sends and receives all of these; between two ranks in the order given. No message is empty.
  /// @throws LostRank
  virtual void exchange(std::span<const Message> sends, std::span<const Message> receives) = 0;
  /// The name of the machine.
  virtual std::string host() const;
  /// Ends the processes of all ranks at once, where it can: this rank has failed, and has said why.
  virtual void abort() {}
};

/// Over connected stream sockets, one per rank (sockets[rank] is not used). It owns them. A peer that dies is noticed
/// at once, one that is silent after `timeout`.
std::shared_ptr<Transport> socket_transport(int rank, std::vector<int> sockets, std::chrono::milliseconds timeout);

/// All ranks, of which one has failed, throw this with the same text, which names that rank.
class FailedJob : public UserError {
 public:
  using UserError::UserError;
};

/// Several ranks that train one model (TrainOptions::job). All of them make the same calls in the same order; a rank
/// that fails ends all of them.
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
  /// The number of consecutive ranks on each host; 1: they are not all alike, or there is one host.
  int ranks_per_host() const;

  /// Waits until all ranks are here. @param where  names the place in messages, and must be equal on all ranks
  /// @return what each rank has brought
  /// @throws FailedJob if a rank has failed, or is at another place; LostRank, naming it
  std::vector<std::vector<std::byte>> meet(const std::string& where, std::span<const std::byte> bytes = {});
  /// The bytes of rank 0.
  std::vector<std::byte> share(const std::string& where, std::span<const std::byte> bytes);
  /// Something that all ranks must have in common, and what to do where they do not.
  struct Fact {
    std::string name, value, remedy;
  };
  /// Meets, and compares with rank 0, which has facts of the same names. @throws FailedJob naming the first difference
  void expect_same(const std::string& where, const std::vector<Fact>& facts);

  /// Calls f, which may meet. What f throws is told to the other ranks, at their next meeting, and thrown here.
  void guard(const std::function<void()>& f);
  /// Why the job has failed, as rank 0 should print it; empty: it has not, or this rank alone knows.
  const std::string& failure() const;

  /// Requests of this rank, one bit each, that all ranks learn at the next meeting; and those of any rank that meetings
  /// have brought since the last call.
  void ask(std::uint32_t requests);
  std::uint32_t take_asked();

  /// Within a meeting place: messages whose sizes all ranks know. Empty ones are left out. @throws LostRank, naming it
  void exchange(std::vector<Message> sends, std::vector<Message> receives);
  Transport& transport() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace v0_1
}  // namespace cavs
