"""Dump files as torch.save, numpy and safetensors write them, made without those libraries."""

import io
import json
import struct
import zipfile


def torch_zip(values=(1.0, 2.0), name="archive"):
    """A torch.save() archive: data.pkl with one float tensor, its storage, version."""
    raw = struct.pack(f"<{len(values)}f", *values)
    count = bytes([len(values)])
    pickle = (b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\nq\x00((X\x07\x00\x00\x00storageq\x01ctorch\nFloatStorage\nq\x02"
              b"X\x01\x00\x00\x000q\x03X\x03\x00\x00\x00cpuq\x04K" + count + b"tq\x05QK\x00K" + count
              + b"\x85q\x06K\x01\x85q\x07\x89ccollections\nOrderedDict\nq\x08)Rq\ttq\nRq\x0b.")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(f"{name}/data.pkl", pickle)
        archive.writestr(f"{name}/byteorder", "little")
        archive.writestr(f"{name}/data/0", raw)
        archive.writestr(f"{name}/version", "3\n")
    return out.getvalue()


def npy(values=(1.0, 2.0)):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}f", *values)


def safetensors(values=(1.0, 2.0)):
    header = json.dumps({"t": {"dtype": "F32", "shape": [len(values)], "data_offsets": [0, 4 * len(values)]}}).encode()
    return struct.pack("<Q", len(header)) + header + struct.pack(f"<{len(values)}f", *values)
