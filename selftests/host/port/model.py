# SPDX-License-Identifier: BSD-2-Clause
"""The trace port after Documentation/reference/port.rst, clock by clock: events in, symbols out."""

WAIT, STOP, TE, CODES = 2, 3, 4, {'iar': 5, 'lr': 6, 'ctr': 7}
MOVES = {'mtlr': 'lr', 'mtctr': 'ctr'}
TAKEN = ('jmp', 'call', 'ijmp', 'icall', 'ret')
VECTOR = ('intr', 'far')
STEPS = ('retire', 'jcc') + TAKEN + VECTOR + tuple(MOVES)


def slices(value, count):
    return [8 | value >> 3 * i & 7 for i in reversed(range(count))]


class Step:
    """An event; retire of many is many."""

    def __init__(self, tsc, kind, args):
        self.tsc, self.kind = tsc, kind
        self.args = [int(a, 0) if a[0].isdigit() else a for a in args]

    def address(self):
        if self.kind in MOVES:
            return self.args[1] if len(self.args) > 1 else None
        return self.args[0] if self.kind in STEPS + ('enable',) else None


def steps(text):
    for line in text.splitlines():
        tsc, kind, *args = line.split()
        if kind == 'retire':
            for i in range(int(args[1], 0)):
                yield Step(int(tsc), kind, [hex(int(args[0], 0) + 4 * i)])
        else:
            yield Step(int(tsc), kind, args)


class Trigger:
    """ip FROM TO, data ADDRESS, or insn: every nth occurrence, or only the first such."""

    def __init__(self, kind, values, nth, rearm):
        self.kind, self.values, self.nth, self.rearm = kind, values, nth, rearm
        self.hits = self.last = 0

    def text(self):
        values = '=' + '-'.join(hex(value) for value in self.values) if self.values else ''
        return '%s%s,nth=%d%s' % (self.kind, values, self.nth, ',rearm' if self.rearm else '')

    def covers(self, address):
        return address is not None and self.values[0] <= address <= self.values[1]

    def occurs(self):
        self.hits += 1
        if self.hits % self.nth or (self.last and not self.rearm):
            return False
        self.last = self.hits
        return True

    def executes(self, address, before):
        """Whether that is a TE; before: the instruction that execution ran on from, if it did."""
        if self.kind == 'data' or (self.kind == 'ip' and (
                not self.covers(address) or self.covers(before))):
            return False
        return self.occurs()


class Port:
    def __init__(self, period, room, triggers=()):
        self.period, self.room = period, room
        self.triggers, self.before = triggers, None
        self.synced, self.recognized, self.counts = [], [], []
        self.entered = self.sent = 0
        self.fifo, self.sending, self.offset = [], [], None
        self.left, self.pending, self.due = 0, [], False
        self.state, self.until = 0, 0
        self.history = []
        self.regs, self.next = {'lr': 0, 'ctr': 0}, None
        self.shift = self.stalls = 0

    def run(self, text):
        """(first clock, symbols)"""
        todo = list(steps(text))
        first = self.now = todo[0].tsc
        out = []
        while todo or self.fifo or self.due or self.ready(self.next) or (
                not self.left and self.next is not None):
            symbol = self.clock(todo)
            # What neither executes nor sends is no clock, behind the last event.
            if todo or self.fifo or self.due or symbol not in (0, WAIT, STOP):
                out.append(symbol)
            self.now += 1
        return first, out

    def ready(self, iar):
        return self.pending and (self.pending[0] != 'iar' or (
            iar is not None and self.offset is None))

    def clock(self, todo):
        if not self.left:
            self.pending, self.left = ['iar', 'lr', 'ctr'], self.period
        if self.state == STOP and self.now >= self.until:
            self.state = 0
        self.took, self.entry, self.te = [], None, False
        self.first = None
        self.full, self.begin = len(self.fifo) == self.room, dict(self.regs)
        tracked = self.next
        while todo and todo[0].tsc + self.shift <= self.now and self.happens(todo[0]):
            todo.pop(0)
        if self.took:
            iar = self.first if self.first is not None else tracked
        else:
            iar = todo[0].address() if todo and todo[0].address() is not None else self.next
        return self.close(iar)

    def happens(self, step):
        """Whether it fits into this clock."""
        kind = step.kind
        if self.state == STOP and kind != 'idle':
            self.state = 0
        if self.state == WAIT and (kind in STEPS or kind in ('pwrx', 'sleep')):
            self.state = 0
        if kind in STEPS:
            entry = kind in VECTOR or kind in MOVES
            if 'vector' in self.took or len(self.took) == 2 or (entry and self.entry is not None) \
                    or (kind in VECTOR and self.took):
                return False
            if self.full and (entry or self.pending):
                self.stalls += not self.took
                self.shift += not self.took
                return False
        if kind in STEPS:
            self.execute(step)
        elif kind in ('lr', 'ctr'):
            self.write(kind, step.args[0])
            if not self.took:
                self.begin[kind] = step.args[0]
        elif kind == 'enable':
            if step.args[0] != self.next:
                self.before = None
            self.next = step.args[0]
        elif kind == 'data':
            for trigger in self.triggers:
                if trigger.kind == 'data' and trigger.values[0] == step.args[0] and trigger.occurs():
                    self.te = True
        elif kind == 'psb':
            self.pending = ['iar', 'lr', 'ctr']
        elif kind == 'trig':
            self.te = True
        elif kind == 'mwait':
            self.state = WAIT
        elif kind == 'sleep':
            self.state, self.until = STOP if step.args[0] else 0, self.now + step.args[0]
        return True

    def execute(self, step):
        kind, args = step.kind, step.args
        address = step.address() if step.address() is not None else self.next
        if not self.took:
            self.first = address
        taken, after = kind in TAKEN, None if address is None else address + 4
        if kind in VECTOR:
            self.before = None
            self.entry, after = args[1], args[1]
            self.took.append('vector')
            self.next = after
            return
        if address != self.next:
            self.before = None
        for trigger in self.triggers:
            if trigger.executes(address, self.before):
                self.te = True
        if kind in MOVES:
            self.entry = args[0]
            self.write(MOVES[kind], args[0])
        elif kind in ('call', 'icall'):
            self.uses()
            self.write('lr', address + 4)
        if kind == 'jcc' and args[1] == 'taken':
            taken, after = True, args[2] if len(args) > 2 else None
        elif taken:
            after = args[1]
        if taken and kind not in ('call', 'icall'):
            self.uses()
        self.took.append(taken)
        self.before = None if taken else address
        self.next = after

    def uses(self):
        """A branch is taken, to where a register may have pointed."""
        self.history += [(self.now, name, 'use') for name in ('ctr', 'lr')]

    def write(self, name, value):
        self.regs[name] = value
        self.history.append((self.now, name, 'write'))

    def close(self, iar):
        if 'vector' in self.took:
            es = 1
        elif len(self.took) == 2:
            es = 4 + self.took[0] + 2 * self.took[1]
        else:
            es = 2 + self.took[0] if self.took else 0
        ts = self.send() or (self.state if not es else 0)
        sent = self.sent
        if self.entry is not None:
            self.enter('', self.entry)
        elif self.ready(iar) and not self.full:
            name = self.pending.pop(0)
            self.enter(name, iar if name == 'iar' else self.begin[name])
            if name == 'iar':
                self.offset = self.now
                self.synced.append({'clock': self.now, 'dated': False, 'since': None, 'known': [],
                                    'ctr': None, 'lost': False})
                self.history = [one for one in self.history if one[0] == self.now]
            elif name == 'ctr' and self.synced:
                self.synced[-1]['ctr'] = self.entered
        self.judge()
        self.due = self.te
        if self.te:
            self.recognized.append(self.now)
        self.counts.append((sent, self.entered))
        self.left -= self.state != STOP or bool(es)
        return es << 4 | ts

    def judge(self):
        """Of the newest SE: is LR or CTR written behind a branch, and was not known up to then?"""
        newest = self.synced[-1] if self.synced else None
        if not newest or newest['since'] is not None:
            return
        for name in {'lr', 'ctr'} - set(newest['known']):
            what = [done for _, by, done in self.history if by == name]
            newest['lost'] |= 'use' in what and 'write' in what[what.index('use'):] and \
                what[0] == 'use'
        if self.took and 'vector' not in self.took and self.entry is None and \
                self.now > newest['clock']:
            newest['known'] = ['lr', 'ctr'][:len(newest['known']) + 1]
        if newest['ctr'] and self.sent >= newest['ctr']:
            newest['known'] = ['lr', 'ctr']
        self.settle(newest)

    def settle(self, se):
        if len(se['known']) == 2 and se['ctr'] and se['dated'] and not se['lost']:
            se['since'] = self.now

    def enter(self, name, value):
        self.fifo.append((name, value))
        self.entered += 1

    def send(self):
        if self.due:
            return TE
        if not self.fifo:
            return 0
        if not self.sending:
            name, value = self.fifo[0]
            self.sending = slices(value >> 2 & 0x3fffffff, 10)
            if name == 'iar':
                self.sending = slices(min(self.now - self.offset, 4095), 4) + self.sending
                if self.now - self.offset < 4095:
                    self.synced[-1]['dated'] = True
                    self.settle(self.synced[-1])
                self.offset = None
            if name:
                self.sending.insert(0, CODES[name])
        symbol = self.sending.pop(0)
        if not self.sending:
            self.fifo.pop(0)
            self.sent += 1
        return symbol

    def buffer(self, first, clocks, history, after, nth):
        """What figure 8's buffer holds of a run: its first clock, and the one behind its last.

        after: clocks; None: so many that there are history and an interval more in all
        """
        if len(self.recognized) < nth:
            return None
        te = self.recognized[nth - 1]
        old = [se['clock'] for se in self.synced
               if se['since'] is not None and se['since'] <= te and te - se['clock'] >= history]
        begin = (old[-1:] or [se['clock'] for se in self.synced[:1] if se['clock'] <= te] or [first])[0]
        end = te + 2 + (after or 0)
        if after is None:
            end = max(end, begin + history + self.period)
        while end < first + clocks and self.counts[end - 1 - first][0] < self.counts[te - first][1]:
            end += 1
        return begin, min(end, first + clocks)
