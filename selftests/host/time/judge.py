# SPDX-License-Identifier: BSD-2-Clause
"""Judges decoded times against the truth that the simulator knows."""
import os
import subprocess
import sys
from bisect import bisect_left, bisect_right

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '../model'), os.path.join(HERE, '../../kit')]

import packets                  # noqa: E402
from config import Config       # noqa: E402
from tap import Failure         # noqa: E402

STOPS = ('disable', 'sleep', 'ovf')


class Tool:
    """Runs one softpt binary on files of one folder."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def file(self, name):
        return os.path.join(self.folder, name)

    def run(self, *args):
        done = subprocess.run((self.path, *args), capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failure('softpt %s: exit %d: %s' % (' '.join(args), done.returncode,
                                                    done.stderr.strip()))
        return done.stdout

    def case(self, config, text):
        """(trace, truth rows, decoded rows) of an event text."""
        events, trace, truth = (self.file(n) for n in ('events', 'trace.pt', 'truth.csv'))
        with open(events, 'w', encoding='utf-8') as file:
            file.write(text)
        self.run('sim', events, '-o', trace, '-c', config, '--truth', truth)
        decoded = self.run('decode', '--format', 'csv', '-c', config, trace)
        with open(trace, 'rb') as file:
            data = file.read()
        with open(truth, encoding='utf-8') as file:
            return data, rows(file.read(), TRUTH), rows(decoded, DECODED)


TRUTH = 'event,kind,tsc,cycles'
DECODED = 'offset,kind,ip,value,tsc,tsc_min,tsc_max,cpu,tid'


def rows(text, header):
    lines = text.splitlines()
    if not lines or not lines[0].startswith(header):
        raise Failure('header: want %s, got %s' % (header, lines[:1]))
    return [line.split(',') for line in lines[1:]]


def anchors(cfg, data):
    """([offset], [TSC], [of a TSC packet?]) of TSCs and MTCs, as the suppressor's payloads tell."""
    offsets, times, exact = [], [], []
    index = None
    for at, name, raw in packets.split(data):
        if name == 'TSC':
            now = int.from_bytes(raw[1:], 'little')
            index = now * cfg.eax // cfg.ebx >> cfg.mtc_freq
        elif name == 'MTC' and index is not None:
            index += (raw[1] - index - 1) % 256 + 1
            now = -(-(index << cfg.mtc_freq) * cfg.ebx // cfg.eax)
        else:
            continue
        offsets.append(at)
        times.append(now)
        exact.append(name == 'TSC')
    return offsets, times, exact


def stop_times(text):
    """When TriggerEn falls, clocks stop or packets are lost."""
    return [int(line.split(None, 1)[0]) for line in text.splitlines()
            if line.split(None, 2)[1] in STOPS]


def judge(config, text, data, truth, decoded):
    """Raise Failure at the first row that breaks a promise; else the errors of its estimates."""
    cfg = Config(config)
    if [row[1] for row in truth] != [row[1] for row in decoded]:
        raise Failure(first_other_row(truth, decoded))
    promise = Promise(cfg, text, data)
    errors = []
    for number, (true, row) in enumerate(zip(truth, decoded)):
        now, low, high = int(true[2]), row[5], row[6]
        if low and int(low) > now or high and int(high) < now:
            raise Failure('row %d %s: outside its bounds, true time %d: %s' %
                        (number, row[1], now, ','.join(row)))
        estimate = row[4]
        if estimate and (low and int(estimate) < int(low) or
                         high and int(estimate) > int(high)):
            raise Failure('row %d: estimate outside its bounds: %s' % (number, ','.join(row)))
        if promise.made(int(row[0]), now):
            promise.check(number, now, row)
            errors.append(int(estimate) - now)
    return errors


def first_other_row(truth, decoded):
    for number, (true, row) in enumerate(zip(truth, decoded)):
        if true[1] != row[1]:
            return 'row %d: truth has %s, decode %s' % (number, true, row)
    return 'truth has %d rows, decode %d' % (len(truth), len(decoded))


class Promise:
    """Where a width of one MTC period is promised: an anchor follows before a stop, or the
    closing anchor of that stop is right before."""

    def __init__(self, cfg, text, data):
        self.on = bool(cfg.tsc and cfg.mtc)
        self.period = -(-(cfg.ebx << cfg.mtc_freq) // cfg.eax)
        self.stops = stop_times(text)
        self.offsets, self.times, self.exact = anchors(cfg, data) if self.on else ([], [], [])

    def made(self, offset, now):
        if not self.on:
            return False
        after = bisect_right(self.offsets, offset)
        stop = bisect_left(self.stops, now)
        if after and self.exact[after - 1] and self.times[after - 1] == now and \
           now in self.stops[stop:stop + 1]:
            return True
        if after == len(self.offsets) or not after:
            return False
        return stop == len(self.stops) or self.times[after] <= self.stops[stop]

    def check(self, number, now, row):
        low, high = row[5], row[6]
        if not low or not high or int(high) - int(low) > self.period:
            raise Failure('row %d %s: wider than an MTC period (%d), true time %d: %s' %
                        (number, row[1], self.period, now, ','.join(row)))
