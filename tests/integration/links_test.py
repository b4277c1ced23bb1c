"""Every relative link of README.md and docs/ leads to a file and a heading that exist."""

import pathlib
import re
import tempfile
import unittest

from documents import ROOT

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def text_of(path):
    """The page without code, which may hold what looks like a link or a heading."""
    page = re.sub(r"^ *```.*?^ *```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return "\n".join(line for line in page.splitlines() if not line.startswith("    "))


def anchor(heading):
    """GitHub's name of a heading: small letters, hyphens for blanks, no other punctuation."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def anchors(path):
    return {anchor(heading) for heading in re.findall(r"^#+ +(.*)$", text_of(path), flags=re.MULTILINE)}


def broken_links(path):
    found = []
    for link in LINK.findall(re.sub(r"`[^`]*`", "code", text_of(path))):
        if re.match(r"\w+:", link):
            continue  # another site
        name, _, heading = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.exists() or heading and heading not in anchors(target):
            found.append(link)
    return found


class Links(unittest.TestCase):
    def setUp(self):
        self.pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]

    def test_every_link_leads_to_a_file_and_a_heading(self):
        self.assertGreater(len(self.pages), 30)
        for page in self.pages:
            with self.subTest(str(page.relative_to(ROOT))):
                self.assertEqual(broken_links(page), [])

    def test_files_named_in_sources_exist(self):
        sources = [path for folder in ("include", "src", "python", "examples", "benchmarks", "scripts", "tests")
                   for path in (ROOT / folder).glob("**/*") if path.suffix in {".cc", ".cuh", ".h", ".py", ".sh", ".txt"}]
        named = {(name, path) for path in sources for name in
                 re.findall(r"\bdocs/[a-z-]+/[a-z-]+\.md\b", path.read_text(encoding="utf-8", errors="replace"))}
        self.assertGreater(len(named), 10)
        self.assertEqual([(name, str(path)) for name, path in sorted(named) if not (ROOT / name).exists()], [])

    def test_a_broken_link_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.md")
            page.write_text("# One `page`\n[a](#one-page) [b](#two) [c](none.md) [d](page.md#one-page) `[e](f)`\n", encoding="utf-8")
            self.assertEqual(broken_links(page), ["#two", "none.md"])


if __name__ == "__main__":
    unittest.main()
