# SPDX-License-Identifier: BSD-2-Clause
"""Event files of gaps: every length, clock change and stop that matters."""
from itertools import product

LENGTHS = (0, 1, 2, 10, 100, 254, 255)
CHANGES = (None, ('cbr', 'start'), ('cbr', 'middle'), ('cbr', 'end'),
           ('clock', 'start'), ('clock', 'middle'), ('clock', 'end'))
ENDS = ('tip', 'tick', 'jcc', 'psb', 'disable', 'sleep', 'ovf')
RATIOS = (26, 9, 52, 13)


class Writer:
    """One file: gap after gap, each begun by a burst of TNT bits."""

    def __init__(self, ebx, eax, freq, threshold):
        self.ebx, self.eax, self.freq = ebx, eax, freq
        self.threshold = threshold
        self.period = (ebx << freq) // eax
        self.now, self.lines = 10 * self.period + 7, []
        self.changes = 0
        self.put('enable 0x401000')

    def put(self, text, wait=0):
        self.now += wait
        self.lines.append('%d %s' % (self.now, text))

    def tick(self, ahead):
        """TSC of the tick that is @ahead of the last one."""
        index = (self.now * self.eax // self.ebx >> self.freq) + ahead
        return -(-(index << self.freq) * self.ebx // self.eax)

    def change(self, kind):
        self.changes += 1
        self.put('%s %d' % (kind, RATIOS[self.changes % len(RATIOS)]))

    def gap(self, length, change, end):
        """@length MTCs are missing; the clock may change in it; then it ends."""
        for bit in ('taken', 'not', 'taken'):
            self.put('jcc 0x401000 ' + bit, max(1, self.period // 7))
        first = self.tick(self.threshold)
        last = self.tick(self.threshold + length)
        if change:
            where = {'start': first + 1, 'middle': (first + last) // 2 + 1, 'end': last}
            self.now = max(self.now, where[change[1]])
            self.change(change[0])
        self.now = max(self.now, last if end == 'tick' else last + self.period // 3)
        self.finish(end)
        self.put('ijmp 0x401000 0x401040', max(1, self.period // 5))
        self.put('jcc 0x401040 taken', max(1, self.period // 3))

    def finish(self, end):
        if end == 'disable':
            self.put('disable 0x401020')
            self.put('enable 0x401000', 3 * self.period // 2)
        elif end == 'sleep':
            self.put('sleep %d' % (5 * self.period // 2))
            self.now += 5 * self.period // 2
        elif end == 'ovf':
            self.put('ovf %d' % (self.period // 2 + 1))
            self.now += self.period
        elif end == 'psb':
            self.put('psb')
        elif end == 'jcc':
            self.put('jcc 0x401000 taken')
        else:
            self.put('ijmp 0x401000 0x401000')


def last(shape, length, change, end):
    """One gap, and the data ends with the event behind it, a jcc or a disable."""
    writer = Writer(*shape)
    writer.gap(length, change, end)
    behind = 3 if end == 'disable' else 2
    return '\n'.join(writer.lines[:-behind]) + '\n'


def text(ebx, eax, freq, threshold):
    writer = Writer(ebx, eax, freq, threshold)
    for case in product(LENGTHS, CHANGES, ENDS):
        writer.gap(*case)
    return '\n'.join(writer.lines) + '\n'


def configs():
    """(clock configuration, suppression, (EBX, EAX, MTCFreq, N)) of every file."""
    clocks = ((216, 2, 3), (325, 3, 3), (8, 1, 5))
    for (ebx, eax, freq), n, cyc, preroll in product(
            clocks, (1, 2, 3), ('cyc=0', 'cyc=1', 'cyc=1,cyc_thresh=6'), (0, 1, 4)):
        for resume in ('count:255', 'count:254', 'payload:0', 'tsc'):
            if resume == 'tsc' and preroll:
                continue        # resume=tsc has no pre-roll
            yield ('tsc_ratio=%d/%d,mtc_freq=%d,%s' % (ebx, eax, freq, cyc),
                   'suppress=%d,preroll=%d,resume=%s' % (n, preroll, resume),
                   (ebx, eax, freq, n))
