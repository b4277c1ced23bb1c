"""Every block of code in the documents occurs in examples/, or is a program that is built."""

import re
import unittest

from documents import ROOT, blocks, is_program, missing

CODE = {"cpp": "*.cc", "cmake": "CMakeLists.txt"}
PAGES = ["docs/start/tutorial.md", "docs/guide/networks.md", "docs/guide/training.md", "docs/guide/training-options.md",
         "docs/guide/edges.md"]


class Documents(unittest.TestCase):
    def setUp(self):
        self.sources = {language: [path.read_text() for path in (ROOT / "examples").glob(name)]
                        for language, name in CODE.items()}

    def test_every_block_of_code_is_in_the_examples(self):
        for name in PAGES:
            with self.subTest(name):
                page = (ROOT / name).read_text()
                self.assertGreater(sum(language in CODE for language, _ in blocks(page)), 1)
                self.assertEqual(missing(page, self.sources), [])

    def test_no_other_page_has_code_that_is_not_built(self):
        tested = [*PAGES, "docs/start/install.md"]  # the installation test builds the project of the last one
        others = [path for path in ROOT.glob("docs/**/*.md") if str(path.relative_to(ROOT)) not in tested]
        with_code = [path.name for path in others if any(language in CODE for language, _ in blocks(path.read_text()))]
        self.assertEqual(with_code, [])

    def test_the_readme_has_one_program_which_the_installation_test_builds(self):
        code = [text for language, text in blocks((ROOT / "README.md").read_text()) if language == "cpp"]
        self.assertEqual([is_program(text) for text in code], [True])

    def test_tables_of_folders_match_the_sources(self):
        folders = sorted(path.name for path in (ROOT / "src").iterdir() if path.is_dir() and any(path.iterdir()))
        for name, start in [("docs/how/architecture.md", "## The folders"), ("CONTRIBUTING.md", "## Where things go")]:
            with self.subTest(name):
                section = (ROOT / name).read_text().split(start)[1].split("\n## ")[0]
                rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
                named = sorted(folder for row in rows for folder in re.findall(r"`([a-z]+)/`", row))
                self.assertEqual(named, folders)

    def test_a_block_that_is_not_in_the_examples_is_found(self):
        for name, ours, changed in [("docs/start/tutorial.md", "split<2>", "split<3>"), ("docs/guide/networks.md", "left", "up")]:
            with self.subTest(name):
                page = (ROOT / name).read_text().replace(ours, changed)
                self.assertEqual(len(missing(page, self.sources)), 1)


if __name__ == "__main__":
    unittest.main()
