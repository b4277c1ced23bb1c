#include <sched.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "cavs/mpi.h"
#include "cli/ranks.h"
#include "support/check.h"

namespace cavs::cli {
namespace {

/// Returns the number of threads of this rank: the processors of its host, divided by the ranks on the host.
int threads_of_rank(Job& job) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  ::sched_getaffinity(0, sizeof mask, &mask);
  std::vector<std::byte> mine(sizeof mask);
  std::memcpy(mine.data(), &mask, sizeof mask);
  for (const char c : host_name()) mine.push_back(std::byte(c));
  const auto all = job.meet("the number of threads", mine);
  return std::max(1, available_processors() / static_cast<int>(std::ranges::count(all, mine)));
}

/// @throws UserError if this rank is alone, because no launcher or the launcher of another MPI has started it
void expect_others(const Transport& transport) {
  if (transport.ranks() > 1) return;
  int processes = 0;
  const Launcher* const launcher = find_launcher(processes);
  user_check(
      launcher == nullptr,
      "--distributed mpi: {} has started {} processes, but each of them runs alone, because it belongs to another MPI "
      "than the one that cavs was built with; use the mpirun of that MPI (with srun: --mpi=pmix or pmi2)",
      launcher == nullptr ? "" : launcher->name, processes);
  user_check(std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMI_SIZE") != nullptr,
             "--distributed mpi is for processes that mpirun or srun starts, but neither started this process; use "
             "mpirun -n 4 cavs train MODEL --distributed mpi --accumulate 4");
}

}  // namespace

void be_rank_of_mpi(TrainArguments& arguments, const Work& work) {
  std::shared_ptr<Job> job;
  std::shared_ptr<Transport> transport;
  const auto report = report_of(job, [&] {
    transport = mpi_transport(std::chrono::seconds(arguments.timeout));
    expect_others(*transport);
    job = std::make_shared<Job>(transport);
    disable_logging(*job);
    if (!arguments.threads_given) arguments.threads = threads_of_rank(*job);
    job->guard([&] { work(job); });
  });
  if (!report) return;
  const bool all_know = job != nullptr && !job->failure().empty();
  const bool is_alone = transport == nullptr || transport->ranks() == 1;
  if (!all_know && !is_alone) {  // ranks wait for different times, so that only the first to notice prints
    if (const int r = transport->rank(); r > 0) std::this_thread::sleep_for(std::chrono::seconds(1 + std::min(r, 9)));
    spdlog::default_logger()->set_level(spdlog::level::info);
  }
  spdlog::error("error: {}", report->text);  // printed before the launcher notices that a rank has ended
  std::fflush(stdout);
  if (!all_know && !is_alone) transport->abort();
  spdlog::default_logger()->set_level(spdlog::level::off);
  throw UserError(report->text);
}

}  // namespace cavs::cli
