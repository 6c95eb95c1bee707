# SPDX-License-Identifier: BSD-2-Clause
"""Damage, planted in a stream of all packets that every decoder knows; and where it is over."""
import bisect

import kinds
from corpus import Case, Damage, Packet, Stream
from reserved import damage_line

SECTION = 'Packet Stream Boundary (PSB) Packet'
LEN = 70        # packets between two PSB+
PSBS = 5


def some_packet(s, rng):
    """One at random, of those of each kind."""
    rng.choice((
        lambda: s.put('TNT.8', bits=kinds.word(rng, rng.randint(1, 6))),
        lambda: s.put('TNT.64', bits=kinds.word(rng, rng.randint(1, 47))),
        lambda: s.put('TIP', ip=rng.getrandbits(64), ipbytes=6),
        lambda: s.put('TIP', ip=s.last_ip ^ rng.getrandbits(16), ipbytes=1),
        lambda: s.put('FUP', ip=s.last_ip ^ rng.getrandbits(32), ipbytes=2),
        lambda: s.put('TIP.PGD', ipbytes=0),
        lambda: s.put('TIP.PGE', ip=kinds.KERNEL + rng.getrandbits(20), ipbytes=3),
        lambda: s.put('CYC', cycles=rng.getrandbits(rng.randint(1, 48))),
        lambda: s.put('MTC', ctc=rng.getrandbits(8)),
        lambda: s.put('TSC', tsc=rng.getrandbits(56)),
        lambda: s.put('PIP', cr3=rng.getrandbits(47) << 5, nr=0),
        lambda: s.put('PTW', payload=rng.getrandbits(64), bytes=8, ip=0),
        lambda: s.put('CBR', ratio=rng.randint(1, 255)),
        lambda: s.put('PAD'),
    ))()


class Plan:
    """A whole stream, and where its packets and PSBs are."""

    def __init__(self, rng):
        self.rng, self.whole = rng, Stream()
        self.psbs = []
        for _ in range(PSBS):
            self.psbs.append(len(self.whole.data))
            kinds.psb_plus(self.whole, tsc=rng.getrandbits(56) | 1)
            for _ in range(LEN):
                some_packet(self.whole, rng)
        self.starts = [packet.offset for packet in self.whole.packets]

    def packet_at(self, offset):
        """Where the packet begins that has this byte."""
        return self.starts[bisect.bisect_right(self.starts, offset) - 1]

    def somewhere(self):
        """Amid the packets between the second PSB+ and the third"""
        inside = [at for at in self.starts if self.psbs[1] < at < self.psbs[2]]
        return self.rng.choice(inside[20:-20])

    def long_packet(self):
        """The offset and size of one that has more than four bytes, as somewhere()."""
        while True:
            at = self.somewhere()
            size = self.starts[self.starts.index(at) + 1] - at
            if size > 4:
                return at, size

    def replaced(self, begin, end, new, how):
        """Bytes begin..end-1 are @new instead. Return: the stream, and its damage."""
        data = self.whole.data
        s = Stream()
        s.data = data[:begin] + new + data[end:]
        moved = len(new) - (end - begin)
        since = self.packet_at(begin)
        psb = next((at for at in self.psbs if at >= end), len(data))
        s.packets = [packet for packet in self.whole.packets if packet.offset < since]
        s.packets += [Packet(packet.offset + moved, packet.name, packet.fields)
                      for packet in self.whole.packets if packet.offset >= psb]
        return s, Damage(since, psb + moved, begin, begin + len(new), how)

    def overwritten(self, at, new, how):
        return self.replaced(at, at + len(new), new, how)


def flip(plan):
    at, size = plan.long_packet()
    at += plan.rng.randrange(size)
    byte = plan.whole.data[at] ^ 1 << plan.rng.randrange(8)
    return plan.overwritten(at, bytes([byte]), 'a bit is changed')


def burst(plan):
    return plan.overwritten(plan.somewhere() + 1, plan.rng.randbytes(12), 'twelve bytes are random')


def zeros(plan):
    return plan.overwritten(plan.long_packet()[0] + 2, bytes(64), '64 bytes are 0')


def ones(plan):
    return plan.overwritten(plan.long_packet()[0] + 2, b'\xff' * 64, '64 bytes are ff')


def cut(plan):
    at = plan.long_packet()[0] + 2
    return plan.replaced(at, at + plan.rng.randint(1, 40), b'', 'bytes are missing')


def insert(plan):
    at = plan.long_packet()[0] + 2
    return plan.replaced(at, at, plan.rng.randbytes(plan.rng.randint(1, 40)), 'bytes are too many')


def cut_to_psb(plan):
    """A packet misses its end, and would take what it misses from the PSB."""
    at = plan.long_packet()[0]
    return plan.replaced(at + 2, plan.psbs[2], b'', 'bytes are missing up to a PSB')


def psb(plan):
    at = plan.psbs[2] + plan.rng.randrange(16)
    byte = plan.whole.data[at] ^ 1 << plan.rng.randrange(8)
    return plan.overwritten(at, bytes([byte]), 'a bit of a PSB is changed')


def begin(plan):
    at = plan.long_packet()[0] + 2
    s, damage = plan.replaced(0, at, b'', 'the begin is missing')
    return s, damage._replace(since=0)


def end(plan):
    at = plan.long_packet()[0] + 2
    return plan.replaced(at, len(plan.whole.data), b'', 'the end is missing')


def write(folder, rng):
    for plant in (flip, burst, zeros, ones, cut, insert, cut_to_psb, psb, begin, end):
        for number in range(1, 6):
            s, damage = plant(Plan(rng))
            name = 'damage-%s-%d' % (plant.__name__.replace('_', '-'), number)
            folder.case(Case(name, 'Damage: ' + damage.how, 'packets', SECTION, damage.how), s,
                        damage=[damage_line(damage)])
