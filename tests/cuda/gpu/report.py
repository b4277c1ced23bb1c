"""Makes the table of docs/measurements/gpu.md, and one JSON file, from the measurements of scripts/gpu-check.sh.

Usage: report.py RESULTS
"""

import json
import pathlib
import sys


def load(folder: pathlib.Path, name: str):
    """Returns the output of a step, or None if it cannot be read."""
    try:
        return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def number(value) -> str:
    """Formats with three digits, or as a dash."""
    return "-" if value is None else f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def table(head: list, rows: list) -> list:
    """Returns lines of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(map(str, line)) + " |" for line in lines] + [""]


def numbers_lines(numbers: list) -> list:
    """Lists the number of correct cases, and the incorrect cases."""
    right = [c for c in numbers if c["right"]]
    worst = {p: max((c["error"] for c in numbers if c["case"].endswith(p)), default=None) for p in ("fp32", "bf16")}
    bits = {p: sum(c["bits_of_fibers"] for c in numbers if c["case"].endswith(p)) for p in worst}
    lines = [
        f"{len(right)} of {len(numbers)} cases (model, precision) have the reference's numbers, the same bits twice, and in "
        f"fp32 the bits of fibers. Largest error of a tensor: {number(worst['fp32'])} in fp32, {number(worst['bf16'])} in "
        f"bf16. The bits of fibers: {bits['fp32']} cases in fp32, {bits['bf16']} in bf16, where they may differ.",
        "",
    ]
    for case in numbers:
        if case not in right:
            lines.append(f"- {json.dumps(case)}")
    return [*lines, ""] if len(right) < len(numbers) else lines


def batched_lines(cases: list) -> list:
    """For engine batched: lists the number of correct models, and the incorrect models."""
    right = [c for c in cases if c["right"]]
    lines = [
        f"Engine `batched`: {len(right)} of {len(cases)} cases (models, decoding) have the reference's numbers, the same bits in all forms of "
        f"launches, and those of a sample alone. Largest error: {number(max(c['error'] for c in cases))}.",
        "",
    ]
    return [*lines, *(f"- {json.dumps(case)}" for case in cases if case not in right), *[""] * (len(right) < len(cases))]


def batched_times_lines(times: list) -> list:
    """Tabulates the steps of engine batched, with a column per form of launches."""
    forms = list(dict.fromkeys(row["form"] for row in times))
    steps = {(row["kernel"], row["batch"]): {} for row in times}
    for row in times:
        steps[row["kernel"], row["batch"]][row["form"]] = number(row["step_us"])
    return table(["engine batched", "batch", *(f"{form}: step, us" for form in forms)],
                 [[*key, *(by_form.get(form, "-") for form in forms)] for key, by_form in steps.items()])


def times_lines(times: dict) -> list:
    """Tabulates barriers, levels and steps."""
    barriers = [[b["kernel"], number(b["meeting_us"]), number(b["wait_us"])] for b in times["barriers"]]
    levels = [[r["kernel"], r["rows"], number(r["measured_us"])] for r in times["levels"]]
    steps = [
        [r["kernel"], r["batch"], number(r["step_us"]), number(r["epoch_ms"]), number(r["samples_per_second"])]
        for r in times["steps"]
    ]
    return [
        *table(["kernel", "a meeting, us", "a wait for all, us"], barriers),
        *table(["kernel", "rows", "a level of F and ∂F, us"], levels),
        *table(["kernel", "batch", "step, us", "epoch, ms", "samples/s"], steps),
    ]


def profile_lines(profile: list) -> list:
    """Tabulates the time within a step, without parts below a hundredth."""
    parts = ("find_us", "wait_us", "work_us", "tell_us")
    lines = []
    for step in profile:
        rows = sorted(step["entries"], key=lambda row: -sum(row[part] for part in parts))
        rows = [row for row in rows if sum(row[part] for part in parts) >= 0.01 * step["step_us"]]
        lines += [f"{step['kernel']}, batch {step['batch']}: a step of {number(step['step_us'])} us.", ""]
        lines += table(
            ["entries", "number", "operands, us", "waiting", "work", "meeting, telling"],
            [[row["entry"], row["entries"], *(number(row[part]) for part in parts)] for row in rows],
        )
    return lines


def command_lines(found: dict) -> list:
    """Lists the times of a user's training and benchmark."""
    lines = []
    if found["same-loss"]:
        losses = [", ".join(f"{x:.6g}" for x in found["same-loss"][of]) for of in ("found", "expected")]
        lines += [f"`cavs train` on the GPU: losses {losses[0]}; on the CPU {losses[1]}.", ""]
    if found["bench"]:
        bench = found["bench"]
        lines += [f"`cavs bench {bench['model']} --hidden {bench['hidden']} --device cuda`: {number(bench['step_ms'])} ms "
                  f"per step of {bench['batch_size']}, {number(bench['samples_per_second'])} samples/s.", ""]
    return lines


def main() -> None:
    """Prints the table, and writes gpu-check.json beside it."""
    folder = pathlib.Path(sys.argv[1])
    steps = [json.loads(line) for line in (folder / "steps.jsonl").read_text(encoding="utf-8").splitlines()]
    found = {name: load(folder, name) for name in ("device", "batched", "batched-times", "numbers", "times", "profile", "same-loss", "bench", "torch")}
    (folder / "gpu-check.json").write_text(json.dumps({"steps": steps, **found}, indent=1) + "\n", encoding="utf-8")
    device = found["device"]
    lines = [
        "## " + (f"{device['name']}, {device['architecture']}, {device['processors']} processors" if device else "No GPU"),
        "",
        *table(["step", "outcome", "why"], [[s["step"], s["status"], s["why"]] for s in steps]),
    ]
    if found["batched"]:
        lines += batched_lines(found["batched"])
    if found["batched-times"]:
        lines += batched_times_lines(found["batched-times"])
    if found["numbers"]:
        lines += numbers_lines(found["numbers"])
    if found["times"]:
        lines += times_lines(found["times"])
    lines += command_lines(found)
    if found["profile"]:
        lines += profile_lines(found["profile"])
    if found["torch"]:
        rows = [[r["kernel"], r["batch"], number(r["step_us"])] for r in found["torch"]["steps"]]
        lines += [f"PyTorch {found['torch']['torch']}, cuDNN {found['torch']['cudnn']}, fp32 without TF32:", ""]
        lines += table(["network", "batch", "step, us"], rows)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
