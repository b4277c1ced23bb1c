#!/usr/bin/env bash
# Measures training on several ranks, and predicts the exchange of gradients on clusters. Prints the numbers of
# docs/measurements/processes.md: medians of five runs, in turn. Steps whose tools are not installed are SKIPPED. Nothing else
# should run on the machine.
#
# Usage: benchmarks/scaling.sh SST [BEFORE]
#   SST               folder with train.txt and dev.txt
#   BEFORE            an older cavs to compare with, on one rank
#   CAVS_COMMAND=FILE the command (default: build/release)
#   CAVS_ROUNDS=N     number of runs (default: 5)
set -euo pipefail
cd "$(dirname "$0")/.."

sst=${1:?usage: benchmarks/scaling.sh SST [BEFORE]}
before=${2:-}
command=${CAVS_COMMAND:-build/release/bin/cavs} rounds=${CAVS_ROUNDS:-5}
work=$(mktemp --directory)
trap 'rm --recursive --force "$work"' EXIT

# Prints the seconds of the second epoch of a run of `$1` with further options.
seconds() {
  local program=$1
  shift
  "$program" train tree-lstm --data "sst:$sst" --limit 2560 --epochs 2 --json --quiet "$@" |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["epochs"][1]["seconds"])'
}

# Runs each line of standard input, "NAME PROGRAM OPTIONS...", in turn, and prints the medians.
medians() {
  local lines line name program options
  mapfile -t lines
  for ((round = 0; round < rounds; ++round)); do
    for line in "${lines[@]}"; do
      read -r name program options <<<"$line"
      # shellcheck disable=SC2086  # options are words
      echo "$name $(seconds "$program" $options)" >>"$work/$1"
    done
  done
  for line in "${lines[@]}"; do
    name=${line%% *}
    echo "  $name: $(grep "^$name " "$work/$1" | cut --delimiter=' ' --fields=2 | sort --numeric-sort |
      sed --quiet "$((rounds / 2 + 1))p") s"
  done
}

for hidden in 256 64; do
  echo "tree-lstm, SST, hidden size $hidden, 2 minibatches of 64 per step, seconds per epoch of 2560 trees:"
  sizes="--hidden $hidden --embedding $hidden --batch-size 64 --accumulate 2"
  medians "$hidden" <<END
1-rank-1-thread $command $sizes --threads 1
1-rank-2-threads $command $sizes --threads 2
2-ranks-1-thread $command $sizes --threads 1 --launch 2
END
  if [[ -n $before ]]; then
    echo "one rank, 4 minibatches of 16 per step, before and after:"
    medians "before-$hidden" <<END
before $before --hidden $hidden --embedding $hidden --batch-size 16 --accumulate 4 --threads 1
after $command --hidden $hidden --embedding $hidden --batch-size 16 --accumulate 4 --threads 1
END
  fi
done

sources=(benchmarks/mpi_exchange.cc src/mpi/mpi_transport.cc src/distributed/job.cc src/support/available_memory.cc)
flags=(-O2 -std=c++20 -DNDEBUG -Iinclude -Isrc)

echo "exchange of gradients, compared with MPI_Allreduce, on this machine:"
if command -v mpicxx >/dev/null; then
  mpicxx "${flags[@]}" "${sources[@]}" -lfmt -o "$work/mpi_exchange"
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  for bytes in 2100000 20000000; do mpirun --oversubscribe -n 2 "$work/mpi_exchange" "$bytes" 60 1; done
else
  echo "  SKIPPED: mpicxx is not installed (Debian: libopenmpi-dev)"
fi

# Prints the description of a cluster of $1 nodes with links of $2 Gb/s.
platform() {
  cat <<END
<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full"><cluster id="c" prefix="n" suffix="" radical="0-$(($1 - 1))"
  speed="10Gf" core="8" bw="$(($2 * 125))MBps" lat="25us" loopback_bw="5GBps" loopback_lat="1us"/></zone></platform>
END
}

echo "predicted by SimGrid's SMPI:"
if command -v smpicxx >/dev/null; then
  # Processes in SMPI have one thread.
  sed 's/MPI_THREAD_SERIALIZED/MPI_THREAD_SINGLE/g' src/mpi/mpi_transport.cc >"$work/mpi_transport.cc"
  smpicxx "${flags[@]}" "${sources[@]/src\/mpi/$work}" -lfmt -o "$work/smpi_exchange"
  for cluster in "4 10 1" "16 10 1" "64 10 1" "16 100 1" "16 10 4"; do
    read -r nodes gigabits per_host <<<"$cluster"
    platform "$nodes" "$gigabits" >"$work/platform.xml"
    for ((n = 0; n < nodes; ++n)); do
      for ((r = 0; r < per_host; ++r)); do echo "n$n"; done
    done >"$work/hosts"
    for bytes in 2100000 21000000; do
      echo -n "  $gigabits Gb/s, "
      smpirun -np $((nodes * per_host)) -platform "$work/platform.xml" -hostfile "$work/hosts" \
        --cfg=smpi/coll-selector:ompi --cfg=smpi/test:1e-6 --cfg=smpi/simulate-computation:no --cfg=smpi/display-timing:0 --log=root.thres:error \
        "$work/smpi_exchange" "$bytes" 1 "$per_host" 2>&1 | tail --lines=1
    done
  done
else
  echo "  SKIPPED: smpicxx is not installed (Debian: libsimgrid-dev)"
fi
