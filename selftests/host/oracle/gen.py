#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Random but legal configurations and event files, the same for the same seed.

usage: gen.py [--seed N] [--count N] [--stock] [--ranges] [--config-only]

--stock keeps to what stock decoders (libipt 2.0.5, perf 6.1) know. The first line of
the output is a comment that holds the configuration for -c.
"""
import argparse
import random

USER, KERNEL = 0x400000, 0xffffffff81000000
FAR_USER = (0x7fff12000000, 0x555555554000, 0x10000)
CR3S = (0x2000, 0x1234000, 0xabcde000)
RATIOS = ('216/2', '8/1', '1/1', '325/3', '84/2', '176/2', '512/1', '300/7', '25/24')
MODES = ('16', '32', '64')


def pick(rng, *weighted):
    """(weight, value)..."""
    return rng.choices([v for _, v in weighted], [w for w, _ in weighted])[0]


def config(rng, stock=False, ranges=False):
    """A configuration that softpt_config_check() accepts, as -c text."""
    c = {'tsc_ratio': rng.choice(RATIOS), 'mtc_freq': rng.choice((0, 1, 3, 3, 5, 8, 9, 11)),
         'cyc': rng.randint(0, 1), 'pwr': rng.randint(0, 1), 'os': rng.randint(0, 1),
         'tnt64': rng.randint(0, 1), 'psb_freq': rng.choice((0, 0, 1, 3)),
         'pge_tsc': rng.randint(0, 1), 'retc': pick(rng, (4, 1), (1, 0)),
         'describe': pick(rng, (4, 1), (1, 0))}
    if c['cyc']:
        c['cyc_thresh'] = pick(rng, (3, 0), (1, rng.randint(1, 12)))
        c['cyc_bits'] = pick(rng, (3, 48), (1, 16), (1, rng.randint(17, 56)))
    if c['os'] and rng.random() < 0.2:
        c['user'] = 0
    if not (stock or c['os']) and rng.random() < 0.3:    # libipt 2.0.5 drops the bit
        c['iflag'] = 1
    if rng.random() < 0.15:
        c['cr3'] = '%#x' % rng.choice(CR3S)
    for key in ('ptw', 'branch', 'cbr'):
        c[key] = pick(rng, (9, 1), (1, 0))
    if ranges and rng.random() < 0.4:
        address_ranges(rng, c)
    suppress(rng, c)
    if stock:
        make_stock_safe(rng, c)
    elif rng.random() < 0.1:
        drop_timing(rng, c)
    return ','.join('%s=%s' % item for item in c.items())


def address_ranges(rng, c):
    """Parts of where execution goes, so that it often enters and leaves them."""
    for key in ('filter', 'stop'):
        if rng.random() < (0.8 if key == 'filter' else 0.3):
            first = rng.choice((USER, KERNEL)) + rng.randrange(0, 0x800)
            c[key] = '%#x-%#x' % (first, first + rng.randrange(0, 0x2000))


def suppress(rng, c):
    if rng.random() < 0.15:
        return
    n = pick(rng, (4, rng.randint(1, 4)), (1, rng.randint(1, 255)))
    c['suppress'] = n
    c['resume'] = pick(rng, (4, 'count:254'), (2, 'count:255'), (2, 'payload:0'),
                       (3, 'count:%d' % rng.randint(1, 255)),
                       (2, 'payload:%d' % rng.randint(0, 255)), (2, 'tsc'))
    c['burst'] = pick(rng, (2, 'N'), (1, 1), (1, rng.randint(1, n)))
    c['preroll'] = pick(rng, (2, 0), (1, 1), (1, rng.randint(2, 4)))


def make_stock_safe(rng, c):
    c.update(stock_safe=1, branch=1, cbr=1)
    c.pop('cyc_thresh', None)
    if 'suppress' in c:
        most = 254 if c['mtc_freq'] <= 8 else (1 << (16 - c['mtc_freq'])) - 2
        c['resume'] = 'count:%d' % pick(rng, (1, min(most, 254)), (1, rng.randint(1, most)))


def drop_timing(rng, c):
    """Rare: no TSC, or no MTC and so no suppression."""
    if c.get('resume') == 'tsc' or rng.random() < 0.5:
        for key in ('suppress', 'resume', 'burst'):
            c.pop(key, None)
        c['mtc'] = 0
    else:
        c['tsc'] = 0


def values(text):
    return dict(item.split('=') for item in text.split(',') if item)


class Machine:
    """What runs: makes one legal event after the other."""

    def __init__(self, rng, text, stock=False):
        c = values(text)
        self.rng, self.stock = rng, stock
        ebx, eax = (int(v) for v in c['tsc_ratio'].split('/'))
        self.ebx, self.eax = ebx, eax
        self.freq = int(c['mtc_freq'])
        self.period = max(1, (ebx << self.freq) // eax)
        # a TSC packet has 56 bits; only a description gives the ones above
        wide = 57 if c.get('describe') == '1' else 55
        self.now = rng.randrange(1, 1 << pick(rng, (4, 36), (1, wide)))
        self.cpl, self.ip, self.rets = 3, USER, []
        self.enabled, self.asleep, self.lost_until = False, 0, 0
        self.gap = pick(rng, (3, 'dense'), (2, 'mixed'), (1, 'sparse'))
        # libipt keeps an MWAIT until a FUP comes: that of a sleep while PacketEn is set
        self.everywhere = (c['os'] == '1' and c.get('user', '1') == '1' and
                           not {'cr3', 'filter', 'stop'} & set(c))
        self.waits = False
        self.kinds, self.weights = zip(*self.table())
        flow = pick(rng, (5, None), (2, 1), (1, 1000))
        if flow:                # every kind as often as any other; or nearly all jcc
            self.weights = [flow if kind == 'jcc' else 1 for kind in self.kinds]

    def table(self):
        """(keyword, weight); what stock decoders don't know is left out for them."""
        rows = [('jcc', 40), ('ijmp', 8), ('icall', 6), ('call', 8), ('ret', 12), ('jmp', 4),
                ('far', 6), ('intr', 4), ('cr3', 2), ('cpl', 1), ('mode', 1), ('thread', 1),
                ('ptw', 5), ('cbr', 2), ('sleep', 1), ('pwre', 1),
                ('pwrx', 1), ('pmu', 1), ('psb', 1), ('ovf', 1), ('vmcs', 1), ('retire', 1),
                ('idle', 3), ('disable', 1)]
        if not self.stock:
            rows += [('mwait', 1), ('clock', 2), ('trig', 1), ('cfe', 1), ('evd', 1), ('tsx', 1)]
        elif self.everywhere:
            rows += [('mwait', 1)]
        return rows

    # ---- time ----

    def tick_tsc(self, index):
        return -(-(index << self.freq) * self.ebx // self.eax)

    def wait(self):
        """The time of the next event: dense, exactly on a tick, or after a long gap."""
        rng, period = self.rng, self.period
        kind = pick(rng, (1 if self.gap != 'sparse' else 0, 'same'), (12, 'near'),
                    (6 if self.gap != 'dense' else 1, 'period'), (2, 'tick'),
                    ({'dense': 0, 'mixed': 1, 'sparse': 6}[self.gap], 'gap'))
        if kind == 'near':
            self.now += rng.randrange(1, max(2, min(60, period)))
        elif kind == 'period':
            self.now += rng.randrange(1, 3 * period + 1)
        elif kind == 'gap':
            self.now += period * rng.choice((3, 10, 100, 254, 255, 256, 300, rng.randint(1, 600)))
        elif kind == 'tick':
            ctc = self.now * self.eax // self.ebx
            tick = self.tick_tsc((ctc >> self.freq) + rng.choice((1, 1, 1, 2, 5)))
            self.now = max(self.now, tick + rng.choice((0, 0, 0, -1, 1)))

    # ---- addresses ----

    def somewhere(self):
        rng = self.rng
        if self.cpl == 0:
            return KERNEL + rng.randrange(0, 1 << pick(rng, (3, 16), (1, 24)))
        base = pick(rng, (8, USER), (1, rng.choice(FAR_USER)))
        return base + rng.randrange(0, 1 << pick(rng, (3, 12), (1, 20)))

    def step(self):
        """An instruction a little further on."""
        self.ip += self.rng.randrange(0, 40)
        return self.ip

    # ---- events: each returns its text ----

    def event(self):
        self.now += self.asleep
        self.asleep = 0
        self.wait()
        if not self.enabled:
            self.enabled = True
            self.rets.clear()
            return self.line('enable %#x' % self.step())
        kind = self.rng.choices(self.kinds, self.weights)[0]
        if self.waits:
            kind, self.waits = 'sleep', False
        if self.now <= self.lost_until and kind in ('mwait', 'sleep', 'ovf'):
            kind = 'idle'       # one stop at a time
        return self.line(getattr(self, 'ev_' + kind, self.simple)(kind))

    def line(self, text):
        return '%d %s' % (self.now, text)

    def simple(self, kind):
        rng = self.rng
        return {
            'idle': lambda: 'idle',
            'psb': lambda: 'psb',
            'mode': lambda: 'mode ' + rng.choice(MODES),
            'thread': lambda: 'thread %d' % rng.randint(0, 3),
            'cbr': lambda: 'cbr %d' % rng.randint(4, 60),
            'clock': lambda: 'clock %d' % rng.randint(4, 60),
            'pwre': lambda: 'pwre %d %d' % (rng.randint(0, 15), rng.randint(0, 15)),
            'pwrx': lambda: 'pwrx %d %d %d' % (rng.randint(0, 15), rng.randint(0, 15),
                                               rng.choice((1, 2, 4, 8))),
            'pmu': lambda: 'pmu %d %#x %d' % (rng.randint(0, 23), 1 << rng.randint(0, 15),
                                              rng.randint(1, 4)),
            'trig': lambda: 'trig %#x' % rng.randint(0, 255),
            'cfe': lambda: 'cfe %d %d' % (rng.randint(1, 12), rng.randint(0, 255)),
            'evd': lambda: 'evd %d %#x' % (rng.randint(0, 3), rng.getrandbits(64)),
            'tsx': lambda: 'tsx ' + rng.choice(('BEGIN', 'COMMIT', 'ABORT')),
            'vmcs': lambda: 'vmcs %#x' % (rng.getrandbits(30) << 12),
            'retire': lambda: 'retire %#x %d' % (self.step(), rng.randint(1, 9)),
        }[kind]()

    def ev_mwait(self, _kind):
        self.waits = self.stock
        return 'mwait %#x %d' % (self.rng.randint(0, 255), self.rng.randint(0, 3))

    def ev_jcc(self, _kind):
        return 'jcc %#x %s' % (self.step(), self.rng.choice(('taken', 'not')))

    def move(self, kind, size=None):
        ip, self.ip = self.step(), self.somewhere()
        if size:
            if kind == 'icall' or self.ip != ip + size:
                self.rets = (self.rets + [ip + size])[-80:]
            return '%s %#x %#x %d' % (kind, ip, self.ip, size)
        return '%s %#x %#x' % (kind, ip, self.ip)

    def ev_jmp(self, kind):
        return self.move(kind)

    ev_ijmp = ev_jmp

    def ev_call(self, kind):
        return self.move(kind, self.rng.choice((5, 5, 3)))

    def ev_icall(self, kind):
        return self.move(kind, self.rng.choice((2, 2, 6)))

    def ev_ret(self, _kind):
        ip = self.step()
        back = self.rets.pop() if self.rets else self.somewhere()
        self.ip = back if self.rng.random() < 0.8 else self.somewhere()
        return 'ret %#x %#x' % (ip, self.ip)

    def ev_far(self, kind, tail=''):
        ip = self.step()
        if kind == 'intr':
            self.cpl = 0
        else:
            self.cpl = pick(self.rng, (6, 3 - self.cpl), (1, self.cpl))
        self.ip = self.somewhere()
        return '%s %#x %#x %d%s' % (kind, ip, self.ip, self.cpl, tail)

    def ev_intr(self, kind):
        return self.ev_far(kind, ' %d' % self.rng.randint(0, 255))

    def ev_cr3(self, _kind):
        return 'cr3 %#x %#x' % (self.rng.choice(CR3S), self.step())

    def ev_cpl(self, _kind):
        self.cpl = 3 - self.cpl
        self.ip = self.somewhere()
        return 'cpl %d %#x' % (self.cpl, self.ip)

    def ev_ptw(self, _kind):
        value = self.rng.getrandbits(self.rng.choice((8, 32, 64)))
        tail = ' %#x' % self.step() if self.rng.random() < 0.5 else ''
        return 'ptw %#x%s' % (value, tail)

    def ev_sleep(self, _kind):
        self.asleep = self.rng.randrange(1, 40 * self.period)
        return 'sleep %d' % self.asleep

    def ev_ovf(self, _kind):
        ticks = self.rng.randrange(1, 20 * self.period)
        self.lost_until = self.now + ticks
        return 'ovf %d' % ticks

    def ev_disable(self, _kind):
        self.enabled = False
        return 'disable' + (' %#x' % self.step() if self.rng.random() < 0.6 else '')


def events(rng, count, text, stock=False):
    """The text of @count events for a configuration."""
    machine = Machine(rng, text, stock)
    lines = [machine.event() for _ in range(count)]
    if machine.waits:
        lines.append(machine.event())
    return '\n'.join(lines) + '\n'


def case(seed, count, stock=False, ranges=False):
    """(configuration, event text) of a seed."""
    rng = random.Random(seed)
    text = config(rng, stock, ranges)
    return text, events(rng, count, text, stock)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=1000, help='events')
    parser.add_argument('--stock', action='store_true')
    parser.add_argument('--ranges', action='store_true', help='filter and stop, too')
    parser.add_argument('--config-only', action='store_true')
    args = parser.parse_args()
    text, lines = case(args.seed, args.count, args.stock, args.ranges)
    if args.config_only:
        print(text)
    else:
        print('# ' + text, lines, sep='\n', end='')


if __name__ == '__main__':
    main()
