"""Changes checkpoints to what an earlier version could have written."""

import json
import struct
from pathlib import Path

MASK = 2**64 - 1
HASH_BLANK = b"0" * 16


def content_hash(data):
    """The hash of all bytes in a checkpoint, as in src/support/hash.h."""
    words = [int.from_bytes(data[at:at + 8], "little") for at in range(0, len(data), 8)]
    value = 0xCBF29CE484222325
    for word in [*words, len(data)]:
        value = ((value ^ word) * 0x9E3779B97F4A7C15) & MASK
        value ^= value >> 32
    return f"{value:016x}".encode()


def record_option(path, name, value):
    """Records in a Trainer's checkpoint that it was trained with this value of an option."""
    data = Path(path).read_bytes()
    end = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:end])
    metadata = header["__metadata__"]
    extra = json.loads(metadata["extra"])
    extra["trained_by"] = json.dumps({**json.loads(extra["trained_by"]), name: value})
    metadata["extra"] = json.dumps(extra)
    metadata["content_hash"] = HASH_BLANK.decode()
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    blank = struct.pack("<Q", len(text)) + text + data[end:]
    at = blank.index(b'"content_hash":"') + len(b'"content_hash":"')
    Path(path).write_bytes(blank[:at] + content_hash(blank) + blank[at + len(HASH_BLANK):])
