#!/usr/bin/env bash
# Compiles for aarch64 and runs the numeric tests and the command in an emulator (qemu-user). Downloads the aarch64
# libraries of this release of Debian to build/arm/root; only the compiler and qemu are installed.
# Usage: scripts/arm.sh               everything
#        scripts/arm.sh prepare       only build/arm/root and build/arm/toolchain.cmake
#        scripts/arm.sh wheel FILE    the Python tests that compute, with a wheel for Python 3.11 on aarch64
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh arm
root=$PWD/build/arm/root lists=$PWD/build/arm/apt
packages=(libfmt-dev libspdlog-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev zlib1g-dev libgtest-dev libgmock-dev
  librapidcheck-dev python3.11-minimal libpython3.11-stdlib)
if [[ ! -e $root/complete ]]; then
  echo "== libraries for aarch64"
  mkdir --parents "$lists/lists/partial" "$lists/archives/partial" "$root"
  touch "$lists/status"
  of_arm=(-o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$lists" -o Dir::State::status="$lists/status"
    -o Dir::Cache="$lists" -o Debug::NoLocking=true)
  apt-get "${of_arm[@]}" --quiet=2 update
  apt-get "${of_arm[@]}" --quiet=2 --yes --no-install-recommends --download-only install "${packages[@]}"
  for package in "$lists"/archives/*.deb; do dpkg-deb --extract "$package" "$root"; done
  touch "$root/complete"
fi

# Header-only libraries come from this machine. Without rpaths no file depends on the folder of the build.
cat >build/arm/toolchain.cmake <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_FIND_ROOT_PATH $root)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;/usr/aarch64-linux-gnu;-E;LD_LIBRARY_PATH=$root/usr/lib/aarch64-linux-gnu)
set(CMAKE_SKIP_RPATH ON)
set(CMAKE_EXE_LINKER_FLAGS -Wl,-rpath-link,$root/usr/lib/aarch64-linux-gnu)
END
[[ ${1:-} != prepare ]] || exit 0

# The emulator runs one process, so tests of several are left out.
if [[ ${1:-} == wheel ]]; then
  site=$PWD/build/arm/python
  rm --recursive --force "$site"
  python3 -m pip install --quiet --root-user-action ignore --target "$site" --only-binary :all: --python-version 3.11 \
    --platform manylinux_2_35_aarch64 --platform manylinux_2_28_aarch64 --platform manylinux2014_aarch64 "$2" ||
    { echo "arm: SKIPPED: PyPI cannot be reached, or has no NumPy for aarch64" && exit 0; }
  cd python/tests
  qemu-aarch64 -L "$root" -E "PYTHONHOME=$root/usr" -E "PYTHONPATH=$site" "$root/usr/bin/python3.11" -m unittest --verbose \
    test_declare test_formulas test_graphs test_operators test_parameters test_session test_training
  exit
fi

cmake --preset portable -B build/arm/cavs -DCMAKE_TOOLCHAIN_FILE="$PWD/build/arm/toolchain.cmake" >/dev/null
cmake --build build/arm/cavs --target backend_test execute_test ops_test update_test cavs_cli
# Death tests start their program again, which does not work in the emulator.
GTEST_FILTER='-*DeathTest*' ctest --test-dir build/arm/cavs --output-on-failure --parallel "$(nproc)" --timeout 1200 \
  --tests-regex '^(backend|execute|ops|update)$'

echo "== the command: the same losses as on this processor"
if [[ ! -x build/release/bin/cavs ]]; then
  cmake --preset test >/dev/null
  cmake --build --preset test --target cavs_cli
fi
emulated=(qemu-aarch64 -L /usr/aarch64-linux-gnu -E "LD_LIBRARY_PATH=$root/usr/lib/aarch64-linux-gnu" build/arm/cavs/bin/cavs)
for model in tree-lstm bilstm-crf lattice-lstm lstm-nmt; do
  train=(train "$model" --hidden 16 --embedding 8 --epochs 1 --limit 20 --seed 1 --json --quiet)
  here=$(CAVS_ISA=portable build/release/bin/cavs "${train[@]}")
  there=$("${emulated[@]}" "${train[@]}")
  python3 - "$model" "$here" "$there" <<'END'
import json, sys
model, here, there = sys.argv[1], *(json.loads(text)["epochs"][-1]["train_loss"] for text in sys.argv[2:])
assert abs(here - there) <= 1e-5 * abs(here), f"{model}: loss {there} on aarch64, expected {here}"
print(f"{model}: loss {there}, on this processor {here}")
END
done
