#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cavs/distributed.h"
#include "cli/training.h"

namespace cavs::cli {

/// The job of a rank; null: it is alone.
using Work = std::function<void(const std::shared_ptr<Job>&)>;

/// Why a rank has failed. A loss of another rank is an effect, which is told only where there is no cause.
struct Report {
  enum class Kind : char { kCause = 'C', kLoss = 'L' } kind;
  std::string text;
};

/// Calls f, which may make the job. @return why it has failed
std::optional<Report> report_of(const std::shared_ptr<Job>& job, const std::function<void()>& f);

/// A rank other than 0 logs nothing from now on.
void be_silent(const Job& job);

std::string host_name();

/// How many processors this process may use.
int available_processors();

/// A program that starts processes: how it tells them their number, and how it should start ranks.
struct Launcher {
  const char *variable, *name, *command;
};
/// The launcher that has started several processes; null: none.
const Launcher* find_launcher(int& processes);

/// Does the work as one of the processes that mpirun or srun has started (in builds with MPI).
void be_rank_of_mpi(TrainArguments& arguments, const Work& work);

}  // namespace cavs::cli
