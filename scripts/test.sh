#!/usr/bin/env bash
# Builds and tests.
#
#   test         the tests that users run: everything but the long tests
#   ci           the same, with warnings as errors; the core under AddressSanitizer and UBSan, tests with threads under
#                ThreadSanitizer, and numeric tests (label numbers) also with portable code
#   deep [PART]  the long tests, before a release; for a change, run the parts that it touches:
#     random        random combinations of all options, 20,000 cases
#     isa           numeric tests on every instruction set, with AVX-512 and AMX code on processors without them
#     cuda          GPU kernels on fibers and as PTX, all models and sizes
#     standin       a GPU's engines on a stand-in for it: all models, random options; under the sanitizers
#     models        tests that otherwise run four models, with all models
#     slow          long properties; the installed package; extensions of one file and one line
#     versions      the wheels with every installed Python
#     python        PyTorch, the sdist; the module under AddressSanitizer
#     clang         clang 14 and the newest clang of Debian, warnings as errors, without unity builds
#     arm           the code for aarch64, in an emulator
#     fuzz          every reader of files, FUZZ_SECONDS each (default: 30)
#     bare          make demo in a fresh Debian; needs root and debootstrap
#
# Usage: scripts/test.sh [test | ci | deep [PART]]
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir --parents build

parts=(random isa cuda standin models slow versions python clang arm fuzz bare)

# Prints the skipped tests of the last ctest run in a build folder, with the reasons.
report_skipped() {
  awk '/: Skipped$/ { getline; print "SKIPPED: " $0 } /^[a-z-]*: SKIPPED: / || / skipped [\x27"]/ { print }' \
    "$1/Testing/Temporary/LastTest.log" | sort | uniq --count
}

limit=900  # seconds that one test may take

# PRESET [CTEST-ARGUMENT...]
run() {
  local preset=$1 folder=build/$1
  shift
  [[ $preset != test ]] || folder=build/release
  echo "== $preset: ctest $*"
  ctest --preset "$preset" --parallel "$(nproc)" --timeout "$limit" "$@"
  report_skipped "$folder"
}

# PRESET TARGET [CMAKE-ARGUMENT...]
build() {
  local preset=$1 target=$2
  shift 2
  echo "== $preset: build"
  cmake --preset "$preset" "$@" >build/configure.log || {
    cat build/configure.log
    return 1
  }
  cmake --build --preset "$preset" --target "$target" | tee build/build.log
}

build_tests() {
  local python
  python=$(scripts/python.sh prepare)
  echo "$python" | grep SKIPPED || true
  if [[ $python == /* ]]; then
    build test all -DCAVS_BUILD_PYTHON=ON "-DPython_EXECUTABLE=$python"
  else
    build test all
  fi
}

run_tests() { run test --label-exclude slow; }

ci() {
  build asan core_tests
  run asan --label-regex core
  build tsan threads_tests
  run tsan --label-regex threads
  build_tests
  if grep 'warning:' build/build.log; then
    echo "test: the compiler warns, see above; expected no warning" >&2
    exit 1
  fi
  CAVS_ISA=portable run test --label-regex numbers
  run_tests
}

# Waits for a process that writes build/law.log.
finish_law() {
  wait "$1" || {
    cat build/law.log
    return 1
  }
  tail --lines=5 build/law.log
}

deep_random() {
  build test all
  CAVS_LAW_CASES=20000 build/release/bin/law_test --gtest_filter='Law.*' >build/law.log &
  local law=$!
  CAVS_LAW_CASES=5000 CAVS_TEAM=together build/release/bin/zoo_test
  finish_law "$law"
}

deep_isa() {
  build isa core_tests
  local isa
  for isa in avx512 avx2 avx2x2 portable; do
    if [[ $isa == avx512 ]] && ! grep --quiet --word-regexp avx512bw /proc/cpuinfo ||
      [[ $isa == avx2* ]] && ! grep --quiet --word-regexp avx2 /proc/cpuinfo; then
      echo "SKIPPED: $isa: this processor does not support it"
      continue
    fi
    CAVS_ISA=$isa run isa --label-regex numbers
  done
}

deep_cuda() {
  scripts/cuda.sh
  build test slow_tests
  run test --label-regex slow --tests-regex cuda
}

law_on_standin() { CAVS_LAW_CASES=800 run test --label-regex gpu; }

deep_standin() {
  local preset law
  build test cuda_test
  build test law_test
  CAVS_ALL_MODELS=1 run test --label-regex cuda
  law_on_standin >build/law.log &
  law=$!
  for preset in asan tsan; do
    build "$preset" cuda_test
    run "$preset" --label-regex cuda
  done
  finish_law "$law"
}

deep_models() {
  build test all
  CAVS_ALL_MODELS=1 run test --label-regex models --label-exclude cuda
  CAVS_ALL_MODELS=1 run test --label-regex torch
}

deep_slow() {
  build test all
  build test slow_tests
  run test --label-regex slow --exclude-regex cuda
}

deep_versions() { scripts/python.sh test-versions; }

deep_python() {
  scripts/python.sh test-sdist
  scripts/python.sh test-asan
  CAVS_CELLS=1000 scripts/torch.sh
}

deep_clang() { scripts/clang.sh; }
deep_arm() { scripts/arm.sh; }
deep_fuzz() { scripts/fuzz.sh "${FUZZ_SECONDS:-30}"; }
deep_bare() { scripts/bare-machine.sh make demo; }

task=${1:-test}
case $task in
  test)
    build_tests
    run_tests
    ;;
  ci) ci ;;
  deep)
    chosen=("${@:2}")
    [[ ${#chosen[@]} -gt 0 ]] || chosen=("${parts[@]}")
    for part in "${chosen[@]}"; do
      [[ " ${parts[*]} " == *" $part "* ]] || {
        echo "test: unknown part '$part'; known: ${parts[*]}" >&2
        exit 2
      }
    done
    limit=10800
    for part in "${chosen[@]}"; do
      echo "== deep: $part"
      SECONDS=0
      "deep_$part"
      echo "== deep: $part took $SECONDS s"
    done
    ;;
  *)
    echo "test: unknown task '$task'; known: test, ci, deep" >&2
    exit 2
    ;;
esac
