#pragma once

#include <chrono>
#include <memory>

#include "cavs/distributed.h"

/// A target of its own, cavs::mpi, which links MPI; it is there in builds with CAVS_MPI.

namespace cavs {
inline namespace v0_1 {

/// The processes of MPI_COMM_WORLD. Begins MPI, and ends it with the last transport, unless the caller has begun it.
/// A peer that is silent is noticed after `timeout`; what happens when one dies is up to MPI's launcher.
/// @throws UserError if MPI does not let several threads call it in turn
std::shared_ptr<Transport> mpi_transport(std::chrono::milliseconds timeout);

}  // namespace v0_1
}  // namespace cavs
