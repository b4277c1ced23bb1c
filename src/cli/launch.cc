#include "cli/launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "cli/ranks.h"
#include "cli/usage_error.h"
#include "support/check.h"

namespace cavs::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kGrace{2};  // time after which the other ranks are killed when one has failed
constexpr std::array kPassedOn{SIGINT, SIGTERM, SIGHUP, SIGUSR1};

/// A rank (process of the training) that --launch has started.
struct Child {
  pid_t process = 0;
  int reports = -1;  // descriptor of the pipe to which the rank writes its Report
  bool ended = false;
  int status = 0;
  std::optional<Report> report;
};

class Launch {
 public:
  explicit Launch(int ranks) : children_(ranks) {}

  /// Forks the ranks. A new rank does the work and returns false; this process waits for all ranks and returns true.
  /// @throws UserError if a rank has failed
  bool run(TrainArguments& arguments, const Work& work) {
    make_sockets();
    ::sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : kPassedOn) sigaddset(&signals, signal);
    sigaddset(&signals, SIGCHLD);
    ::sigset_t before;
    sigprocmask(SIG_BLOCK, &signals, &before);
    const pid_t parent = ::getpid();
    for (int r = 0; r < ranks(); ++r) {
      std::array<int, 2> pipe{-1, -1};
      user_check(::pipe2(pipe.data(), O_CLOEXEC) == 0, "--launch {}: cannot create a pipe: {}", ranks(),
                 std::strerror(errno));
      children_[r].reports = pipe[0];
      children_[r].process = ::fork();
      user_check(children_[r].process >= 0, "--launch {}: cannot start rank {}: {}", ranks(), r, std::strerror(errno));
      if (children_[r].process == 0) {
        sigprocmask(SIG_SETMASK, &before, nullptr);
        be_rank(r, parent, pipe[1], arguments, work);
        return false;
      }
      ::close(pipe[1]);
    }
    for (const std::vector<int>& of_rank : sockets_)
      for (const int socket : of_rank)
        if (socket >= 0) ::close(socket);
    wait(signals);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    expect_success();
    return true;
  }

 private:
  int ranks() const { return static_cast<int>(children_.size()); }

  void make_sockets() {
    sockets_.assign(ranks(), std::vector<int>(ranks(), -1));
    for (int a = 0; a < ranks(); ++a)
      for (int b = 0; b < a; ++b) {
        std::array<int, 2> pair{-1, -1};
        user_check(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) == 0,
                   "--launch {}: cannot create a socket for ranks {} and {}: {}", ranks(), b, a, std::strerror(errno));
        sockets_[a][b] = pair[0];
        sockets_[b][a] = pair[1];
      }
  }

  /// Runs in a new rank. The rank ends when its parent ends, and runs on its own part of the processors. It has a
  /// process group of its own, so that it gets a signal of the terminal from its parent only.
  void be_rank(int rank, pid_t parent, int reports, TrainArguments& arguments, const Work& work) const {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) std::_Exit(EXIT_FAILURE);
    ::setpgid(0, 0);
    for (int r = 0; r < ranks(); ++r)
      for (const int socket : sockets_[r])
        if (r != rank && socket >= 0) ::close(socket);
    for (const Child& child : children_)
      if (child.reports >= 0) ::close(child.reports);
    bind_processors(rank);
    if (!arguments.threads_given) arguments.threads = available_processors();
    std::shared_ptr<Job> job;
    const auto report = report_of(job, [&] {
      job = std::make_shared<Job>(socket_transport(rank, sockets_[rank], std::chrono::seconds(arguments.timeout)));
      disable_logging(*job);
      job->guard([&] { work(job); });
    });
    if (!report) return;
    const std::string text = static_cast<char>(report->kind) + report->text.substr(0, kLongest);
    [[maybe_unused]] const ssize_t written = ::write(reports, text.data(), text.size());
    std::fflush(stdout);
    std::_Exit(EXIT_FAILURE);
  }

  /// Binds the rank to a contiguous part of the processors, if there is a processor for each rank.
  void bind_processors(int rank) const {
    cpu_set_t all, mine;
    if (::sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < ranks()) return;
    CPU_ZERO(&mine);
    const int count = CPU_COUNT(&all);
    for (int cpu = 0, number = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (!CPU_ISSET(cpu, &all)) continue;
      if (number >= count * rank / ranks() && number < count * (rank + 1) / ranks()) CPU_SET(cpu, &mine);
      ++number;
    }
    ::sched_setaffinity(0, sizeof mine, &mine);
  }

  /// Waits until all ranks have ended. After one has failed, the others are killed unless they end soon.
  void wait(const ::sigset_t& signals) {
    std::optional<Clock::time_point> end;
    while (std::ranges::any_of(children_, [](const Child& c) { return !c.ended; })) {
      const ::timespec pause{0, 100'000'000};
      const int signal = ::sigtimedwait(&signals, nullptr, &pause);
      for (Child& child : children_) {
        if (child.ended) continue;
        if (std::ranges::find(kPassedOn, signal) != kPassedOn.end()) ::kill(child.process, signal);
        if (::waitpid(child.process, &child.status, WNOHANG) != child.process) continue;
        child.ended = true;
        read_report(child);
        if (child.status != 0 && !end) end = Clock::now() + kGrace;
      }
      if (end && Clock::now() > *end)
        for (Child& child : children_)
          if (!child.ended) {
            ::kill(child.process, SIGKILL);
            child.report = Report{Report::Kind::kLoss, ""};
          }
    }
  }

  static void read_report(Child& child) {
    std::string text(kLongest + 1, '\0');
    const ssize_t size = ::read(child.reports, text.data(), text.size());
    ::close(child.reports);
    if (size > 0 && !child.report)
      child.report = Report{static_cast<Report::Kind>(text[0]), text.substr(1, static_cast<std::size_t>(size) - 1)};
  }

  void expect_success() const {
    for (const Child& child : children_)
      if (child.report && child.report->kind == Report::Kind::kCause) throw UserError(child.report->text);
    for (int r = 0; r < ranks(); ++r) {
      const Child& child = children_[r];
      if (child.report || child.status == 0) continue;
      user_check(!WIFSIGNALED(child.status), "rank {} (host {}) was killed by signal {} ({}){}", r, host_name(),
                 WTERMSIG(child.status), strsignal(WTERMSIG(child.status)),
                 WTERMSIG(child.status) == SIGKILL ? "; the system does that when memory runs out" : "");
      user_error("rank {} (host {}) ended with exit code {}", r, host_name(), WEXITSTATUS(child.status));
    }
    for (const Child& child : children_)
      if (child.report && !child.report->text.empty()) throw UserError(child.report->text);
  }

  static constexpr std::size_t kLongest = 60'000;  // bytes of a report, so that a pipe holds it
  std::vector<Child> children_;
  std::vector<std::vector<int>> sockets_;  // [rank][other rank]: socket of the rank to the other rank
};

/// @throws UsageError if a launcher has started several processes, but no option says how they train together
void expect_alone() {
  int processes = 0;
  if (const Launcher* const launcher = find_launcher(processes))
    throw UsageError("train", fmt::format("{0} has started {1} processes ({2}), each of which would train alone; start "
                                          "them as '{3} -n {1} cavs train MODEL --distributed mpi --accumulate {1}', "
                                          "use --launch {1} without {0}, or give --distributed none to train alone",
                                          launcher->name, processes, launcher->variable, launcher->command));
}

}  // namespace

void in_all_ranks(TrainArguments& arguments, const Work& work) {
#ifdef CAVS_WITH_MPI
  if (arguments.distributed == "mpi") return be_rank_of_mpi(arguments, work);
#endif
  user_check(arguments.distributed != "mpi",
             "--distributed mpi: this cavs was built without MPI; build it with -DCAVS_MPI=ON (Debian: "
             "libopenmpi-dev), or use --launch {} on one machine",
             std::max(arguments.accumulate, 2));
  if (arguments.distributed.empty()) expect_alone();
  if (arguments.launch == 1) return work(nullptr);
  Launch(arguments.launch).run(arguments, work);
}

}  // namespace cavs::cli
