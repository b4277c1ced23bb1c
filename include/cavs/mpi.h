#pragma once

#include <chrono>
#include <memory>

#include "cavs/distributed.h"

/// Part of the separate target cavs::mpi, which links MPI. Builds with CAVS_MPI=ON have this target.

namespace cavs {
inline namespace v0_1 {

/// Returns a transport between the processes of MPI_COMM_WORLD. Unless the caller has initialised MPI, initialises it,
/// and finalises it with the last transport. A silent rank is detected after `timeout`; MPI's launcher handles ranks
/// that end.
/// @throws UserError if MPI lacks the thread level MPI_THREAD_SERIALIZED.
std::shared_ptr<Transport> mpi_transport(std::chrono::milliseconds timeout);

}  // namespace v0_1
}  // namespace cavs
