#!/usr/bin/env bash
# Runs a command on a clone of this repository's HEAD in a fresh, minimal Debian that has only git and make.
# Needs root and debootstrap. Packages come from the mirror that this machine's apt uses.
#
# Usage: scripts/bare-machine.sh [COMMAND...]   (default: make demo)
#   SUITE=bookworm   the Debian release
#   KEEP=1           leaves the system in place and names its folder
#   FILES=FOLDER     copies the files of this folder to /srv/files
set -euo pipefail
cd "$(dirname "$0")/.."

command=("$@")
[[ $# -gt 0 ]] || command=(make demo)
suite=${SUITE:-bookworm}

if [[ $(id --user) -ne 0 ]]; then
  echo "bare-machine: needs root (chroot)" >&2
  exit 1
fi
for tool in debootstrap unshare git; do
  if ! command -v "$tool" >/dev/null; then
    echo "bare-machine: $tool not found; apt-get install debootstrap util-linux git" >&2
    exit 1
  fi
done

# shellcheck disable=SC2016  # expanded by apt-get
mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' |
  awk -v suite="$suite" '$2 == suite {print $1; exit}')
if [[ -z $mirror ]]; then
  echo "bare-machine: no apt source for $suite in /etc/apt; add one, or set SUITE" >&2
  exit 1
fi

root=$(mktemp --directory --tmpdir bare-machine.XXXXXX)
clean_up() {
  if [[ -n ${KEEP:-} ]]; then
    echo "bare-machine: kept in $root" >&2
  else
    rm --recursive --force --one-file-system "$root"
  fi
}
trap clean_up EXIT
chmod 755 "$root"  # apt downloads as another user

echo "== $suite from $mirror" >&2
if ! debootstrap --variant=minbase --include=ca-certificates,git,make "$suite" "$root" "$mirror" >"$root.log" 2>&1; then
  tail --lines=20 "$root.log" >&2
  exit 1
fi
rm --force "$root.log"

# Copies the network settings of this machine: mirror, proxy, certificates, name servers, those of pip.
echo "deb $mirror $suite main" >"$root/etc/apt/sources.list"
apt-config dump | grep --extended-regexp '^Acquire::(http|https|Check|Retries)' >"$root/etc/apt/apt.conf.d/99host" || true
cp --dereference /etc/resolv.conf /etc/hosts "$root/etc/"
cp --dereference /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" 2>/dev/null || true
cp --dereference /etc/pip.conf "$root/etc/" 2>/dev/null || true
git clone --quiet --no-hardlinks . "$root/srv/cavs"
[[ -z ${FILES:-} ]] || cp --recursive "$FILES" "$root/srv/files"

environment=(HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8
  "TERM=${TERM:-dumb}")
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
  [[ -z ${!name:-} ]] || environment+=("$name=${!name}")
done

# The mounts are in their own namespace and end with it.
echo "== ${command[*]}" >&2
# shellcheck disable=SC2016  # expanded by the inner shell
env --ignore-environment "${environment[@]}" unshare --mount --propagation private bash -euc '
  root=$1
  shift
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
  exec chroot "$root" bash -c "cd /srv/cavs && exec \"\$@\"" bash "$@"
' bash "$root" "${command[@]}"
