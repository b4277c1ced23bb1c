"""Writes a reference of C++ from the comments of include/cavs/*.h: one page per header, one section per class or group
of functions. The headers are formatted by clang-format, so lines at column 0 inside the namespace begin declarations.

Usage: cpp_reference.py HEADERS FOLDER
"""

import pathlib
import re
import sys

GROUPS = {
    "Declaring": ["model", "layers", "operator", "shape", "attributes", "models", "compile", "inspect"],
    "Data": ["data", "readers", "graph", "vocabulary"],
    "Training": ["trainer", "fit", "optimizer", "parameters", "metric", "evaluator", "policy"],
    "Predicting": ["trained_model", "decode", "checkpoint", "files"],
    "Running": ["session", "session_options", "device_passes", "distributed", "mpi"],
}


def declarations(header):
    """(comment lines, code lines, True after an empty line) of each declaration of the namespace. A comment by itself has
    no code."""
    many = re.DOTALL | re.MULTILINE
    body = re.search(r"^inline namespace (?:CAVS_API )?v0_1 \{\n(.*)^\}  // namespace v0_1$", header, many)
    text = re.sub(r"^namespace detail \{\n.*?^\}  // namespace detail\n", "", body[1] if body else "", flags=many)
    comment, code, depth, gap = [], [], 0, True
    for line in [*text.splitlines(), ""]:
        if not code and line.startswith("//"):
            comment.append(re.sub(r"^///? ?", "", line))
        elif line or depth:
            if not re.match(r"(namespace|\}  // namespace)\b", line):
                code.append(line)
                plain = re.sub(r"\"(\\.|[^\"])*\"|'[{}()]'|//.*", "", line)
                depth += sum(plain.count(c) for c in "{(") - sum(plain.count(c) for c in "})")
            if depth == 0 and code and re.search(r"[;}]\s*(//.*)?$", code[-1]):
                yield comment, code, gap
                comment, code, gap = [], [], False
        else:
            if comment:
                yield comment, [], True
            comment, gap = [], True


def without_bodies(code):
    """Declarations without bodies of functions and without private members."""
    text = re.sub(r"^ (private|protected):\n.*?(?=^ public:|^\};)", "", "\n".join(code), flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"(\)(?: const)?(?: noexcept)?(?: override)?)(?:\n? +: [^;{\n]*(?:\{[^{}\n]*\}[^;{\n]*)*?)? \{[^\n]*\}(?=\s*(//.*)?$)",
                  r"\1;", text, flags=re.MULTILINE)
    text = re.sub(r"^( *)(\S[^\n]*\)(?: const)?(?: noexcept)?) \{\n.*?^\1\}$", r"\1\2;", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"\n+(?=\};)", "\n", text)


def name_of(code):
    """The name that a declaration introduces."""
    text = re.sub(r"^template <.*>\n?(?: *requires .*\n)?", "", code)
    found = re.match(r"(?:enum )?(?:class|struct) (\w+)|using (\w+)|(?:inline )?constexpr [\w:<> ]+? (\w+)", text)
    if found:
        return next(group for group in found.groups() if group)
    found = re.search(r"(operator\s*\S+?|\w+)\(", text)
    return found[1] if found else "Other"


def escaped(text):
    return re.sub(r"([\\*_\[\]<>|${}#~])", r"\\\1", text)


def prose(lines):
    """A comment in Markdown, in which only text between backticks is code."""
    text = "\n".join(re.sub(r"^ *@throws ", "\n**Throws** ", re.sub(r"^ *@returns? ", "\n**Returns** ", line)) for line in lines)
    text = re.sub(r"(?<=\S) @throws ", "\n\n**Throws** ", text)
    text = re.sub(r"@param (\w+(?:, \w+)*) +", r"\n- `\1`: ", text)
    parts = re.split(r"(`[^`\n]*`|\*\*(?:Throws|Returns)\*\*)", text)
    text = "".join(part if i % 2 else escaped(part) for i, part in enumerate(parts)) + "\n"
    return re.sub(r"(?:^    .*\n)+", lambda m: "\n" + m[0].replace("\\", "") + "\n", text, flags=re.MULTILINE)


def page(path):
    """Functions that follow each other without a comment of their own share a section."""
    header, sections = path.read_text(), []
    about = re.search(r"^#pragma once\n\n?((?:///? ?.*\n)+)", header, re.MULTILINE)
    for comment, code, gap in declarations(header):
        text = without_bodies(code)
        is_type = re.match(r"(template <.*>\n)?(enum )?(class|struct|using)\b", text) is not None
        if re.fullmatch(r"(class|struct) \w+;", text):
            continue
        if sections and sections[-1][2] and code and not comment and not gap and not is_type:
            sections[-1][0].append(name_of(text))
            sections[-1][2].append(text)
        elif code:
            sections.append(([name_of(text)], comment, [text]))
        else:
            sections.append(([], comment, []))
    out = f"# cavs/{path.name}\n\n" + (prose(re.sub(r"^///? ?", "", about[1], flags=re.MULTILINE).splitlines()) + "\n" if about else "")
    for names, comment, code in sections:
        title = ", ".join(list(dict.fromkeys(names))[:4]) + (" and others" if len(set(names)) > 4 else "")
        out += (f"## {escaped(title)}\n\n" if title else "") + prose(comment) + "\n"
        out += "\n```cpp\n" + "\n".join(code).rstrip("\n") + "\n```\n\n" if code else ""
    return out


def write_reference(headers, folder):
    folder.mkdir(parents=True, exist_ok=True)
    listed = {name for names in GROUPS.values() for name in names} | {"cavs"}
    others = sorted(path.stem for path in headers.glob("*.h") if path.stem not in listed)
    index, pages = "# C++\n\nThis reference is made from the comments of the headers. `cavs/cavs.h` has all of them.\n", []
    for title, names in (GROUPS | {"Other": others}).items():
        there = [name for name in names if (headers / f"{name}.h").exists()]
        index += f"\n## {title}\n\n" if there else ""
        for name in there:
            text = page(headers / f"{name}.h")
            (folder / f"{name}.md").write_text(text)
            sections = dict.fromkeys(re.findall(r"^## ([^,\n]+)", text, re.MULTILINE))
            index += f"- [cavs/{name}.h](cpp/{name}.md): {', '.join(sections)}\n"
        pages += [f"cpp/{name}\n" for name in there]
    (folder.parent / "cpp.md").write_text(index + "\n```{toctree}\n:hidden:\n\n" + "".join(pages) + "```\n")


if __name__ == "__main__":
    write_reference(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
