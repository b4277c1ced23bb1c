#!/usr/bin/env python3
"""Checks the English of comments, docstrings, messages, help texts and documents against rules that a pattern can find.

CONTRIBUTING.md explains the rules. A sentence that breaks one for a good reason is listed in scripts/english.txt.

Usage: scripts/english.py [FILE...]   (default: every tracked file)
Prints FILE:LINE: rule: sentence for each finding, and exits with 1 if there is one.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXCEPTIONS = ROOT / "scripts" / "english.txt"
OF_THE_CHECK = ("scripts/english.py", "tests/integration/english_test.py")  # these have sentences that break the rules
UNITS = r"(?:\d[\d,.]*|bytes|floats|rows?|columns|words?|samples?|vertices|trees|numbers|seconds|milliseconds|ms|us|" \
        r"launch(?:es)?|loss|steps?|lines?|figures?|GFLOP/s)"
OWNERS = r"(?:row|column|vertex|step|sample|minibatch|word|label|task|type|level|thread|core|call|token|tree|epoch|line|" \
         r"processor|weight|launch|node|worker|lane|second)"
RULES = {
    "begin with the subject or a verb": re.compile(
        r"^(?:Of|Who|Whom|Whose|What|Whichever|Whoever|Whatever|Which|Whether|From what|In which|As many|As much)\b(?!.*\?$)"),
    "write 'per' or 'each', not 'a'": re.compile(rf"\b{UNITS} an? {OWNERS}\b(?!-)"),
    "use the field's verb": re.compile(
        r"\b(?:stands? (?:for|by|in|at|there|here|twice|beside)|comes? to nothing|what \S+ comes to|go(?:es)? the way of|"
        r"(?:is|are) told|is asked (?:for|after)|is at hand|is here again|knows nothing of|(?:its|their) own affair|set out\b|"
        r"what is left of)\b"),
    "a thing is 'that' or 'which'": re.compile(
        r"(?<!\breader )(?<!\buser )(?<!\bperson )(?<!\bpeople )(?<!\bsomebody )(?<!\bengineer )"
        r"\bwho (?:reads?|waits?|owns?|writes?|runs?|is|has|publishes|takes?|makes?|keeps?)\b", re.IGNORECASE),
    "describe what is, not what was": re.compile(
        r"\b(?:until now|as before|no longer|used to (?!\w+ (?:the|a|an|it)\b)|formerly|of now\b|of before\b|has been rewritten|"
        r"in an earlier version|in an? (?:later|future) version)\b"),
    "put the noun first": re.compile(
        r"^(?:Left out|Looked at|Tested|Measured|Missing|Added|Shown|Not built|Taken|Given|Wanted|Asked for) (?:is|are|was|were)\b"),
}
CPP = {".cc", ".h", ".cu", ".cuh", ".inc"}
TOKEN = re.compile(
    r'(?P<comment>//[^\n]*)|(?P<raw>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)")|(?P<text>"(?:\\.|[^"\\\n])*")|'
    r"'(?:\\.|[^'\\\n])+'|\n", re.DOTALL)


def is_prose(text):
    return len(re.findall(r"[A-Za-z]{2,}", text)) > 2


def cpp_texts(source):
    """(line, text): comments in consecutive lines are one text, and so are literals that follow each other."""
    line, block, begin, end, kind = 1, [], 0, 0, ""
    for token in TOKEN.finditer(source):
        new = token.lastgroup if token.lastgroup != "mark" else "raw"
        if new in ("comment", "text"):
            literal = token[0]
            between = source[end:token.start()].strip()
            if block and (new != kind or between or (new == "comment" and line > last + 1)):
                yield begin, "".join(block) if kind == "text" else " ".join(block)
                block = []
            if not block:
                begin = line
            block.append(literal[1:-1] if new == "text" else literal.lstrip("/<").strip())
            if new == "comment" and not block[-1]:
                block.pop()
            kind, end, last = new, token.end(), line
        line += token[0].count("\n")
    if block:
        yield begin, "".join(block) if kind == "text" else " ".join(block)


def hash_texts(source):
    """Comments that begin with #, as of scripts and CMake."""
    block, begin = [], 0
    for number, line in enumerate([*source.splitlines(), ""], 1):
        comment = re.match(r"\s*(?:.*\s)?#+ (.*)$", line)
        if comment is None and block:
            yield begin, " ".join(block)
            block = []
        elif comment is not None:
            if not block:
                begin = number
            block.append(comment[1])


def python_texts(source):
    yield from hash_texts(source)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for number, paragraph in enumerate(re.split(r"\n\s*\n|\n(?=\w+: )", node.value)):
                yield node.lineno + number, " ".join(paragraph.split())


def markdown_texts(source):
    block, begin, is_code, is_table_of_rules = [], 0, False, False
    for number, line in enumerate([*source.splitlines(), ""], 1):
        if line.startswith("| rule | not | but |"):
            is_table_of_rules = True
        elif not line.startswith("|"):
            is_table_of_rules = False
        if is_table_of_rules:
            continue
        if line.startswith("```"):
            is_code = not is_code
        prose = "" if is_code or line.startswith(("    ", "```", "#", "|")) else line.strip()
        if (not prose or re.match(r"[-*>] |\d+\. ", prose)) and block:
            yield begin, " ".join(block)
            block = []
        if prose:
            if not block:
                begin = number
            block.append(re.sub(r"^(?:[-*>]|\d+\.) ", "", prose))
        if line.startswith("|") and not is_code:
            for cell in line.split("|"):
                yield number, cell.strip()


def texts_of(path, source):
    if path.suffix in CPP:
        return cpp_texts(source)
    if path.suffix in (".py", ".pyi"):
        return python_texts(source)
    if path.suffix == ".md":
        return markdown_texts(source)
    if path.suffix in (".sh", ".cmake", ".toml") or path.name in ("CMakeLists.txt", "Makefile", "run"):
        return hash_texts(source)
    return ()


def sentences(text):
    for sentence in re.split(r"(?<=[.;:!])\s+(?=[A-Z`(])|\\n", text):
        if is_prose(sentence):
            yield sentence.strip()


def findings(path, source):
    """(line, rule, sentence)"""
    for line, text in texts_of(path, source):
        for sentence in sentences(text):
            for rule, pattern in RULES.items():
                if pattern.search(sentence):
                    yield line, rule, sentence


def main(names):
    if not names:
        names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    allowed = [line for line in EXCEPTIONS.read_text().splitlines() if line and not line.startswith("#")]
    found, used = 0, set()
    for name in names:
        path = ROOT / name
        if path.suffix == ".txt" or name in OF_THE_CHECK or not path.is_file() or "/corpus/" in name:
            continue
        try:
            source = path.read_text()
        except UnicodeDecodeError:
            continue
        for line, rule, sentence in findings(path, source):
            exception = next((text for text in allowed if text in sentence), None)
            if exception is not None:
                used.add(exception)
                continue
            found += 1
            print(f"{name}:{line}: {rule}: {sentence[:160]}")
    if len(sys.argv) == 1:
        for text in allowed:
            if text not in used:
                found += 1
                print(f"scripts/english.txt: no sentence has '{text}'; remove the line")
    print(f"english: {found} findings" if found else "english: no findings")
    return found > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
