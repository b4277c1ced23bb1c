#!/usr/bin/env bash
# Tests the kernels of the GPU without one: on fibers, and the PTX that NVRTC makes of them in an interpreter, for all
# models; waits and meetings removed in turn; registers, stack and spills as ptxas says. Minutes. Where there is no
# NVRTC (the CUDA toolkit; or PyPI's nvidia-cuda-nvrtc, its lib folder in LD_LIBRARY_PATH), tests that need it say
# SKIPPED, and why.
#
# Machine code is read with nvdisasm: the toolkit's, or PyPI's, which is put into build/cuda-tools where pip can reach it.
#
# Usage: scripts/cuda.sh [GTEST-FILTER]   (e.g. '*tree_gru*')
set -euo pipefail
cd "$(dirname "$0")/.."

tools=$PWD/build/cuda-tools
if ! command -v nvdisasm "${CUDA_HOME:-/usr/local/cuda}/bin/nvdisasm" >/dev/null; then
  [[ -d $tools ]] || python3 -m pip install --quiet --target "$tools" nvidia-cuda-nvdisasm ||
    echo "nvdisasm is not there and pip cannot reach PyPI: machine code is not read (SKIPPED)"
  if [[ -d $tools ]]; then PATH=$PATH:$(dirname "$(find "$tools" -name nvdisasm | head --lines 1)"); fi
fi

cmake --preset ci >/dev/null
cmake --build --preset ci --target cuda_test cuda_sweep
for test in cuda_test cuda_sweep; do
  echo "== $test"
  build/ci/bin/"$test" --gtest_brief=1 --gtest_filter="${1:-*}"
done
