#!/usr/bin/env bash
# What a machine with a GPU can say of the persistent kernel, in one command of at most ten minutes that needs no
# network and no compiler: numbers of all models, a memory checker, times of barriers, levels, steps and epochs beside
# their predictions.
#
# Usage:
#   scripts/gpu-check.sh prepare [FOLDER [COMPUTE:PROCESSORS...]]
#       here, with NVRTC: programs, kernels and expected bits into FOLDER (build/gpu-check), for the GPUs that are named
#       (90:132 80:108, H100 and A100). Carry FOLDER to the other machine, 64 MiB at most.
#   FOLDER/gpu-check.sh run [SECONDS]
#       there: results in FOLDER/results, a table on the standard output and in results/gpu.md. SECONDS (600) are for
#       all of it: what does not fit is skipped, and said to be.
#   scripts/gpu-check.sh rehearse [FOLDER]
#       here, without a GPU: the same with a stand-in for the driver, that runs kernels on fibers.
#
# The exit code is 0 where nothing was wrong, skipped steps included.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

# Shared libraries of a program that another machine may not have.
carry_libraries() {
  ldd "$1" | awk '$3 ~ /^\// {print $3}' | grep --extended-regexp --invert-match '/lib(c|m|dl|pthread|rt)\.so' || true
}

prepare() {
  local folder=${1:-build/gpu-check} build=build/ci/bin
  shift || true
  cmake --preset ci >/dev/null
  cmake --build --preset ci --target cuda_check cavs_cli
  mkdir --parents "$folder/bin" "$folder/lib"
  cp --update "$build/cuda_check" "$build/cavs" "$folder/bin/"
  strip --strip-unneeded "$folder/bin/cuda_check" "$folder/bin/cavs"
  for program in cuda_check cavs; do
    carry_libraries "$build/$program" | while read -r library; do cp --update "$library" "$folder/lib/"; done
  done
  cp "$here/gpu-check.sh" "$here/../tests/cuda/gpu/compare_torch.py" "$here/../tests/cuda/gpu/report.py" "$folder/"
  "$build/cuda_check" prepare "$folder" "${@:-90:132}"
  du --summarize --human-readable "$folder"
}

status() { # STEP STATUS REASON
  printf '{"step": "%s", "status": "%s", "why": "%s"}\n' "$1" "$2" "${3//\"/\'}" >>"$results/steps.jsonl"
  echo "== $1: $2${3:+: $3}"
}

# Runs a step as long as there is time; its standard output goes to results/STEP.json.
step() { # STEP COMMAND...
  local name=$1 left=$((end - SECONDS)) code=0
  shift
  if ((left < 5)); then
    status "$name" SKIPPED "no time is left"
    return
  fi
  timeout "$left" "$@" >"$results/$name.json" 2>"$results/$name.log" || code=$?
  case $code in
    0) status "$name" OK "" ;;
    77) status "$name" SKIPPED "$(tail --lines 1 "$results/$name.log")" ;;
    124) status "$name" SKIPPED "it did not end in the time that was left" ;;
    *)
      status "$name" WRONG "$(tail --lines 1 "$results/$name.log")"
      wrong=1
      ;;
  esac
}

# compute-sanitizer, if there is one.
memory_checkers() {
  local sanitizer
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null || true)
  for tool in memcheck racecheck initcheck synccheck; do
    if [[ -z $sanitizer ]]; then
      status "$tool" SKIPPED "no compute-sanitizer in the PATH or /usr/local/cuda/bin"
    else
      step "$tool" "$sanitizer" --tool "$tool" --error-exitcode 1 "$here/bin/cuda_check" numbers "$here" tree-lstm
    fi
  done
}

peers() {
  if python3 -c 'import sys, torch; sys.exit(0 if torch.cuda.is_available() else 1)' 2>/dev/null; then
    step torch python3 "$here/compare_torch.py"
  else
    status torch SKIPPED "python3 has no PyTorch that finds a GPU (cuDNN is compared through it)"
  fi
}

# A user's command, where the program has a device.
train() {
  local cavs="$here/bin/cavs"
  if ! "$cavs" train --help 2>/dev/null | grep --quiet -- --device; then
    status train SKIPPED "cavs train has no --device"
    return
  fi
  step train env CAVS_CUDA_CACHE="$here/kernels" "$cavs" train tree-lstm --device cuda --engine persistent \
    --hidden "${hidden:-128}" --embedding "${hidden:-128}" --data "random-trees:train=${samples:-256},test=8" --epochs 1
}

run() {
  local wrong=0 end=$((SECONDS + ${1:-600}))
  results=$here/results
  rm --recursive --force "$results"
  mkdir --parents "$results"
  export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  step device "$here/bin/cuda_check" device "$here"
  step numbers "$here/bin/cuda_check" numbers "$here" "${model:-}"
  step times "$here/bin/cuda_check" times "$here" "${samples:-128}"
  memory_checkers
  train
  peers
  if command -v python3 >/dev/null; then
    python3 "$here/report.py" "$results" | tee "$results/gpu.md"
  else
    echo "no python3, so no table: carry $results back, and run report.py on it"
  fi
  return "$wrong"
}

rehearse() {
  local folder=${1:-build/gpu-check-rehearsal}
  cmake --build --preset ci --target cavs_cuda_standin
  local standin
  standin=$PWD/$(find build/ci -name libcavs_cuda_standin.so | head --lines 1)
  export CAVS_CUDA_DRIVER=$standin CAVS_NVRTC=$standin CAVS_STANDIN="processors=3 threads=64 compute=90"
  prepare "$folder" 90:3
  model=tree-lstm samples=2 hidden=16 "$folder/gpu-check.sh" run "${2:-600}"
}

case ${1:-} in
  prepare | run | rehearse) "$@" ;;
  *)
    sed --quiet '2,/^set/s/^# \?//p' "$0"
    exit 2
    ;;
esac
