#!/usr/bin/env bash
# Trains every model with two builds of the command and compares losses and checkpoints byte by byte: for changes that
# must not change a bit. If CAVS_CUDA_DRIVER and CAVS_NVRTC name the stand-in for a GPU (tests/cuda/standin), trains on
# that GPU as well.
# Usage: scripts/equal-bits.sh OLD NEW [MODEL...]   OLD, NEW: programs of the command   MODEL: default: all models
set -euo pipefail

declare -A programs=([old]=$1 [new]=$2)
shift 2
models=("$@")
[[ $# -gt 0 ]] || mapfile -t models < <("${programs[new]}" models | awk '{ print $1 }')
folder=$(mktemp --directory)
trap 'rm --recursive --force "$folder"' EXIT

# Training on one thread, on two threads with the norm of gradients, in bf16, and with the reference engine.
ways=(
  "--threads 1 --optimizer adagrad --batch-size 4"
  "--threads 2 --optimizer adam --clip 1 --batch-size 7"
  "--threads 2 --optimizer sgd --momentum 0.9 --precision bf16 --accumulate 2"
  "--engine reference --optimizer adamw --clip 0.5"
)
[[ -z ${CAVS_CUDA_DRIVER:-} ]] || ways+=("--device cuda --optimizer adam --clip 1" "--device cuda --optimizer sgd --accumulate 2")

different=0
for model in "${models[@]}"; do
  for way in "${ways[@]}"; do
    for side in old new; do
      read -ra options <<<"$way"
      "${programs[$side]}" train "$model" --hidden 16 --embedding 8 --limit 24 --epochs 2 --seed 3 --quiet --json --overwrite \
        --save "$folder/$side.cavs" "${options[@]}" | python3 -c '
import json, sys
print([[epoch[key] for key in sorted(epoch) if "loss" in key] for epoch in json.load(sys.stdin)["epochs"]])' >"$folder/$side.txt"
    done
    if cmp --quiet "$folder/old.txt" "$folder/new.txt" && cmp --quiet "$folder/old.cavs" "$folder/new.cavs"; then
      continue
    fi
    different=$((different + 1))
    echo "$model $way: losses $(cat "$folder/old.txt"), now $(cat "$folder/new.txt")$(
      cmp --quiet "$folder/old.cavs" "$folder/new.cavs" || echo "; other bytes in the checkpoint")"
  done
done
echo "${#models[@]} models, ${#ways[@]} ways each: $different differ"
[[ $different -eq 0 ]]
