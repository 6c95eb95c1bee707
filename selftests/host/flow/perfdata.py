# SPDX-License-Identifier: BSD-2-Clause
"""What the kernel tells of processes, added to a perf.data file that softpt export wrote."""
import struct

MMAP2, COMM, FORK, ITRACE_START, SWITCH, AUXTRACE = 10, 3, 7, 12, 14, 71
SWITCH_OUT = COMM_EXEC = 1 << 13
USER = 2
HEADER = struct.Struct('<QQQ6Q4Q')


def text(value):
    data = value.encode() + b'\0'
    return data + bytes(-len(data) % 8)


def record(kind, misc, body, who, cpu, time):
    tail = struct.pack('<IIQIIQ', *who, time, cpu, 0, 0)
    return struct.pack('<IHH', kind, misc, 8 + len(body) + len(tail)) + body + tail


def switch(who, cpu, time, out=False):
    return record(SWITCH, SWITCH_OUT if out else 0, b'', who, cpu, time)


def mapping(who, cpu, time, addr, size, offset, path):
    body = struct.pack('<IIQQQIIQQII', *who, addr, size, offset, 0, 0, 0, 0, 5, 2)
    return record(MMAP2, USER, body + text(path), who, cpu, time)


def comm(who, cpu, time, name, is_exec=False):
    return record(COMM, COMM_EXEC if is_exec else 0, struct.pack('<II', *who) + text(name),
                  who, cpu, time)


def fork(who, parent, cpu, time):
    body = struct.pack('<IIIIQ', who[0], parent[0], who[1], parent[1], time)
    return record(FORK, 0, body, parent, cpu, time)


def without_starts(data):
    """A data section as a recorder of the whole system writes it."""
    kept, at = b'', 0
    while at < len(data):
        kind, _, size = struct.unpack_from('<IHH', data, at)
        if kind == AUXTRACE:
            size += struct.unpack_from('<Q', data, at + 8)[0]
        if kind != ITRACE_START:
            kept += data[at:at + size]
        at += size
    return kept


def add(path, records, vdso=None, system=False, cpuid=None):
    """The data section grows; of the features that follow it none is left: CPUID, vdso (255)."""
    with open(path, 'rb') as file:
        data = file.read()
    head = list(HEADER.unpack_from(data))
    begin, size = head[5], head[6]
    body = data[begin:begin + size]
    body = (without_starts(body) if system else body) + b''.join(records)
    head[6] = len(body)
    features = {}
    if cpuid:
        features[9] = struct.pack('<I', 64) + cpuid.encode().ljust(64, b'\0')
    if vdso:
        features[255] = vdso
    head[9:] = [sum(1 << bit % 64 for bit in features if bit // 64 == word) for word in range(4)]
    table, at = b'', begin + len(body) + 16 * len(features)
    for _, section in sorted(features.items()):
        table += struct.pack('<QQ', at, len(section))
        at += len(section)
    with open(path, 'wb') as file:
        file.write(HEADER.pack(*head) + data[HEADER.size:begin] + body + table +
                   b''.join(section for _, section in sorted(features.items())))
