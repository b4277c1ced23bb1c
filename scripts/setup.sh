#!/usr/bin/env bash
# Installs the missing packages of a task with apt. Does nothing if all are installed.
#
# Usage: scripts/setup.sh [build|test|lint|bench|sanitizers|arm|release|clang-VERSION|all]   (default: build, which all
#        others include)
set -euo pipefail

build=(g++ cmake ninja-build pkg-config libfmt-dev libspdlog-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev
  zlib1g-dev libxbyak-dev help2man python3-dev python3-venv)
test=(libgtest-dev libgmock-dev librapidcheck-dev python3-numpy python3-torch libopenmpi-dev openmpi-bin)
lint=(clang-14 clang-format-14 clang-tidy-14 shellcheck git)
arm=(g++-aarch64-linux-gnu qemu-user)
release=(dpkg-dev debootstrap git xz-utils)
sanitizers=(clang-14 libclang-rt-14-dev)  # also for fuzzing
bench=(libbenchmark-dev libeigen3-dev python3-torch libopenblas0-openmp)

task=${1:-build}
case $task in
  build) packages=("${build[@]}") ;;
  test) packages=("${build[@]}" "${test[@]}") ;;
  lint) packages=("${build[@]}" "${test[@]}" "${lint[@]}") ;;
  bench) packages=("${build[@]}" "${bench[@]}") ;;
  sanitizers) packages=("${build[@]}" "${test[@]}" "${sanitizers[@]}") ;;
  arm) packages=("${build[@]}" "${test[@]}" "${arm[@]}") ;;
  release) packages=("${build[@]}" "${arm[@]}" "${release[@]}") ;;
  clang-*) packages=("${build[@]}" "${test[@]}" "$task") ;;
  all) packages=("${build[@]}" "${test[@]}" "${lint[@]}" "${bench[@]}" "${sanitizers[@]}" "${arm[@]}" "${release[@]}") ;;
  *)
    echo "setup: unknown task '$task'; known: build, test, lint, bench, sanitizers, arm, release, clang-VERSION, all" >&2
    exit 2
    ;;
esac

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "setup: apt is not available; install the packages that docs/how/dependencies.md lists for the task '$task'" >&2
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
    missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $(id --user) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    {
      echo "setup: these packages are missing, and installing them needs root or sudo:"
      echo "  ${missing[*]}"
      echo "run as root: apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    } >&2
    exit 1
  fi
  as_root=(sudo)
fi

log=$(mktemp)
trap 'rm --force "$log"' EXIT
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get --quiet --option Dpkg::Use-Pty=0 "$@" >"$log" 2>&1 || {
    cat "$log" >&2
    echo "setup: apt-get $1 failed; see above" >&2
    exit 1
  }
}
echo "setup: installing ${missing[*]}" >&2
apt update
apt install --yes --no-install-recommends "${missing[@]}"
