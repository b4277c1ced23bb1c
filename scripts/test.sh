#!/usr/bin/env bash
# Builds and tests: the core tests under AddressSanitizer, those with threads under ThreadSanitizer (the portable
# library), those whose numbers depend on the instruction set on others than the processor's best, the Python package,
# then the complete suite of the ci preset, so that its summary closes the log.
# Usage: scripts/test.sh [quick]   (quick: the ci preset alone)
set -euo pipefail
cd "$(dirname "$0")/.."

build() {
  local preset=$1 target=$2 log
  echo "== $preset: build"
  log=$(cmake --preset "$preset") || {
    echo "$log"
    return 1
  }
  cmake --build --preset "$preset" --target "$target"
}

if [[ ${1:-} != quick ]]; then
  # Left out: commands whose work the library's own tests do; long tests of numbers, whose code others run with
  # guard pages; what runs one thread alone, for long; kernels of most models on fibers, which check their accesses
  # themselves; what reads manuals and machine code. ThreadSanitizer takes each fiber for a thread and looks for races
  # by itself: of a few models.
  for run in \
    "asan core_tests ^core . cli/(bench|language_model|translation|typed_models|every_model|device|manual)_test|no_contraction|x86_kernels|IsAccurateTo|ARowHasTheSameBits|OfModel.AnyPolicy|FibersOfModel.*/[^l]|FibersOfOptimizers|HaveTheSameBitsWhere|KernelSets.(Choose|Keep)|CudaEngines.(Update|Accumulate|Save|GoOn|StepsThat|Predict|Stop)|cuda/Missing|PtxOf|EveryPair" \
    "tsan threads_tests threads$ . FiniteDifferences|SwitchedOff|AllocationsOf|AVocabularyOf|EveryPair" \
    "tsan cuda_test ^core cuda/.*FibersOfModel.*/(tree_lstm..#|lstm_nmt|bilstm_crf)|cuda/CudaEngines.(Train|Send|Steps)|cuda/ThreadSanitizer Bf16"; do
    read -r preset target labels tests left_out <<<"$run"
    build "$preset" "$target"
    echo "== $preset: test"
    ctest --preset "$preset" --progress --parallel "$(nproc)" --label-regex "$labels" \
      --tests-regex "$tests" --exclude-regex "$left_out"
  done
fi
build ci all
if [[ ${1:-} != quick ]]; then
  # avx2x2: the code of AVX-512 on any processor with AVX2. Left out: what goes through all instruction sets by itself.
  for isa in portable avx2x2; do
    if [[ $isa == avx2x2 ]] && ! grep --quiet --word-regexp avx2 /proc/cpuinfo; then
      echo "== ci, CAVS_ISA=$isa: skipped: this processor has no AVX2"
      continue
    fi
    echo "== ci, CAVS_ISA=$isa: test"
    CAVS_ISA=$isa ctest --preset ci --progress --parallel "$(nproc)" --label-regex numeric \
      --exclude-regex "/Isa/|EqualBits|SwitchedOff"
  done
fi
scripts/python.sh test-preset
scripts/torch.sh test-preset
echo "== ci: test"
ctest --preset ci --parallel "$(nproc)"
