#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace cavs::inline v0_1 {

/// A team of worker threads that lives as long as its session: one parallel region per direction or training step.
///
/// run(f) calls f(worker) on every worker (the caller is worker 0) and returns when all are done. Inside f all workers
/// must call barrier() the same number of times; after a barrier all read what any worker wrote before it. An exception
/// of f ends the run: the others leave f at their next barrier (by an exception that f must let pass), and run()
/// rethrows the first exception when all are done. A team of size 1 has no threads and free barriers. A waiting worker
/// spins for kSpinTime (not at all if the process has fewer processors than workers), then sleeps; it never yields.
/// Workers are not pinned and stay inside the process's affinity mask. A fork of the process has none of the threads:
/// there run() throws UserError, unless the size is 1.
///
/// If it is allowed, a team finds out whether its caller is faster alone (Pace). CAVS_TEAM=together in the environment
/// switches that off, for tests.
class Team {
 public:
  /// Runs that the caller may do without the team: none, or all, which then divide their work by the size() inside.
  enum class Alone : std::uint8_t { kNever, kAllowed };
  /// @param size  number of workers, including the caller; less than 1 counts as 1.
  explicit Team(int size, Alone alone = Alone::kNever);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Number of workers. Inside run(): those that run, which is 1 if the caller is alone.
  int size() const;
  /// True if the process has fewer processors than workers.
  bool is_crowded() const;
  /// @param alone  true for the caller alone; nullopt: as in the last compared run
  void run(const std::function<void(int worker)>& f, std::optional<bool> alone = {});
  /// True if the caller should do the next run alone, because that is faster or must be tried.
  bool choose_alone();
  /// Does a run that was chosen so, and measures it. @param work  in any unit, such as vertices
  void run_and_compare(const std::function<void(int worker)>& f, bool alone, double work);
  void barrier(int worker) { barrier(worker, nullptr); }
  /// A worker with a `meanwhile` calls it again and again until worker 0, which has none, reaches this barrier, and
  /// only then reaches it, too. So `meanwhile` may do work that all read after the barrier. Each call does a little and
  /// returns true if it did something.
  void barrier(int worker, const std::function<bool()>& meanwhile);

  /// Sets work for the slack of the last worker, which calls it again and again while it waits in barrier(), until it
  /// returns false or throws (run() then rethrows). Each call must be short. Call only between runs; an empty function
  /// takes the work back. With size 1 it is never called: the owner does the work itself.
  void set_slack(std::function<bool()> slice);
  /// The caller does the rest of that work (all of it after runs alone, whose time includes it).
  void finish_slack();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cavs::inline v0_1
