#!/usr/bin/env bash
# Builds the fuzz targets of tests/fuzz with AddressSanitizer and UndefinedBehaviorSanitizer, runs each for SECONDS, one
# per processor, and prints a table. Inputs that crash a target are kept in build/fuzz/found/TARGET, together with
# inputs that reached new code, from which the next run starts.
# Usage: scripts/fuzz.sh [SECONDS] [TARGET...]   (default: 60 seconds, all targets)
#   JOBS=1        runs one target at a time
#   CXX=clang++   compiles with another clang than 14
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=60
if [[ ${1:-} =~ ^[0-9]+$ ]]; then
  seconds=$1
  shift
fi
targets=("$@")
if [[ $# -eq 0 ]]; then
  for source in tests/fuzz/fuzz_*.cc; do
    name=${source##*/fuzz_}
    targets+=("${name%.cc}")
  done
fi
programs=()
for target in "${targets[@]}"; do
  if [[ ! -f tests/fuzz/fuzz_$target.cc ]]; then
    echo "unknown target '$target'; expected one of tests/fuzz/fuzz_TARGET.cc" >&2
    exit 2
  fi
  programs+=("fuzz_$target")
done

scripts/setup.sh sanitizers
cmake --preset fuzz -DCMAKE_CXX_COMPILER="${CXX:-clang++-14}" >/dev/null
cmake --build build/fuzz --target "${programs[@]}"

# A file of 1 KB must not make a reader take 1 GB.
run_target() {
  local target=$1 found=build/fuzz/found/$1
  mkdir -p "$found/inputs" "$found/crashes"
  "build/fuzz/bin/fuzz_$target" -max_total_time="$2" -max_len=8192 -timeout=10 -rss_limit_mb=1024 \
    -malloc_limit_mb=512 -print_final_stats=1 -close_fd_mask=1 -entropic=0 -artifact_prefix="$found/crashes/" \
    "$found/inputs" "tests/fuzz/corpus/$target" >"$found/log" 2>&1 || true
  local crashes
  crashes=$(find "$found/crashes" -type f -newer "$found/started" | wc -l)
  awk -v target="$target" -v crashes="$crashes" '
    $1 == "stat::number_of_executed_units:" { inputs = $2 }
    $1 == "stat::average_exec_per_sec:" { speed = $2 }
    $1 == "stat::peak_rss_mb:" { memory = $2 }
    END { printf "%-12s %10d %10d %8d %11s\n", target, inputs, speed, crashes, memory " MiB" }' "$found/log"
  find "$found/crashes" -type f -newer "$found/started" -printf '             %p\n'
  if [[ $crashes -ne 0 ]] || ! grep --quiet '^stat::peak_rss_mb' "$found/log"; then
    touch build/fuzz/found/failed
  fi
}

rm -f build/fuzz/found/failed
printf '%-12s %10s %10s %8s %11s\n' target inputs inputs/s crashes "peak memory"
for target in "${targets[@]}"; do
  mkdir -p "build/fuzz/found/$target"
  touch "build/fuzz/found/$target/started"
  while [[ $(jobs -rp | wc -l) -ge ${JOBS:-$(nproc)} ]]; do
    wait -n || true
  done
  run_target "$target" "$seconds" &
done
wait
[[ ! -e build/fuzz/found/failed ]]
