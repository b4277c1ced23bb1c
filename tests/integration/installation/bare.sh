#!/usr/bin/env bash
# Runs the commands of the README's section "Install" on a machine that has only git and make (scripts/bare-machine.sh),
# and uses what they install. Prints the minutes of each command, and the packages that were installed.
set -euo pipefail
cd "$(dirname "$0")/../../.."

packages() { dpkg-query --show --showformat='${Package}\n' | sort; }
installed_size() { dpkg-query --show --showformat='${Installed-Size}\n' | awk '{ sum += $1 } END { print int(sum / 1024) }'; }

packages_before=$(packages)
size_before=$(installed_size)
report=()
mapfile -t commands < <(sed --quiet '/^## Install/,/^The first/s/^    \([^#]*[^# ]\) *#.*/\1/p' README.md)
[[ ${#commands[@]} -eq 3 ]] || {
  echo "bare: the README has ${#commands[@]} commands in its section 'Install'; expected 3" >&2
  exit 1
}
for command in "${commands[@]}"; do
  echo "== $command"
  begin=$SECONDS
  bash -euc "$command"
  report+=("$(((SECONDS - begin) / 60)) min $(((SECONDS - begin) % 60)) s: $command")
done

cd "$(mktemp --directory)"
cavs --version
cavs train tree-lstm --epochs 1 --limit 64 --save model.cavs --quiet
~/venv/bin/python -c 'import cavs; print(cavs.load("model.cavs").predict_text("[MAX 2 9]")[0].classes[0])'

mapfile -t added < <(comm -13 <(echo "$packages_before") <(packages))
echo
printf '%s\n' "${report[@]}"
echo "${#added[@]} Debian packages, $(($(installed_size) - size_before)) MiB: ${added[*]}"
echo "Python packages: $(~/venv/bin/python -m pip list --format=freeze | tr '\n' ' ')"
