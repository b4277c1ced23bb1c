"""The reference of C++ that the site has (python/docs/cpp_reference.py): every class and function, and no bodies."""

import pathlib
import re
import sys
import tempfile
import unittest

from documents import ROOT

sys.path.insert(0, str(ROOT / "python" / "docs"))
import cpp_reference  # noqa: E402

HEADER = '''#pragma once

/// A header for the test.

namespace cavs {
inline namespace CAVS_API v0_1 {

/// Adds *both*. @throws UserError if x is negative.
/// @param x  the first
inline int add(int x, int y) {
  return x + y;
}

/// A pair.
class Pair {
 public:
  explicit Pair(int x) : x_(x) {}
  int x() const { return x_; }  // the first

 private:
  int x_;
};

}  // namespace v0_1
}  // namespace cavs
'''
PAGE = '''# cavs/pair.h

A header for the test.

## add

Adds \\*both\\*.

**Throws** UserError if x is negative.

- `x`: the first

```cpp
inline int add(int x, int y);
```

## Pair

A pair.

```cpp
class Pair {
 public:
  explicit Pair(int x);
  int x() const;  // the first
};
```
'''


class CppReference(unittest.TestCase):
    def test_a_header(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "pair.h")
            path.write_text(HEADER)
            self.assertEqual(re.sub(r"\n{3,}", "\n\n", cpp_reference.page(path)).strip(), PAGE.strip())

    def test_every_class_and_function_of_the_headers_is_there(self):
        for path in sorted((ROOT / "include" / "cavs").glob("*.h")):
            with self.subTest(path.name):
                page, header = cpp_reference.page(path), path.read_text()
                header = re.sub(r"^namespace (detail|.*inline v0_1.*) \{\n.*?^\}  // namespace.*\n", "", header,
                                flags=re.DOTALL | re.MULTILINE)
                names = re.findall(r"^(?:class|struct) (\w+) ", header, flags=re.MULTILINE)
                names += re.findall(r"^\w[\w:<>, ]*[ &*](\w+)\(.*;$", header, flags=re.MULTILINE)
                self.assertEqual([name for name in names if not re.search(rf"\b{name}\b", page)], [])
                self.assertNotIn("\n private:", page)


if __name__ == "__main__":
    unittest.main()
