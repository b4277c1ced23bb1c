// Compares the exchange of a step's gradients by MPI ranks with MPI_Allreduce of as many bytes. Works with a real MPI
// and with SimGrid's SMPI, which predicts times on described machines: see scaling.sh.
//
// Usage: mpirun -n N mpi_exchange BYTES ROUNDS RANKS_PER_HOST
// With RANKS_PER_HOST 1, all ranks exchange with all others in one stage.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cavs/mpi.h"

namespace {

using Bytes = std::vector<std::byte>;

/// Each of these ranks sends `bytes` bytes to each other rank.
void exchange(cavs::Transport& transport, const std::vector<int>& ranks, std::size_t bytes, Bytes& out, Bytes& in) {
  std::vector<cavs::Message> sends, receives;
  const std::span<std::byte> from(out), to(in);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] == transport.rank()) continue;
    sends.push_back({ranks[i], from.subspan(i * bytes, bytes)});
    receives.push_back({ranks[i], to.subspan(i * bytes, bytes)});
  }
  if (!sends.empty()) transport.exchange(sends, receives);
}

template <typename Call>
double fastest_ms(int rounds, Call call) {
  double best = 1e9;
  for (int i = 0; i < rounds; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    call();
    MPI_Barrier(MPI_COMM_WORLD);
    best = std::min(best, 1e3 * (MPI_Wtime() - begin));
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::puts("usage: mpi_exchange BYTES ROUNDS RANKS_PER_HOST");
    return 2;
  }
  const auto bytes = static_cast<std::size_t>(std::atol(argv[1]));
  const int rounds = std::atoi(argv[2]), per_host = std::atoi(argv[3]);
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  {
    const auto transport = cavs::mpi_transport(std::chrono::seconds(600));
    const int rank = transport->rank(), ranks = transport->ranks();
    std::vector<int> of_host, across;
    for (int r = 0; r < ranks; ++r) {
      if (r / per_host == rank / per_host) of_host.push_back(r);
      if (r % per_host == rank % per_host) across.push_back(r);
    }
    Bytes out(bytes), in(bytes);
    const double ours = fastest_ms(rounds, [&] {
      exchange(*transport, of_host, bytes / per_host, out, in);
      for (int phase = 0; phase < 2; ++phase) exchange(*transport, across, bytes / ranks, out, in);
      exchange(*transport, of_host, bytes / per_host, out, in);
    });
    const double theirs = fastest_ms(rounds, [&] {
      MPI_Allreduce(out.data(), in.data(), static_cast<int>(bytes / 4), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    });
    if (rank == 0)
      std::printf("%d ranks, %d per host, %.1f MB: exchange %.2f ms, MPI_Allreduce %.2f ms, ratio %.2f\n", ranks,
                  per_host, 1e-6 * static_cast<double>(bytes), ours, theirs, ours / theirs);
  }
  MPI_Finalize();
}
