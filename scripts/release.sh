#!/usr/bin/env bash
# Makes a release of HEAD, and checks it.
#
#   dist [FOLDER]  the sources, the sdist, the wheels, the Debian packages and SHA256SUMS (default: build/dist). The same
#                  commit gives the same bytes in every folder. Compiled files stay in FOLDER.work
#   check [PART]   one part, or all in this order, of the release in build/dist; logs are in build/release-check:
#     texts          the version is the same everywhere, and everything is committed
#     reproducible   makes the release twice, the second time without ccache in another folder, and compares the bytes
#     licences       THIRD-PARTY-LICENSES.txt names everything that the compiler has read, and is in every package
#     wheels         the Python tests with the wheels, every Python that is there, the oldest and the newest NumPy
#     arm            numeric tests, and the Python tests with a wheel, for aarch64 in an emulator
#     extra          pip finds what cavs[cuda] asks for
#     debian         the Debian packages in a fresh Debian; needs root and debootstrap
#     bare           the commands of the README's section "Install" in a fresh Debian
#     and the parts of make test-deep that are not among these
#
# Usage: scripts/release.sh dist [FOLDER] | check [PART...]
set -euo pipefail
cd "$(dirname "$0")/.."

deep=(random isa cuda standin models slow python clang fuzz)
parts=(texts reproducible licences wheels arm extra debian bare "${deep[@]}")
umask 022
export LC_ALL=C TZ=UTC
unset CCACHE_BASEDIR  # It gives the compiler relative paths, and __FILE__ is one of them.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
version=$(sed --quiet 's/#define CAVS_VERSION "\(.*\)"/\1/p' include/cavs/version.h)
dist=$PWD/build/dist sources=$PWD/build/dist.work/cavs-$version logs=$PWD/build/release-check

# Everything is built from the committed sources in a folder of its own, which shares only tools with this one.
make_dist() {
  local out work=$1.work tree=$1.work/cavs-$version of
  out=$1
  scripts/setup.sh release
  rm --recursive --force "$out" "$work"
  mkdir --parents "$out" "$tree/build/python" build/arm
  git archive --prefix="cavs-$version/" HEAD | xz --threads=1 >"$out/cavs-$version-source.tar.xz"
  tar --extract --directory "$work" --file "$out/cavs-$version-source.tar.xz"
  ln --symbolic "$PWD/build/arm" "$tree/build/arm"
  for of in 3.10 3.11 3.12; do
    mkdir --parents "build/python/tools-$of"
    ln --symbolic "$PWD/build/python/tools-$of" "$tree/build/python"
  done
  (
    cd "$tree"
    cmake --preset release -DCMAKE_INSTALL_PREFIX=/usr
    cmake --build --preset release
    cpack --config build/release/CPackConfig.cmake -B build/packages
  ) >"$work/log" 2>&1 || {
    tail --lines=50 "$work/log" >&2
    return 1
  }
  (cd "$tree" && scripts/python.sh sdist && scripts/python.sh wheels)
  mv "$tree"/build/wheels/* "$tree"/build/packages/*.deb "$out"
  (cd "$out" && sha256sum -- * >SHA256SUMS && stat --format='%9s bytes  %n' -- *)
}

# Ends a part that this machine cannot run.
skip() {
  echo "SKIPPED: $1"
  exit 77
}

check_texts() {
  local found
  found=$(git status --porcelain)
  [[ -z $found ]] || echo "not committed: $found"
  grep --quiet --line-regexp "version: $version" CITATION.cff || found+="CITATION.cff has another version than $version. "
  grep --quiet "^## $version" CHANGELOG.md || found+="CHANGELOG.md has no section '## $version'. "
  [[ -z $found ]] || { echo "$found" && return 1; }
}

check_reproducible() {
  make_dist "$dist"
  CCACHE_DISABLE=1 make_dist "$dist-again"
  diff "$dist/SHA256SUMS" "$dist-again/SHA256SUMS"
}

check_licences() {
  local file name read names=()
  read=$(for file in "$sources"/build/{release,python/wheel}; do ninja -C "$file" -t deps; done |
    sed --quiet 's/^ *\(\/.*\)/\1/p' | xargs realpath --no-symlinks | sort --unique)
  mapfile -t names < <({
    grep --only-matching --extended-regexp 'nanobind/ext/[a-z_]+/|nanobind/|include/python3' <<<"$read"
    grep --invert-match --extended-regexp "nanobind/|include/python3|^$sources/" <<<"$read" |
      xargs dpkg-query --search | cut --delimiter=: --fields=1
  } | sort --unique)
  echo "the compiler read: ${names[*]}"
  for name in "${names[@]}"; do
    grep --quiet --fixed-strings "$name" THIRD-PARTY-LICENSES.txt || { echo "without a licence: $name" && return 1; }
  done
  for file in "$dist"/*.whl; do
    python3 - "$file" <<'END'
import sys, zipfile
names = zipfile.ZipFile(sys.argv[1]).namelist()
for licence in ("LICENSE", "THIRD-PARTY-LICENSES.txt"):
    assert any(name.endswith("/licenses/" + licence) for name in names), f"{sys.argv[1]} lacks {licence}"
others = [name for name in names if ".libs/" in name and ".so" in name and "/libfmt-" not in name]
assert not others, f"{sys.argv[1]} has libraries without a licence: {others}"
END
  done
  for file in "$dist"/*.deb; do
    grep --quiet '/copyright$' <<<"$(dpkg-deb --contents "$file")" || { echo "$file has no copyright" && return 1; }
  done
}

check_wheels() { CAVS_WHEELS=$dist CAVS_COMMAND=$sources/build/release/bin/cavs scripts/python.sh test-versions; }
check_arm() {
  scripts/arm.sh
  scripts/arm.sh wheel "$dist"/cavs-*-cp311-*_aarch64.whl
}

check_extra() {
  local folder
  folder=$(mktemp --directory)
  python3 -m venv "$folder"
  "$folder/bin/python" -m pip install --quiet --retries 1 --upgrade pip || skip "PyPI cannot be reached"
  "$folder/bin/python" -m pip install --dry-run "cavs[cuda] @ file://$(echo "$dist"/cavs-*-cp311-*_x86_64.whl)"
  rm --recursive --force "$folder"
}

check_debian() {
  [[ $(id --user) -eq 0 ]] || skip "a fresh Debian needs root"
  FILES=$dist scripts/bare-machine.sh tests/integration/installation/debian.sh /srv/files
}

check_bare() {
  [[ $(id --user) -eq 0 ]] || skip "a fresh Debian needs root"
  scripts/bare-machine.sh tests/integration/installation/bare.sh
}

# One line per part: how it ended, its minutes, and what was SKIPPED.
check() {
  local part begin result failed=0
  mkdir --parents "$logs"
  for part in "$@"; do
    begin=$SECONDS
    scripts/release.sh run "$part" >"$logs/$part.log" 2>&1 && result=0 || result=$?
    grep --only-matching 'SKIPPED: .*' "$logs/$part.log" | sort --unique | sed "s/^SKIPPED/& ($part)/" || true
    case $result in
      0) echo "ok: $part ($(((SECONDS - begin + 59) / 60)) min)" ;;
      77) ;;
      *)
        echo "FAILED: $part: $logs/$part.log ends so:"
        tail --lines=20 "$logs/$part.log"
        failed=1
        ;;
    esac
  done
  echo
  echo "cavs $version, $(git rev-parse HEAD), $((SECONDS / 60)) min; Apache-2.0, with parts under:"
  sed --quiet '/^| project/,/^$/p' THIRD-PARTY-LICENSES.txt | head --lines=10
  if [[ -d $dist ]]; then (cd "$dist" && stat --format='%9s bytes  %n' -- *); fi
  return "$failed"
}

case ${1:-} in
  run)  # one part, for check, which goes on after a failure
    if [[ " ${deep[*]} " == *" $2 "* ]]; then
      scripts/test.sh deep "$2"
    else
      "check_$2"
    fi
    ;;
  dist) make_dist "$(realpath --canonicalize-missing "${2:-$dist}")" ;;
  check)
    shift
    for part in "$@"; do
      [[ " ${parts[*]} " == *" $part "* ]] || {
        echo "release: unknown part '$part'; known: ${parts[*]}" >&2
        exit 2
      }
    done
    [[ $# -gt 0 ]] || set -- "${parts[@]}"
    check "$@"
    ;;
  *)
    echo "release: unknown task '${1:-}'; known: dist, check" >&2
    exit 2
    ;;
esac
