#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace cavs::inline v0_1 {

/// A team of worker threads that lives as long as its session (DESIGN: one parallel region a step, flag barriers).
///
/// run(f) calls f(worker) on every worker, the caller being worker 0, and returns when all are done. Inside f all
/// workers must call barrier() the same number of times; what a worker wrote before a barrier, all read after it. An
/// exception of f ends the run: the others leave f at their next barrier (by an exception that f must let pass), and
/// run() rethrows the first once all are done. size 1 has no thread and no barrier cost. A worker that waits spins for
/// kSpinTime (not at all where the process has fewer processors than workers), then sleeps; it never yields. Workers
/// pin no thread and stay inside the process's affinity mask. In a fork of the process, which has none of the threads,
/// run() throws UserError; a team of size 1 works there.
///
/// A team that may be left alone finds out whether its caller is faster without it (Pace).
/// The environment's CAVS_TEAM=together switches that off, for tests.
class Team {
 public:
  /// What runs may do without the team: nothing, or whatever they divide by the size() that they find inside.
  enum class Alone : std::uint8_t { kNever, kAllowed };
  /// @param size  workers, the caller among them; less than 1 counts as 1.
  explicit Team(int size, Alone alone = Alone::kNever);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Inside of run(), how many take part: 1 in a run that the caller does alone.
  int size() const;
  /// Whether the process has fewer processors than workers.
  bool is_crowded() const;
  /// @param alone  by the caller alone; nothing: as the last run that was compared
  void run(const std::function<void(int worker)>& f, std::optional<bool> alone = {});
  /// Whether the caller should do one of the coming runs alone, as is faster or has to be tried.
  bool choose_alone();
  /// A run that was chosen so, whose time tells who is faster. @param work  in any unit, such as vertices
  void run_and_compare(const std::function<void(int worker)>& f, bool alone, double work);
  void barrier(int worker) { barrier(worker, nullptr); }
  /// A worker with a `meanwhile` calls it again and again until worker 0, which has none, comes to this barrier, and
  /// comes to it only then: what all read after the barrier may be done there. It does a little and says whether it
  /// did.
  void barrier(int worker, const std::function<bool()>& meanwhile);

  /// Work for the slack of the last worker: called again and again while it waits in barrier(), until it returns
  /// false or throws (run() then rethrows); after that it is dropped. Each call must be short. Call between runs only;
  /// an empty function takes the work back. With size 1 it is never called: the owner does the work itself.
  void set_slack(std::function<bool()> slice);
  /// The caller does what is left of that work. Whoever does runs alone has it all to do, which counts against that.
  void finish_slack();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cavs::inline v0_1
