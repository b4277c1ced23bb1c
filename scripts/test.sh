#!/usr/bin/env bash
# Builds and tests. The complete suite of the ci preset comes last, so that its summary closes the log.
# Usage: scripts/test.sh [full]   (full: first the core tests of the portable library and under the sanitizers)
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

if [[ ${1:-} == full ]]; then
  for preset in portable asan tsan; do
    build "$preset" core_tests
    echo "== $preset: test"
    ctest --preset "$preset" --progress --label-regex '^core$'
  done
fi
build ci all
echo "== ci: test"
ctest --preset ci
