#!/usr/bin/env bash
# Builds and tests every configuration that must hold. The complete suite comes last, so that its summary closes the
# log. Usage: scripts/test.sh [full]   (full: the sanitizers and the portable library run the complete suite, too)
set -euo pipefail
cd "$(dirname "$0")/.."

scope=${1:-core}
selection=(--label-regex '^core$') target=core_tests
if [[ $scope == full ]]; then
  selection=() target=all
fi

build() {
  local preset=$1 target=$2 log
  echo "== $preset: build"
  log=$(cmake --preset "$preset") || {
    echo "$log"
    return 1
  }
  cmake --build --preset "$preset" --target "$target"
}

build ci all
for preset in portable asan tsan; do
  build "$preset" "$target"
  echo "== $preset: test"
  ctest --preset "$preset" --progress "${selection[@]}"
done
echo "== ci: test"
ctest --preset ci
