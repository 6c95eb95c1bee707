# SPDX-License-Identifier: BSD-2-Clause
"""Recordings with traces that are damaged."""
import os
import struct

AUXTRACE = 71
BROKEN = 64             # bytes


def pieces(path):
    """Thread, place in the file and length of each piece of trace."""
    with open(path, 'rb') as file:
        data = file.read()
    at, size = struct.unpack_from('<QQ', data, 40)
    end = at + size
    while at + 8 <= end:
        kind, _, length = struct.unpack_from('<IHH', data, at)
        at += length
        if kind == AUXTRACE:
            size, _, _, _, tid = struct.unpack_from('<QQQII', data, at - length + 8)
            yield tid, at, size
            at += size


def damage(path, chosen):
    """
    Break pieces of trace, of a thread, from a place to another of how many bytes that it has. PSBs
    stay: an index names some of them.
    """
    before = os.stat(path)
    trace = list(pieces(path))
    with open(path, 'rb') as file:
        data = file.read()
    total, done = {}, {}
    for tid, _, size in trace:
        total[tid] = total.get(tid, 0) + size
    with open(path, 'r+b') as file:
        for tid, at, size in trace:
            first = done.get(tid, 0)
            done[tid] = first + size
            if chosen(tid, first, done[tid], total[tid]):
                at += size // 3
                while b'\x02\x82' in data[at - 1:at + BROKEN + 1]:
                    at += BROKEN
                file.seek(at)
                file.write(b'\xff' * BROKEN)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
