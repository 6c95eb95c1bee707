# SPDX-License-Identifier: BSD-2-Clause
"""Streams of the simulator. What is in them is known beforehand: by the model, or by the script."""
import os
import re
import subprocess
import sys

from corpus import Case, Stream

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), '../host', room)
                for room in ('model', 'oracle')]
import events as event_text     # noqa: E402
import gen                      # noqa: E402
import unit                     # noqa: E402
from config import Config       # noqa: E402

USER = 0x401000
RATIO = 26      # of core to bus, until a cbr event


class Sim:
    """The command, and a folder for what goes in and out."""

    def __init__(self, softpt, folder):
        self.softpt, self.folder = softpt, folder

    def run(self, config, text):
        """The bytes, and (kind, TSC) of each row of the truth."""
        source, trace, truth = (os.path.join(self.folder, name) for name in ('events', 'trace', 'truth'))
        with open(source, 'w', encoding='utf-8') as file:
            file.write(text)
        done = subprocess.run((self.softpt, 'sim', source, '-o', trace, '-c', config, '--truth', truth),
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise ValueError('softpt sim -c %s: %s' % (config, done.stderr.strip()))
        with open(trace, 'rb') as file:
            data = file.read()
        with open(truth, encoding='utf-8') as file:
            rows = [line.split(',') for line in file.read().splitlines()[1:]]
        return data, [(row[1], int(row[2])) for row in rows if row[2]]

    def stream(self, config, text):
        """The packets as the model has them, whose bytes must be the simulator's; and the truth."""
        data, truth = self.run(config, text)
        s = Stream()
        for packet in unit.run(Config(config), event_text.parse(text)):
            s.add(packet.name, packet.raw)
        if s.data != data:
            raise ValueError('-c %s: engine and model differ' % config)
        return s, truth


# ---- random ----

# Bit 1 of the reason for which a core woke: pwrx-reason asks for it.
UNNAMED = re.compile(r'( pwrx \d+ \d+) 2$', re.M)


def write_random(folder, sim):
    for stock, feature, first in ((True, 'Streams: packets that all know', 100), (False, 'Streams: all packets', 200)):
        for seed in range(first, first + 8):
            config, text = gen.case(seed, 600, stock)
            text = UNNAMED.sub(r'\1 1', text) if stock else text
            s, _ = sim.stream(config, text)
            name = 'stream-%s-%d' % ('stock' if stock else 'all', seed)
            folder.case(Case(name, feature, 'packets', 'Packet Definitions', 'random events: %s' % config), s)


# ---- times ----

class Script:
    """Events whose times are chosen here."""

    def __init__(self, rng, period, values):
        self.rng, self.period, self.values = rng, period, values
        self.now = 1000003
        self.lines, self.times = ['%d enable %#x' % (self.now, USER)], []

    def put(self, text, kind=None):
        self.lines.append('%d %s' % (self.now, text))
        if kind:
            self.times.append((kind, self.now))

    def event(self):
        """PTWRITEs alone, or branches, too."""
        kind = 'ptw' if self.values else self.rng.choice(('taken', 'not', 'taken', 'not', 'tip', 'ptw'))
        if kind == 'ptw':
            self.put('ptw %#x' % self.rng.getrandbits(32), kind)
        elif kind == 'tip':
            self.put('ijmp %#x %#x' % (USER, USER + self.rng.getrandbits(12)), kind)
        else:
            self.put('jcc %#x %s' % (USER, kind), kind)

    def burst(self, count=40):
        for _ in range(count):
            self.now += self.rng.randint(1, max(2, self.period // 3))
            self.event()


def steady(script):
    script.burst(1200)


def gaps(script):
    """Up to 300 periods"""
    for length in (1, 3, 17, 100, 254, 255, 256, 257, 300, 2, 40):
        script.burst(20)
        script.now += length * script.period + script.rng.randrange(script.period)
        script.event()


def clocks(script):
    """The core clock changes, and a CBR says so."""
    for ratio in (13, 40, 20, 52, 9, 26, 8, 60):
        script.burst()
        script.now += 7
        script.put('cbr %d' % ratio)


def sleeps(script):
    """The clocks stop for up to 40 periods."""
    for length in (1, 3, 10, 40, 2, 7):
        script.burst()
        ticks = length * script.period + script.rng.randrange(script.period)
        script.now += 5
        script.put('sleep %d' % ticks)
        script.now += ticks


SHORT = 'tsc_ratio=16/1,mtc_freq=3'
TIMES = (
    ('mtc', 'MTC', 'Mini Time Counter (MTC) Packet', SHORT, steady),
    ('mtc-fraction', 'MTC, a period of 866 2/3 ticks', 'Mini Time Counter (MTC) Packet',
     'tsc_ratio=325/3,mtc_freq=3', steady),
    ('mtc-gap', 'MTC, idle for up to 300 periods', 'Mini Time Counter (MTC) Packet', SHORT, gaps),
    ('sleep', 'the clocks stop', 'Timestamp Counter (TSC) Packet', SHORT + ',pwr=1', sleeps),
    ('cyc', 'CYC', 'Cycle Count (CYC) Packet', SHORT + ',cyc=1', steady),
    ('cyc-clock', 'CYC, the core clock changes', 'Core:Bus Ratio (CBR) Packet', SHORT + ',cyc=1', clocks),
    ('suppress', 'MTCs left out (softpt only)', 'none: softpt, suppress=2', SHORT +
     ',suppress=2,stock_safe=1,describe=1', gaps),
)


def write_times(folder, sim, rng):
    """Each with branches, and as PTWRITEs without branches."""
    for name, feature, section, config, play in TIMES:
        for values in (False, True):
            whole = 'describe=0,os=0,psb_freq=0,ptw=1,branch=%d,%s' % (not values, config)
            ebx, eax = map(int, gen.values(config)['tsc_ratio'].split('/'))
            period = (ebx << 3) // eax
            script = Script(rng, period, values)
            play(script)
            s, truth = sim.stream(whole, '\n'.join(script.lines) + '\n')
            rows = [row for row in truth if row[0] in ('taken', 'not', 'tip', 'ptw')]
            if rows != script.times:
                raise ValueError('%s: the simulator has other times than its script' % name)
            folder.case(Case('time-%s%s' % (name, '-ptw' if values else ''),
                             'Time: %s%s' % (feature, ' (PTW alone)' if values else ''), 'packets,times', section,
                             '%d events: %s' % (len(rows), whole)), s,
                        conf=conf(whole), times=['tolerance %d' % (period + 2)] + ['%s %d' % row for row in rows])


def conf(config):
    """What a decoder is told, as hardware would have it"""
    values = gen.values(config)
    described = ['described 1'] if values.get('describe') == '1' else []
    return described + ['ctc_ratio %s' % values['tsc_ratio'], 'mtc_freq %s' % values['mtc_freq'], 'max_nonturbo %d' % RATIO,
            'cyc %s' % values.get('cyc', '0'), 'ptw %s' % values.get('ptw', '0'), 'branch %s' % values.get('branch', '1')]
