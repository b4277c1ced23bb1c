#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace cavs::inline v0_1 {

/// A team of worker threads that lives as long as its session and runs one parallel region per direction or training
/// step.
///
/// run(f) calls f(worker) on every worker (the caller is worker 0) and returns when all are done. Inside f all workers
/// must call barrier() the same number of times; after a barrier all workers can read what any worker wrote before it.
/// An exception of f ends the run: the other workers leave f at their next barrier (by an exception that f must let
/// pass), and run() rethrows the first exception when all are done. A team of size 1 has no threads, and its barriers
/// cost nothing. A waiting worker spins for kSpinTime (not at all if the process has fewer processors than workers),
/// then sleeps; it never yields. Workers are not pinned and stay inside the process's affinity mask. A fork of the
/// process has no worker threads, so run() throws UserError there, unless the size is 1.
/// If Alone::kAllowed is set, a team finds out whether its caller is faster alone (Pace). CAVS_TEAM=together in the
/// environment switches that off, for tests.
class Team {
 public:
  /// kAllowed if the caller may do runs without the team. Such runs must divide their work by size().
  enum class Alone : std::uint8_t { kNever, kAllowed };
  /// @param size  number of workers, including the caller; less than 1 counts as 1.
  explicit Team(int size, Alone alone = Alone::kNever);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Returns the number of workers. Inside run(): the number of participants, which is 1 if the caller runs alone.
  int size() const;
  /// True if the process has fewer processors than workers.
  bool is_crowded() const;
  /// Calls f on all workers (see the class comment).
  /// @param alone  true if the caller runs alone; nullopt to do as in the last run_and_compare()
  void run(const std::function<void(int worker)>& f, std::optional<bool> alone = {});
  /// True if the caller should do the next run alone, because that is faster or is to be tried.
  bool choose_alone();
  /// Does a run as choose_alone() has decided, and measures it. @param work  amount of work, such as number of vertices
  void run_and_compare(const std::function<void(int worker)>& f, bool alone, double work);
  void barrier(int worker) { barrier(worker, nullptr); }
  /// Waits until all workers have called barrier(). A worker that passes `meanwhile` calls it again and again until
  /// worker 0 (which passes none) arrives, and arrives only then itself. So `meanwhile` may do work whose results are
  /// read after the barrier. Each call does a little work and returns true if it did any.
  void barrier(int worker, const std::function<bool()>& meanwhile);

  /// Sets work for the slack of the last worker, which calls `slice` again and again while it waits in barrier(), until
  /// `slice` returns false or throws (run() then rethrows). Each call must be short. Call set_slack only between runs;
  /// an empty function cancels the work. With size 1, `slice` is never called: the owner does the work itself.
  void set_slack(std::function<bool()> slice);
  /// Does the rest of the slack's work on the caller's thread. After a run alone, that is all of the work.
  void finish_slack();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cavs::inline v0_1
