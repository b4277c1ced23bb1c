#!/usr/bin/env bash
# Tests cavs.torch: the wheel of scripts/python.sh in a virtual environment with PyTorch, and its types with mypy.
# PyTorch and its libraries are downloaded from PyPI to build/python (4 GB). If that fails, prints SKIPPED.
#
# If build/release has the stand-in for a GPU (tests/cuda/standin), some tests run again on it.
#
#   test         all of this (default)
#   test-preset  only the tests, of the module in build/release (scripts/python.sh test-preset), if PyTorch is installed
#
# Usage: scripts/torch.sh [TASK]
#   PYTHON=python3.12   the interpreter (default: python3)
#   TORCH=2.6           the version of PyTorch (default: the newest)
#   CAVS_CELLS=1000     number of random cells of cavs.torch.batched (default: 100)
set -euo pipefail
cd "$(dirname "$0")/.."

task=${1:-test}
python=${PYTHON:-python3}
[[ $task == test || $task == test-preset ]] || {
  echo "torch: unknown task '$task'; known: test, test-preset" >&2
  exit 2
}

give_up() {
  echo "test-torch: SKIPPED: $1"
  exit 0
}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
  give_up "$python is no Python of 3.10 or newer; PYTHON=python3.12, say, names one"
version=$("$python" -c 'import sys; print(f"{sys.version_info[0]}.{sys.version_info[1]}")')
folder=build/python/torch-$version${TORCH:+-$TORCH}

install() {
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 60 "$@" ||
    give_up "PyPI cannot be reached, or lacks one of: $*"
}

# The packages that `import torch` needs, without compilers for GPUs.
requirements() {
  "$folder/bin/python" - <<'END'
import importlib.metadata
for requirement in importlib.metadata.requires("torch") or []:
    if "extra ==" not in requirement and not requirement.startswith(("triton", "cuda-bindings")):
        print(requirement.replace("cusolver,", ""))
END
}

# Runs the tests with this interpreter.
run_tests() {
  [[ -n ${CAVS_COMMAND:-} || ! -x build/release/bin/cavs ]] || CAVS_COMMAND=$PWD/build/release/bin/cavs
  export CAVS_COMMAND=${CAVS_COMMAND:-}
  echo "== tests, Python $version, PyTorch $found, command ${CAVS_COMMAND:-none}"
  (cd python/tests/torch && "$1" -W error::DeprecationWarning:cavs -m unittest --verbose 2>&1 | grep --invert-match ' ok$')
  local standin=$PWD/build/release/tests/cuda/libcavs_cuda_standin.so
  [[ -e $standin ]] || return 0
  echo "== tests on the stand-in for a GPU"
  (cd python/tests/torch && CAVS_CUDA_DRIVER=$standin CAVS_NVRTC=$standin CAVS_CUDA_CACHE=$OLDPWD/build/release/cuda-kernels \
    "$1" on_standin.py)
}

if [[ $task == test-preset ]]; then
  [[ -e build/release/python/cavs/_core.pyi ]] || give_up "build/release has no Python module; make test-torch"
  for has_torch in "$PWD/$folder/bin/python" "$python"; do
    found=$("$has_torch" -c 'import torch; torch.library.custom_op; print(torch.__version__)' 2>/dev/null) && break
  done
  [[ -n $found ]] || give_up "neither $folder nor $python has PyTorch 2.4 or newer; make test-torch"
  PYTHONPATH=$PWD/build/release/python run_tests "$has_torch"
  exit
fi

if ! "$folder/bin/python" -c 'import torch' 2>/dev/null; then
  free=$(df --output=avail --block-size=1G . | tail --lines=1)
  [[ $free -ge 6 ]] || give_up "PyTorch and its libraries take 4 GB, and half as much to come in; there are $free GB free"
  echo "== PyTorch for Python $version"
  "$python" -m venv "$folder" || give_up "$python has no module venv"
  install --no-deps "torch${TORCH:+==$TORCH.*}"
  mapfile -t needed < <(requirements)
  install "${needed[@]}" 'numpy>=1.24'
fi
# test_pyg.py needs torch_geometric, and is skipped without it.
"$folder/bin/python" -c 'import importlib.util, sys; sys.exit(not importlib.util.find_spec("torch_geometric"))' ||
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 60 torch_geometric ||
  echo "test-torch: PyPI cannot be reached, or lacks torch_geometric: its graphs are not tested"
found=$("$folder/bin/python" -c 'import torch; print(torch.__version__)' 2>&1) || give_up "PyTorch does not load: $found"
"$folder/bin/python" -c 'import torch, sys; sys.exit(not hasattr(torch.library, "custom_op"))' ||
  give_up "PyTorch is $found; expected 2.4 or newer: remove $folder"

scripts/python.sh wheel
wheel=$(find build/wheels -name 'cavs-*.whl' -printf '%T@ %p\n' | sort --numeric-sort | tail --lines=1 | cut --delimiter=' ' --fields=2)
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall "$wheel"
run_tests "$PWD/$folder/bin/python"
echo "== types"
tools=build/python/tools-$version
# Tensor.backward and some other functions of PyTorch have no types.
mypy=("$tools/bin/mypy" --strict --untyped-calls-exclude torch --cache-dir "$tools/mypy-torch" --python-executable "$folder/bin/python")
"${mypy[@]}" --package cavs
(cd python/tests/torch && MYPYPATH=.:..:../../../examples/python/cells "${mypy[@]/#build/$OLDPWD/build}" ./*.py \
  ../../../examples/python/{torch,gpu}_tree_lstm.py ../../../examples/python/cells/*.py)
