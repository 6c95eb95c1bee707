# SPDX-License-Identifier: BSD-2-Clause
"""Which packet may follow which: the grammar behind DESIGN.md's points."""
from collections import Counter

# What may begin the packets of an event, of a tick or of a stop
BEGINS = {'CYC', 'MTC', 'TNT.8', 'TNT.64', 'TIP', 'TIP.PGE', 'TIP.PGD', 'FUP', 'PIP',
          'MODE.Exec', 'MODE.TSX', 'TSC', 'CBR', 'PSB', 'OVF', 'VMCS', 'PTW',
          'EXSTOP', 'MWAIT', 'PAD', 'PWRE', 'PWRX', 'CFE', 'EVD', 'TRIG', 'TraceStop'}
TNT = {'TNT.8', 'TNT.64'}
# No flow between TIP.PGD and the next TIP.PGE
FLOW = TNT | {'TIP', 'TIP.PGD', 'FUP', 'PTW', 'TRIG', 'MODE.TSX'}
# Flow that needs a FUP before it where packets were lost or the clock restarted
TRACED = TNT | {'TIP', 'TIP.PGD', 'MODE.TSX'}
FOLLOWERS = {
    'PSB': {'MNT', 'TSC', 'PIP', 'CBR'},
    # the description: in a PSB+, and CR3 and ranges behind it; MODE.Exec precedes TIP.PGE
    'MNT': BEGINS - {'TIP.PGE'} | {'MNT'},
    'PSBEND': BEGINS - {'TIP.PGE'} | {'MNT'},
    'MODE.TSX': {'FUP'},
    # without a TMA: mtc=0
    'TSC': BEGINS - TRACED - {'MTC'} | {'TMA'},
    # the clocks stop: a wake is next
    'TraceStop': {'TSC', 'CBR', 'CYC'},
    'EXSTOP': {'TSC', 'CBR', 'CYC', 'FUP'},
    'MODE.Exec': {'TIP', 'TIP.PGE', 'FUP'},
    'CBR': BEGINS | {'PSBEND'},
    'FUP': BEGINS | {'PSBEND'},
    'TIP.PGD': BEGINS - FLOW,
    'TIP.PGE': BEGINS - {'TIP.PGE', 'TraceStop'},
    # as TSC, where there is none: tsc=0
    'OVF': BEGINS - TRACED - {'OVF'},
    'TNT.8': BEGINS - {'TIP.PGE', 'TraceStop', 'TNT.64'},
    # a full one may be followed by another
    'TNT.64': BEGINS - {'TIP.PGE', 'TraceStop'},
    'TIP': BEGINS - {'TIP.PGE', 'TraceStop'},
    # packets were enabled
    'PTW': BEGINS - {'TIP.PGE'},
    'TRIG': BEGINS - {'TIP.PGE'},
}
for _first in BEGINS | {'TMA'}:
    FOLLOWERS.setdefault(_first, BEGINS)
LEGAL = {(a, b) for a, follow in FOLLOWERS.items() for b in follow}


def count(names):
    """How often each ordered pair of neighbours occurs."""
    return Counter(zip(names, names[1:]))


def report(seen):
    """Lines: how many of the legal ordered pairs were seen, which were not."""
    missing = {}
    for a, b in sorted(LEGAL - set(seen)):
        missing.setdefault(a, []).append(b)
    lines = ['coverage of ordered pairs: %d of %d legal' % (len(LEGAL & set(seen)), len(LEGAL))]
    lines += ['never seen: %s -> %s' % (a, ' '.join(bs)) for a, bs in missing.items()]
    return lines
