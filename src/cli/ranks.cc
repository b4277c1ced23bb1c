#include "cli/ranks.h"

#include <sched.h>
#include <spdlog/spdlog.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace cavs::cli {
namespace {

constexpr Launcher kLaunchers[] = {{"OMPI_COMM_WORLD_SIZE", "mpirun", "mpirun"},
                                   {"SLURM_STEP_NUM_TASKS", "srun", "srun"},
                                   {"PMI_SIZE", "mpirun", "mpirun"},
                                   {"WORLD_SIZE", "torchrun", "mpirun"}};

}  // namespace

std::optional<Report> report_of(const std::shared_ptr<Job>& job, const std::function<void()>& f) {
  const auto known = [&job] { return job != nullptr && !job->failure().empty(); };
  try {
    f();
    return std::nullopt;
  } catch (const LostRank& lost) {
    return Report{Report::Kind::kLoss, lost.what()};
  } catch (const std::bad_alloc&) {
    return Report{Report::Kind::kCause, known() ? job->failure() : "out of memory"};
  } catch (const std::exception& error) {
    return Report{Report::Kind::kCause, known() ? job->failure() : error.what()};
  }
}

std::string host_name() {
  ::utsname names;
  return ::uname(&names) == 0 ? names.nodename : "unknown";
}

void disable_logging(const Job& job) {
  if (job.rank() != 0) spdlog::default_logger()->set_level(spdlog::level::off);
}

const Launcher* find_launcher(int& processes) {
  for (const Launcher& launcher : kLaunchers) {
    const char* const text = std::getenv(launcher.variable);
    processes = text == nullptr ? 0 : std::atoi(text);
    if (processes > 1) return &launcher;
  }
  return nullptr;
}

int available_processors() {
  cpu_set_t all;
  return ::sched_getaffinity(0, sizeof all, &all) == 0 ? std::max(1, CPU_COUNT(&all)) : 1;
}

}  // namespace cavs::cli
