"""Reads a safetensors file as the format defines it, using only the standard library.

Usage: safetensors_parse.py SAFETENSORS_DUMP. Exits with 0 and prints nothing if the contents are as written.
"""

import json
import struct
import subprocess
import sys
import tempfile


def parse(data):
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    body = data[8 + length:]
    metadata = header.pop("__metadata__")
    end = 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, stop = entry["data_offsets"]
        size = {"F32": 4, "F64": 8}[entry["dtype"]]
        assert begin == end and (8 + length + begin) % size == 0, (name, begin, end)
        count = 1
        for dim in entry["shape"]:
            count *= dim
        assert stop - begin == count * size, name
        entry["values"] = list(struct.unpack(f"<{count}{'f' if size == 4 else 'd'}", body[begin:stop]))
        end = stop
    assert end == len(body)
    return metadata, header


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/dumped.safetensors"
        subprocess.run([sys.argv[1], path], check=True)
        with open(path, "rb") as file:
            metadata, tensors = parse(file.read())
    assert list(tensors) == ["b", "empty", "scalar", "\u00e4 \"quoted\"\\"], list(tensors)
    assert tensors["b"]["shape"] == [2, 3] and tensors["b"]["values"] == [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]
    assert tensors["empty"]["shape"] == [0, 4] and tensors["empty"]["values"] == []
    assert tensors["scalar"]["shape"] == [] and tensors["scalar"]["values"] == [-7.25]
    assert tensors["\u00e4 \"quoted\"\\"]["dtype"] == "F64"
    assert tensors["\u00e4 \"quoted\"\\"]["values"] == [0.1, 1e300]
    assert metadata["note"] == "two\nlines \u2713" and len(metadata["content_hash"]) == 16


main()
