#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cavs/distributed.h"
#include "cli/training.h"

namespace cavs::cli {

/// The work of one process. The argument is the job (the ranks that train one model), or null to train alone.
using Work = std::function<void(const std::shared_ptr<Job>&)>;

/// The reason why a rank has failed. The loss of another rank is printed only if no rank has another reason.
struct Report {
  enum class Kind : char { kCause = 'C', kLoss = 'L' } kind;
  std::string text;
};

/// Calls f, which may create the job. Returns the reason why f failed, or nullopt if it did not.
std::optional<Report> report_of(const std::shared_ptr<Job>& job, const std::function<void()>& f);

/// Turns off logging in ranks other than 0.
void disable_logging(const Job& job);

std::string host_name();

/// Returns the number of processors that this process may use.
int available_processors();

/// A program that starts processes: the environment variable with their number, and the command to start ranks.
struct Launcher {
  const char *variable, *name, *command;
};
/// Returns the launcher that has started this process and others, and sets `processes` to their number; null if none
/// has.
const Launcher* find_launcher(int& processes);

/// Does the work as one of the processes that mpirun or srun has started. Only in builds with MPI.
void be_rank_of_mpi(TrainArguments& arguments, const Work& work);

}  // namespace cavs::cli
