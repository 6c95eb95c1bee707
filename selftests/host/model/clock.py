# SPDX-License-Identifier: BSD-2-Clause
"""TSC, CTC and core cycles by exact fractions (DESIGN.md, "Time, exactly")."""
from fractions import Fraction
from math import ceil, floor


class Ticks:
    """The MTC ticks, one at a time. Tick k: CTC reaches k << N."""

    def __init__(self, cfg):
        self.cfg = cfg
        self.per_ctc = Fraction(cfg.ebx, cfg.eax)
        self.index = 0
        self.tsc = None         # of the next tick; None: ticks don't run

    def ctc(self, tsc):
        return floor(tsc / self.per_ctc)

    def tsc_of_ctc(self, ctc):
        return ceil(ctc * self.per_ctc)

    def start(self, now):
        """The first tick after @now is next."""
        if self.cfg.mtc:
            self.index = self.ctc(now) >> self.cfg.mtc_freq
            self.next()

    def stop(self):
        self.tsc = None

    def next(self):
        self.index += 1
        self.tsc = self.tsc_of_ctc(self.index << self.cfg.mtc_freq)

    @property
    def payload(self):
        return self.index & 0xff

    def tma(self, now):
        """CTC and FastCounter of a TMA at @now."""
        ctc = self.ctc(now)
        return ctc & 0xffff, now - self.tsc_of_ctc(ctc)


class Cycles:
    """The cycle counter: cycles since the last CYC, with their fraction."""

    def __init__(self, cfg):
        self.p1 = cfg.p1
        self.ratio = cfg.p1
        self.top = (1 << cfg.cyc_bits) - 1
        self.since = Fraction(0)
        self.at = None          # TSC up to which it is counted; None: stopped

    def start(self, now):
        self.at = now

    def stop(self, now):
        self.count_to(now)
        self.at = None

    def reset(self):
        self.since = Fraction(0)
        self.at = None

    def count_to(self, now):
        if self.at is not None:
            self.since += Fraction(self.ratio, self.p1) * (now - self.at)
            self.at = now

    def set_ratio(self, now, ratio):
        self.count_to(now)
        self.ratio = ratio

    def wrap_tsc(self):
        """The TSC at which the counter reaches its top."""
        if self.at is None:
            return None
        left = self.top - self.since
        return self.at + max(0, ceil(left * self.p1 / self.ratio))

    def take(self, cycles):
        self.since -= cycles
