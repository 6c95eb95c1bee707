# SPDX-License-Identifier: BSD-2-Clause
"""What is no packet: a decoder must say so, and go on at the next PSB."""
from corpus import Case, Damage, Stream
from kinds import psb_plus

RESERVED = (
    ('ip-5', 'IP Compression', 'a TIP with IPBytes 5', b'\xad' + bytes(8)),
    ('ip-7', 'IP Compression', 'a FUP with IPBytes 7', b'\xfd' + bytes(8)),
    ('tnt-64-empty', 'Taken/Not-taken (TNT) Packet', 'a TNT.64 with no stop bit', b'\x02\xa3' + bytes(6)),
    ('mode-leaf', 'MODE Packets', 'a MODE of leaf 2', b'\x99\x40'),
    ('tma', 'TSC/MTC Alignment (TMA) Packet', 'a TMA whose zero byte is not zero', b'\x02\x73\x01\x02\xff\x04\x00'),
    ('ptw-size', 'PTWRITE (PTW) Packet', 'a PTW of size 2', b'\x02\x52' + bytes(8)),
    ('opcode', 'Packet Definitions', 'no packet has the second byte ff', b'\x02\xff' + bytes(6)),
    ('psb-short', 'Packet Stream Boundary (PSB) Packet', 'a PSB of seven pairs', b'\x02\x82' * 7 + b'\x04\x04'),
)


def stream(raw):
    """Packets, what is none, others that are not judged, and a PSB+; and where it is."""
    s = Stream()
    psb_plus(s)
    for bits in ('T', 'NT', 'NNNTTT'):
        s.put('TNT.8', bits=bits)
    begin = len(s.data)
    s.refuse(raw)
    s.data += b'\x06' * 20
    sync = len(s.data)
    psb_plus(s)
    s.put('TNT.8', bits='TN')
    return s, Damage(begin, sync, begin, begin + len(raw), 'a reserved value was written')


def write(folder):
    for name, section, what, raw in RESERVED:
        s, damage = stream(raw)
        folder.case(Case('reserved-' + name, 'Reserved values', 'packets', section, what), s,
                    damage=[damage_line(damage)])


def damage_line(damage):
    return '%08x %08x %08x %08x %s' % damage
