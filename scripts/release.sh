#!/usr/bin/env bash
# Makes and checks a release of HEAD.
#
#   dist [FOLDER]   the sources, the sdist, the wheels, the Debian packages and SHA256SUMS (default: build/dist). What is
#                   built is in FOLDER.work. The same commit gives the same bytes in every folder.
#   check [PART..]  all parts by default; each prints a line, and its log is build/release-check/PART.log:
#
# Usage: scripts/release.sh dist [FOLDER] | check [PART...]
set -euo pipefail
cd "$(dirname "$0")/.."

umask 022
export LC_ALL=C TZ=UTC
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
version=$(sed --quiet 's/#define CAVS_VERSION "\(.*\)"/\1/p' include/cavs/version.h)
dist=$PWD/build/dist

# Everything is built from the committed sources in a folder of its own, which shares only tools with this one.
make_dist() {
  local out=$1 sources=$1.work/cavs-$version of
  rm --recursive --force "$out" "$out.work"
  mkdir --parents "$out" "$sources/build/python" build/arm
  git archive --prefix="cavs-$version/" HEAD | xz --threads=1 >"$out/cavs-$version-source.tar.xz"
  tar --extract --directory "$out.work" --file "$out/cavs-$version-source.tar.xz"
  ln --symbolic "$PWD/build/arm" "$sources/build/arm"
  for of in 3.10 3.11 3.12; do
    mkdir --parents "build/python/tools-$of"
    ln --symbolic "$PWD/build/python/tools-$of" "$sources/build/python"
  done
  (
    cd "$sources"
    cmake --preset release -DCMAKE_INSTALL_PREFIX=/usr >"$out.work/log"
    cmake --build --preset release >>"$out.work/log"
    cpack --config build/release/CPackConfig.cmake -B build/packages >>"$out.work/log"
    scripts/python.sh sdist
    scripts/python.sh wheels
    mv build/wheels/* build/packages/*.deb "$out"
  )
  (cd "$out" && sha256sum -- * >SHA256SUMS)
  echo "dist: $out"
}

make_dist "$dist"
