#!/usr/bin/env bash
# Checks that the rooms of the library that know no device include nothing of those that do, nor of what stands above
# them (docs/architecture.md), so that a program, a schedule and a plan can be made for any engine. Argument: src/.
set -euo pipefail

cd "$1"
rooms=(support tensor ir ops declare graphs data models compile layout pack schedule plan)
found=$(grep -rnE '^#include "(backend|execute|update|train|decode|inspect|measure|cli)/' "${rooms[@]}" || [[ $? == 1 ]])
if [[ -n $found ]]; then
  echo "includes that go up, from a room that knows no device:"
  echo "$found"
  exit 1
fi
