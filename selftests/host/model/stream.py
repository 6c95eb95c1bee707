# SPDX-License-Identifier: BSD-2-Clause
"""What a unit writes: packets in order, each with the time it stands for."""
from collections import namedtuple

import packets

Packet = namedtuple('Packet', 'name raw tsc offset')


class Stream:
    """The timing half of a unit: ticks, cycles, suppression, TNT buffer."""

    def __init__(self, cfg, ticks, cycles, suppressor):
        self.cfg, self.ticks, self.cycles, self.sup = cfg, ticks, cycles, suppressor
        self.out = []
        self.bytes = 0
        self.preroll = 0 if cfg.resume == 'tsc' else cfg.preroll
        self.bits = ''
        self.bits_full = 47 if cfg.tnt64 else 6
        self.missing = 0        # ticks not sent since the last anchor
        self.spent = False      # the last anchor is an MTC behind which ticks may be missing
        self.untold = False     # the clock changed, and no packet has said so
        self.shadows = []       # (cycles since the last CYC, payload), pre-roll

    def put(self, name, raw, now):
        if name not in packets.TIMING and not name.startswith('TNT'):
            self.sup.ntp()      # a TNT counted with each of its bits
        self.out.append(Packet(name, bytes(raw), now, self.bytes))
        self.bytes += len(raw)

    def tell(self, now):
        """The clock changed without a word, in a stream that announces changes: PAD PAD."""
        if self.untold:
            self.untold = False
            self.flush(now)
            self.put('PAD', b'\0', now)
            self.put('PAD', b'\0', now)

    # ---- TNT ----

    def flush(self, now):
        if not self.bits:
            return
        name = 'TNT.8' if len(self.bits) <= 6 else 'TNT.64'
        bits, self.bits = self.bits, ''
        self.put(name, packets.tnt(bits), now)

    def bit(self, taken, now):
        """One more bit; a CYC, where due, is for the first."""
        if not self.bits:
            self.tell(now)
            self.cyc(now)
        self.sup.ntp()
        self.bits += 'T' if taken else 'N'
        if len(self.bits) == self.bits_full:
            self.flush(now)

    # ---- cycles ----

    def cyc(self, now, least=None):
        """A CYC where CycThresh is reached, for the CYC-eligible packet behind it."""
        if not self.cfg.cyc:
            return
        whole = int(self.cycles.since)
        if whole < (self.cfg.cyc_floor if least is None else least):
            return
        self.put_cyc(whole, now)

    def put_cyc(self, whole, now):
        self.tell(now)
        self.flush(now)
        self.put('CYC', packets.cyc(whole), now)
        self.cycles.take(whole)
        self.shadows = [(since - whole, payload) for since, payload in self.shadows
                        if since >= whole]

    # ---- ticks ----

    def advance(self, now):
        """Let time pass to @now: counter wraps and ticks in order, @now included."""
        while True:
            tick = self.ticks.tsc
            wrap = self.cycles.wrap_tsc() if self.cfg.cyc else None
            if wrap is not None and wrap <= now and (tick is None or wrap <= tick):
                self.cycles.count_to(wrap)
                self.put_cyc(self.cycles.top, wrap)
            elif tick is not None and tick <= now:
                self.cycles.count_to(tick)
                self.tick(tick)
            else:
                break
        self.cycles.count_to(now)

    def tick(self, now):
        payload = self.ticks.payload
        if self.sup.tick(payload):
            self.shadows = []
            self.mtc(payload, now)
            self.spent = self.sup.exhausted
        else:
            self.missing += 1
            self.shadows.append((self.cycles.since, payload))
            self.shadows = self.shadows[-self.preroll:] if self.preroll else []
        self.ticks.next()

    def mtc(self, payload, now):
        self.tell(now)
        self.flush(now)
        self.cyc(now)
        self.put('MTC', bytes([0x59, payload]), now)
        self.missing, self.spent = 0, False

    # ---- anchors ----

    def tsc(self, now):
        """TSC and TMA: an anchor."""
        if not self.cfg.tsc:
            return
        self.put('TSC', b'\x19' + packets.le(now & (1 << 56) - 1, 7), now)
        if self.cfg.mtc:
            self.put('TMA', packets.tma(*self.ticks.tma(now)), now)
        self.missing, self.spent, self.shadows = 0, False, []

    def restart(self, now):
        """The counter goes on after a stop: CYC TSC TMA CBR, whatever CycThresh."""
        self.tell(now)
        self.cyc(now, 0)
        self.tsc(now)

    def closing_anchor(self, now):
        """Before a stop: [CYC] TSC TMA, if an MTC is missing since the last anchor, or if
        something happened behind an anchor after which the reader can't know."""
        self.flush(now)
        unsure = self.spent and not self.sup.exhausted
        if (self.missing or unsure) and self.cfg.tsc:
            self.tell(now)
            self.cyc(now)
            self.tsc(now)

    def before_ntp(self, now, psb):
        """What the NTP that ends a suppressed stretch is preceded by. A PSB+ holds a TSC."""
        if not self.sup.suppressing:
            return
        if self.cfg.resume == 'tsc':
            if self.missing and not psb:
                self.closing_anchor(now)
            return
        while self.shadows:
            since, payload = self.shadows.pop(0)
            later = self.cycles.since - since
            self.cycles.since = since
            self.mtc(payload, now)
            self.cycles.since += later
