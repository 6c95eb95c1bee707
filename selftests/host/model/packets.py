# SPDX-License-Identifier: BSD-2-Clause
"""Packets to bytes and back, by PROTOCOL.md's table and the SDM's layouts.

A packet is a tuple (name, fields): names as `softpt dump` prints them.
"""
IP_SIZE = {0: 0, 1: 2, 2: 4, 3: 6, 4: 6, 6: 8}
IP_OPCODE = {'TIP': 0x0d, 'TIP.PGE': 0x11, 'TIP.PGD': 0x01, 'FUP': 0x1d}
TIMING = {'PAD', 'TSC', 'TMA', 'MTC', 'CYC'}
CYC_ELIGIBLE = {'TNT', 'TIP', 'TIP.PGE', 'TIP.PGD', 'MODE.Exec', 'MODE.TSX',
                'PIP', 'VMCS', 'OVF', 'MTC', 'TSC', 'PTW', 'EXSTOP', 'CFE',
                'EVD', 'TRIG'}

# name: (second byte, payload bytes): the extended packets of fixed size
EXTENDED = {
    'PSBEND': (0x23, 0), 'OVF': (0xf3, 0), 'TraceStop': (0x83, 0),
    'PIP': (0x43, 6), 'TMA': (0x73, 5), 'CBR': (0x03, 2), 'VMCS': (0xc8, 5),
    'MWAIT': (0xc2, 8), 'PWRE': (0x22, 2), 'PWRX': (0xa2, 5), 'CFE': (0x13, 2),
    'EVD': (0x53, 9), 'TNT.64': (0xa3, 6),
}
BY_SECOND = {second: (name, size) for name, (second, size) in EXTENDED.items()}


def le(value, size):
    return value.to_bytes(size, 'little')


def cyc(cycles):
    """Five bits in the first byte, seven in each that follows."""
    rest, out = cycles >> 5, []
    out.append((cycles & 0x1f) << 3 | bool(rest) << 2 | 3)
    while rest:
        byte, rest = rest & 0x7f, rest >> 7
        out.append(byte << 1 | bool(rest))
    return bytes(out)


def tnt(bits):
    """Bits as a string of T and N, the oldest first."""
    value = 1
    for bit in bits:
        value = value << 1 | (bit == 'T')
    if len(bits) <= 6:
        return bytes([value << 1])
    return b'\x02\xa3' + le(value, 6)


def ip_packet(name, ip, last):
    """The shortest IPBytes that rebuilds @ip from the last IP (SDM, IP compression)."""
    if ip is None:
        form = 0
    elif ip >> 16 == last >> 16:
        form = 1
    elif ip >> 32 == last >> 32:
        form = 2
    elif ip >> 47 in (0, (1 << 17) - 1):
        form = 3
    elif ip >> 48 == last >> 48:
        form = 4
    else:
        form = 6
    payload = b''
    if form:
        payload = le(ip & ((1 << 8 * IP_SIZE[form]) - 1), IP_SIZE[form])
    return bytes([form << 5 | IP_OPCODE[name]]) + payload


def fixed(name, value):
    second, size = EXTENDED[name]
    return bytes([2, second]) + le(value, size)


def ptw(value, has_ip):
    wide = value >> 32 != 0
    return bytes([2, 0x12 | wide << 5 | has_ip << 7]) + le(value, 8 if wide else 4)


PSB = b'\x02\x82' * 8


def tma(ctc, fc):
    return fixed('TMA', (ctc & 0xffff) | fc << 24)


def length(data, at):
    """(name, bytes) of the packet at an offset; ValueError if there is none."""
    first = data[at]
    if first == 0:
        return 'PAD', 1
    if first == 2:
        return _extended(data, at)
    if first & 3 == 3:
        size = 1
        if first & 4:
            while data[at + size] & 1:
                size += 1
            size += 1
        return 'CYC', size
    if first & 1 == 0:
        return 'TNT.8', 1
    if first == 0x19:
        return 'TSC', 8
    if first == 0x59:
        return 'MTC', 2
    if first == 0x99:
        return ('MODE.TSX' if data[at + 1] & 0xe0 == 0x20 else 'MODE.Exec'), 2
    if first == 0xd9:
        return 'TRIG', 5 if data[at + 1] & 0x40 else 3
    for name, opcode in IP_OPCODE.items():
        if first & 0x1f == opcode and first >> 5 in IP_SIZE:
            return name, 1 + IP_SIZE[first >> 5]
    raise ValueError('offset %#x: no packet begins with %02x' % (at, first))


def _extended(data, at):
    second = data[at + 1]
    if second == 0x82:
        if data[at:at + 16] != PSB:
            raise ValueError('offset %#x: broken PSB' % at)
        return 'PSB', 16
    if second == 0xc3 and data[at + 2] == 0x88:
        return 'MNT', 11
    if second & 0x1f == 0x12 and second & 0x40 == 0:
        return 'PTW', 10 if second & 0x20 else 6
    if second & 0x7f == 0x62:
        return 'EXSTOP', 2
    if second in BY_SECOND:
        name, size = BY_SECOND[second]
        return name, 2 + size
    raise ValueError('offset %#x: no packet begins with 02 %02x' % (at, second))


def split(data):
    """[(offset, name, bytes)] of a whole stream."""
    at, out = 0, []
    try:
        while at < len(data):
            name, size = length(data, at)
            if at + size > len(data):
                raise ValueError('offset %#x: cut %s' % (at, name))
            out.append((at, name, data[at:at + size]))
            at += size
    except IndexError:
        raise ValueError('offset %#x: cut packet' % at) from None
    return out


def cycles_of(raw):
    """The cycles of a CYC packet."""
    value, shift = raw[0] >> 3, 5
    for byte in raw[1:]:
        value |= byte >> 1 << shift
        shift += 7
    return value
