#!/usr/bin/env bash
# Tests the kernels of the GPU without one: on fibers, and the PTX that NVRTC makes of them in an interpreter, for all
# models; waits and meetings removed in turn; registers, stack and spills as ptxas says. Minutes. Where there is no
# NVRTC (the CUDA toolkit; or PyPI's nvidia-cuda-nvrtc, its lib folder in LD_LIBRARY_PATH), tests that need it say
# SKIPPED, and why.
#
# Usage: scripts/cuda.sh [GTEST-FILTER]   (e.g. '*tree_gru*')
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --preset ci >/dev/null
cmake --build --preset ci --target cuda_test cuda_sweep
for test in cuda_test cuda_sweep; do
  echo "== $test"
  build/ci/bin/"$test" --gtest_brief=1 --gtest_filter="${1:-*}"
done
