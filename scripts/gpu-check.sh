#!/usr/bin/env bash
# Checks both GPU engines on a machine with a GPU, in one command that takes at most ten minutes and needs no network
# and no compiler: numbers of all models, a memory checker, times of barriers, levels, steps and epochs, a training.
#
# Usage:
#   scripts/gpu-check.sh prepare [FOLDER [COMPUTE:PROCESSORS...]]
#       Runs on this machine, with NVRTC: writes programs, kernels and expected bits to FOLDER (build/gpu-check), for the
#       named GPUs (90:132 80:108, which are H100 and A100). Copy FOLDER to the other machine. Fails if FOLDER is larger
#       than 64 MiB.
#   FOLDER/gpu-check.sh run [SECONDS]
#       Runs on the machine with the GPU: writes results to FOLDER/results, and a table to standard output and
#       results/gpu.md. SECONDS (600) is the limit for all steps together. Each step also has its own limit. A step that
#       may not end in time is SKIPPED; a step that exceeds its limit, such as by a launch that hangs, is WRONG.
#   scripts/gpu-check.sh rehearse [FOLDER]
#       Runs here, without a GPU: the same at small sizes, with a stand-in driver that runs kernels on fibers.
#
# A step is OK, WRONG, or SKIPPED. It is SKIPPED if there is no GPU, no kernels for the GPU, no tool that the step needs,
# or too little time. The exit code is 0 if no step is WRONG, and for rehearse also only if no step is SKIPPED except
# those that need tools of a GPU.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
most_bytes=$((64 << 20))

# Shared libraries of a program that the other machine may not have.
carry_libraries() {
  ldd "$1" | awk '$3 ~ /^\// {print $3}' | grep --extended-regexp --invert-match '/lib(c|m|dl|pthread|rt)\.so' || true
}

# Arguments of a user's commands. Both machines use this function, since the same arguments make the same kernels.
train_arguments() { # FOLDER
  local hidden=128 samples=256
  if [[ -e $1/small ]]; then hidden=16 samples=4; fi
  echo "tree-lstm --hidden $hidden --embedding $hidden --data random-trees:train=$samples,test=4 --epochs 1 --json"
}

# Compiles the kernels of these commands for a stand-in GPU that accepts all kernels and runs none.
prepare_commands() { # FOLDER COMPUTE:PROCESSORS
  local arguments
  read -ra arguments <<<"$(train_arguments "$1")"
  local stand_in=(env "CAVS_CUDA_DRIVER=$PWD/build/release/tests/cuda/libcavs_cuda_standin.so"
    "CAVS_CUDA_CACHE=$1/kernels" "CAVS_STANDIN=compute=${2%:*} processors=${2#*:} threads=${threads:-1024} kernels=0")
  for engine in batched persistent; do
    "${stand_in[@]}" build/release/bin/cavs train "${arguments[@]}" --device cuda --engine "$engine" >/dev/null
  done
  "${stand_in[@]}" build/release/bin/cavs bench "${arguments[@]}" --device cuda >/dev/null
  "${stand_in[@]}" build/release/bin/cuda_check prepare-batched "$1"
}

prepare() {
  local folder=${1:-build/gpu-check} build=build/release/bin bytes
  shift || true
  local gpus=("$@")
  if ((${#gpus[@]} == 0)); then gpus=(90:132 80:108); fi
  cmake --preset test >/dev/null
  cmake --build --preset test --target cuda_check cavs_cli cavs_cuda_standin
  rm --recursive --force "$folder"
  mkdir --parents "$folder/bin" "$folder/lib"
  if [[ -n ${small:-} ]]; then touch "$folder/small"; fi
  cp "$build/cuda_check" "$build/cavs" "$folder/bin/"
  strip --strip-unneeded "$folder/bin/cuda_check" "$folder/bin/cavs"
  for program in cuda_check cavs; do
    carry_libraries "$build/$program" | while read -r library; do cp --update "$library" "$folder/lib/"; done
  done
  cp "$here/gpu-check.sh" "$here/../tests/cuda/gpu/compare_torch.py" "$here/../tests/cuda/gpu/report.py" "$folder/"
  "$build/cuda_check" prepare "$folder" ${small:+small} "${gpus[@]}"
  for gpu in "${gpus[@]}"; do prepare_commands "$folder" "$gpu"; done
  bytes=$(du --summarize --bytes "$folder" | cut --fields 1)
  echo "$folder: $((bytes >> 20)) MiB"
  if ((bytes > most_bytes)); then
    echo "the limit is $((most_bytes >> 20)) MiB; prepare for fewer GPUs" >&2
    return 1
  fi
}

status() { # STEP STATUS REASON
  printf '{"step": "%s", "status": "%s", "why": "%s"}\n' "$1" "$2" "$(tr '\\"' "/'" <<<"$3" | tr --delete '[:cntrl:]')" \
    >>"$results/steps.jsonl"
  echo "== $1: $2${3:+: $3}"
  outcome[$1]=$2
  if [[ $2 == WRONG ]]; then wrong=1; fi
}

# Runs a step with a limit in seconds (tests set others). Its standard output goes to results/STEP.json.
step() { # STEP SECONDS COMMAND...
  local name=$1 limit=${GPU_CHECK_STEP_SECONDS:-$2} left=$((end - SECONDS)) code=0
  shift 2
  if ((left < limit)); then
    status "$name" SKIPPED "$left s are left, and it may take $limit"
    return
  fi
  timeout --kill-after 5 "$limit" "$@" >"$results/$name.json" 2>"$results/$name.log" || code=$?
  case $code in
    0) status "$name" OK "" ;;
    77) status "$name" SKIPPED "$(tail --lines 1 "$results/$name.log")" ;;
    124 | 137) status "$name" WRONG "it did not end in $limit s: a launch that waits for ever?" ;;
    *) status "$name" WRONG "$(tail --lines 1 "$results/$name.log")" ;;
  esac
}

# Prints the path of compute-sanitizer, if it is installed.
memory_checkers() {
  local sanitizer
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null || true)
  for tool in memcheck racecheck initcheck synccheck; do
    if [[ -z $sanitizer ]]; then
      status "$tool" SKIPPED "no compute-sanitizer in the PATH or /usr/local/cuda/bin"
    else
      step "$tool" 60 "$sanitizer" --tool "$tool" --error-exitcode 1 "$here/bin/cuda_check" numbers "$here" tree-lstm
    fi
  done
}

peers() {
  if python3 -c 'import sys, torch; sys.exit(0 if torch.cuda.is_available() else 1)' 2>/dev/null; then
    step torch 60 python3 "$here/compare_torch.py"
  else
    status torch SKIPPED "python3 has no PyTorch that finds a GPU (cuDNN is compared through it)"
  fi
}

# A user's training and benchmark, on the GPU and on the CPU.
commands() {
  local arguments
  read -ra arguments <<<"$(train_arguments "$here")"
  step train 60 "$here/bin/cavs" train "${arguments[@]}" --device cuda
  step train-persistent 60 "$here/bin/cavs" train "${arguments[@]}" --device cuda --engine persistent
  step train-cpu 30 "$here/bin/cavs" train "${arguments[@]}" --device cpu
  step same-loss 10 "$here/bin/cuda_check" same-loss "$results/train.json" "$results/train-cpu.json"
  step bench 60 "$here/bin/cavs" bench "${arguments[@]}" --device cuda
}

run() {
  local wrong=0 end=$((SECONDS + ${1:-600}))
  declare -A outcome
  results=$here/results
  rm --recursive --force "$results"
  mkdir --parents "$results"
  export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" CAVS_CUDA_CACHE=$here/kernels
  step device 20 "$here/bin/cuda_check" device "$here"
  if [[ ${outcome[device]} == OK ]]; then
    step batched 60 "$here/bin/cuda_check" batched "$here"
    step batched-times 60 "$here/bin/cuda_check" batched-times "$here"
    step numbers 120 "$here/bin/cuda_check" numbers "$here"
    step processors 20 "$here/bin/cuda_check" processors "$here"
    if [[ ${outcome[processors]} == OK ]]; then
      step times 180 "$here/bin/cuda_check" times "$here"
      step profile 60 "$here/bin/cuda_check" profile "$here"
      commands
    fi
    memory_checkers
    peers
  fi
  if command -v python3 >/dev/null; then
    python3 "$here/report.py" "$results" | tee "$results/gpu.md"
  else
    echo "python3 is not installed, so there is no table: copy $results back and run report.py on it"
  fi
  return "$wrong"
}

rehearse() {
  local folder=${1:-build/gpu-check-rehearsal} missing=0
  local standin=$PWD/build/release/tests/cuda/libcavs_cuda_standin.so
  small=1 threads=64 CAVS_NVRTC=$standin prepare "$folder" 90:3
  # Without NVRTC, so that a kernel that was not prepared makes the step fail.
  CAVS_CUDA_DRIVER=$standin CAVS_NVRTC=/nowhere CAVS_STANDIN="processors=3 threads=64 compute=90" \
    "$folder/gpu-check.sh" run "${2:-600}"
  for name in device batched batched-times numbers processors times profile train train-persistent train-cpu same-loss \
    bench; do
    if ! grep --quiet "\"step\": \"$name\", \"status\": \"OK\"" "$folder/results/steps.jsonl"; then
      echo "the rehearsal needs step $name to be OK" >&2
      missing=1
    fi
  done
  return "$missing"
}

case ${1:-} in
  prepare | run | rehearse) "$@" ;;
  *)
    sed --quiet '2,/^set/s/^# \?//p' "$0"
    exit 2
    ;;
esac
