# SPDX-License-Identifier: BSD-2-Clause
"""The event text (DESIGN.md, section 7): one event per line."""


class Event:
    """A time, a keyword and its arguments, as text gives them."""

    __slots__ = ('tsc', 'kind', 'args', 'line')

    def __init__(self, tsc, kind, args, line=0):
        self.tsc, self.kind, self.args, self.line = tsc, kind, args, line

    def num(self, i, default=None):
        return int(self.args[i], 0) if i < len(self.args) else default

    def __str__(self):
        return ' '.join([str(self.tsc), self.kind, *self.args])


# keyword: (fewest, most) arguments
KINDS = {
    'enable': (1, 1), 'disable': (0, 1), 'jcc': (2, 2), 'jmp': (2, 2),
    'call': (2, 3), 'ijmp': (2, 2), 'icall': (2, 3), 'ret': (2, 2),
    'far': (3, 3), 'intr': (4, 4), 'cr3': (1, 2), 'cpl': (1, 2),
    'mode': (1, 1), 'thread': (1, 1), 'ptw': (1, 2), 'cbr': (1, 1),
    'clock': (1, 1), 'sleep': (1, 1), 'mwait': (2, 2), 'pwre': (2, 2),
    'pwrx': (3, 3), 'pmu': (3, 4), 'psb': (0, 0), 'ovf': (1, 1),
    'trig': (1, 1), 'cfe': (2, 2), 'evd': (2, 2), 'tsx': (1, 1),
    'vmcs': (1, 1), 'retire': (2, 2), 'idle': (0, 0),
}


def parse(text):
    """Events of a text; ValueError names the line."""
    now, events = 0, []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition('#')[0].split()
        if not words:
            continue
        if len(words) < 2 or words[1] not in KINDS:
            raise ValueError('line %d: no such event' % number)
        fewest, most = KINDS[words[1]]
        if not fewest <= len(words) - 2 <= most:
            raise ValueError('line %d: wrong number of arguments' % number)
        when = int(words[0].lstrip('+'), 0)
        when = now + when if words[0].startswith('+') else when
        if when < now:
            raise ValueError('line %d: time goes back' % number)
        now = when
        events.append(Event(when, words[1], words[2:], number))
    return events
