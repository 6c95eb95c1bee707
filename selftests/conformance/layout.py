# SPDX-License-Identifier: BSD-2-Clause
"""The packets' bits as the SDM draws them: fields to bytes, and back.

It shares no code with the library, which is judged by what is written here. A packet is a
name, as `softpt dump` prints it, and a dictionary of fields.
"""
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../host/model'))
from packets import IP_OPCODE, IP_SIZE, cyc, cycles_of, le     # noqa: E402

EXEC = {64: 1, 32: 2, 16: 0}

# name: (first bytes, bytes of the payload, ((field, lowest bit of the payload, bits, shift), ...))
FIXED = {
    'PAD': ('00', 0, ()),
    'PSB': ('0282' * 8, 0, ()),
    'PSBEND': ('0223', 0, ()),
    'OVF': ('02f3', 0, ()),
    'TraceStop': ('0283', 0, ()),
    'PIP': ('0243', 6, (('cr3', 1, 47, 5), ('nr', 0, 1, 0))),
    'TSC': ('19', 7, (('tsc', 0, 56, 0),)),
    'TMA': ('0273', 5, (('ctc', 0, 16, 0), ('fc', 24, 9, 0))),
    'MTC': ('59', 1, (('ctc', 0, 8, 0),)),
    'CBR': ('0203', 2, (('ratio', 0, 8, 0),)),
    'VMCS': ('02c8', 5, (('base', 0, 40, 12),)),
    'MNT': ('02c388', 8, (('payload', 0, 64, 0),)),
    'MWAIT': ('02c2', 8, (('hints', 0, 32, 0), ('ext', 32, 32, 0))),
    'PWRE': ('0222', 2, (('state', 12, 4, 0), ('substate', 8, 4, 0), ('hw', 7, 1, 0))),
    'PWRX': ('02a2', 5, (('last', 4, 4, 0), ('deepest', 0, 4, 0), ('reason', 8, 4, 0))),
    'CFE': ('0213', 2, (('type', 0, 5, 0), ('vector', 8, 8, 0), ('ip', 7, 1, 0))),
    'EVD': ('0253', 9, (('type', 0, 6, 0), ('payload', 8, 64, 0))),
}


def number(raw):
    return int.from_bytes(raw, 'little')


def low(ip, ipbytes):
    """What is sent of an address."""
    return ip & ((1 << 8 * IP_SIZE[ipbytes]) - 1)


def whole(last, sent, ipbytes):
    """What a decoder makes of it (SDM, "IP compression")."""
    if ipbytes == 3:
        return sent | (0xffff << 48 if sent >> 47 else 0)
    bits = 8 * IP_SIZE[ipbytes]
    return last >> bits << bits | sent


# ---- to bytes ----

def write_fixed(name, f):
    first, size, fields = FIXED[name]
    value = sum((f[key] >> shift) << at for key, at, _, shift in fields)
    return bytes.fromhex(first) + le(value, size)


def write_ip(name, f):
    form = f['ipbytes']
    return bytes([form << 5 | IP_OPCODE[name]]) + le(f.get('sent', 0), IP_SIZE[form])


def write_tnt(name, f):
    bits = int('1' + f['bits'].replace('T', '1').replace('N', '0'), 2)
    return bytes([bits << 1]) if name == 'TNT.8' else b'\x02\xa3' + le(bits, 6)


def write_cyc(_, f):
    return cyc(f['cycles'])


def write_mode(name, f):
    return bytes([0x99, f['bits'] if name == 'MODE.Exec' else 0x20 | f['abort'] << 1 | f['intx']])


def write_ptw(_, f):
    wide = f['bytes'] == 8
    return bytes([2, 0x12 | wide << 5 | f['ip'] << 7]) + le(f['payload'], f['bytes'])


def write_flag(name, f):
    return bytes([2, {'EXSTOP': 0x62, 'BEP': 0x33}[name] | f['ip'] << 7])


def write_trig(_, f):
    flags = f['ip'] << 7 | ('icnt' in f) << 6 | f['mult'] << 5
    return bytes([0xd9, flags, f['trbv']]) + (le(f['icnt'], 2) if 'icnt' in f else b'')


def write_bbp(_, f):
    return bytes([2, 0x63, (f['bytes'] == 4) << 7 | f['type']])


def write_bip(_, f):
    return bytes([f['id'] << 3 | 4]) + le(f['value'], f['bytes'])


# ---- and back ----

def read_fixed(name, raw):
    first, size, fields = FIXED[name]
    value = number(raw[len(raw) - size:]) if size else 0
    return {key: (value >> at & ((1 << bits) - 1)) << shift for key, at, bits, shift in fields}


def read_ip(_, raw):
    form = raw[0] >> 5
    return {'ipbytes': form, 'sent': number(raw[1:])} if form else {'ipbytes': 0}


def read_tnt(name, raw):
    bits = bin(raw[0] >> 1 if name == 'TNT.8' else number(raw[2:]))[3:]
    return {'bits': bits.replace('1', 'T').replace('0', 'N')}


def read_cyc(_, raw):
    return {'cycles': cycles_of(raw)}


def read_mode(name, raw):
    if name == 'MODE.TSX':
        return {'intx': raw[1] & 1, 'abort': raw[1] >> 1 & 1}
    bits = raw[1] & 0x1f
    return {'mode': 64 if bits & 1 else 32 if bits & 2 else 16, 'bits': bits}


def read_ptw(_, raw):
    return {'payload': number(raw[2:]), 'bytes': len(raw) - 2, 'ip': raw[1] >> 7}


def read_flag(_, raw):
    return {'ip': raw[1] >> 7}


def read_trig(_, raw):
    f = {'trbv': raw[2], 'ip': raw[1] >> 7, 'mult': raw[1] >> 5 & 1}
    return dict(f, icnt=number(raw[3:])) if raw[1] & 0x40 else f


def read_bbp(_, raw):
    return {'type': raw[2] & 0x1f, 'bytes': 4 if raw[2] & 0x80 else 8}


def read_bip(_, raw):
    return {'id': raw[0] >> 3, 'value': number(raw[1:]), 'bytes': len(raw) - 1}


FORMS = {'TNT.8': (write_tnt, read_tnt), 'TNT.64': (write_tnt, read_tnt), 'CYC': (write_cyc, read_cyc),
         'MODE.Exec': (write_mode, read_mode), 'MODE.TSX': (write_mode, read_mode),
         'PTW': (write_ptw, read_ptw), 'EXSTOP': (write_flag, read_flag), 'BEP': (write_flag, read_flag),
         'TRIG': (write_trig, read_trig), 'BBP': (write_bbp, read_bbp), 'BIP': (write_bip, read_bip)}
FORMS.update((name, (write_ip, read_ip)) for name in IP_OPCODE)
FORMS.update((name, (write_fixed, read_fixed)) for name in FIXED)


def write(name, fields):
    """The bytes of a packet. ValueError where they do not hold what the fields say."""
    raw = FORMS[name][0](name, fields)
    back = read(name, raw)
    if any(back.get(key) != value for key, value in fields.items()):
        raise ValueError('%s: %s cannot be written: %s' % (name, fields, back))
    return raw


def read(name, raw):
    """The fields of a packet."""
    return FORMS[name][1](name, raw)
