"""Reading and writing safetensors files: a JSON header, then the tensors' bytes.

Layout: 8 bytes little-endian header length, the header padded with spaces so that the data begins
at a multiple of 8, the tensors in the order of the header, C order.
NumPy has no bfloat16: its 16 bits come and go as uint16.
"""

import json
from pathlib import Path

import numpy as np

DTYPES = {
    "F32": np.dtype("<f4"),
    "I64": np.dtype("<i8"),
    "F64": np.dtype("<f8"),
    "F16": np.dtype("<f2"),
    "BF16": np.dtype("<u2"),
    "I32": np.dtype("<i4"),
    "I16": np.dtype("<i2"),
    "I8": np.dtype("i1"),
    "U8": np.dtype("u1"),
    "BOOL": np.dtype("?"),
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}


def save(path: Path, tensors: dict[str, np.ndarray]) -> None:
    header: dict = {"__metadata__": {"format": "pt"}}
    offset = 0
    for name, tensor in tensors.items():
        span = [offset, offset + tensor.nbytes]
        header[name] = {
            "dtype": NAMES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": span,
        }
        offset = span[1]
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for tensor in tensors.values():
            file.write(np.ascontiguousarray(tensor).tobytes())


def load_floats(path: Path) -> dict[str, np.ndarray]:
    """Matrices in 8 bits, as `transformer-wasm quantize` writes them, become integer times scale in float32."""
    stored = load(path)
    scales = {name: stored.pop(f"{name}_scale") for name in list(stored) if f"{name}_scale" in stored}
    return {
        name: tensor.astype(np.float32) * scales[name] if name in scales else tensor
        for name, tensor in stored.items()
    }


def load(path: Path) -> dict[str, np.ndarray]:
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    tensors = {}
    for name, entry in json.loads(data[8:start]).items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            flat = np.frombuffer(data[start + begin : start + end], DTYPES[entry["dtype"]])
            tensors[name] = flat.reshape(entry["shape"])
    return tensors
