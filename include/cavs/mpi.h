#pragma once

#include <chrono>
#include <memory>

#include "cavs/distributed.h"

/// Part of the separate target cavs::mpi, which links MPI. Builds with CAVS_MPI=ON have this target.

namespace cavs {
inline namespace v0_1 {

/// A transport between the processes of MPI_COMM_WORLD. Initialises MPI, and finalises it with the last transport,
/// unless the caller has initialised it. A silent peer is detected after `timeout`; MPI's launcher handles dead peers.
/// @throws UserError if MPI lacks the thread level MPI_THREAD_SERIALIZED.
std::shared_ptr<Transport> mpi_transport(std::chrono::milliseconds timeout);

}  // namespace v0_1
}  // namespace cavs
