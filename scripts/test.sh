#!/usr/bin/env bash
# Builds and tests: the core tests under AddressSanitizer, those with threads under ThreadSanitizer (the portable
# library), then the complete suite of the ci preset, so that its summary closes the log.
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
  # Left out: commands whose work the library's own tests do; what runs one thread alone, for long.
  for run in "asan core_tests ^core cli/(bench|language_model|translation|typed_models)_test" \
    "tsan threads_tests threads$ FiniteDifferences|SwitchedOff"; do
    read -r preset target labels left_out <<<"$run"
    build "$preset" "$target"
    echo "== $preset: test"
    ctest --preset "$preset" --progress --parallel "$(nproc)" --label-regex "$labels" \
      --exclude-regex "$left_out"
  done
fi
build ci all
echo "== ci: test"
ctest --preset ci --parallel "$(nproc)"
