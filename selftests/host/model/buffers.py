# SPDX-License-Identifier: BSD-2-Clause
"""Pipelines with decoupling buffers, several instructions at a stage, and mispredictions.

Nothing is shared with the engine, nor with pipeline.py: instructions go one by one, in order, from
stage to stage or through the buffer between, which can often be passed without waiting. It writes
event text and knows which instruction caused the event that counts.
"""
import collections

Kind = collections.namedtuple('Kind', (
    'name', 'width', 'buffers', 'fetch', 'stall', 'slow', 'flush', 'told', 'lasting'))
# How many instructions a stage holds at most, how many buffers there are; how likely in a clock: a
# place at the first stage is filled, a stage stands still, an instruction is slow at a stage, a
# branch was mispredicted; does the event tell how many were ahead; is it a clock of a duration
KINDS = (
    Kind('a buffer', 1, 1, 1, 0, 0, 0, False, False),
    Kind('a buffer that fills', 1, 1, 1, .2, 0, 0, False, False),
    Kind('a buffer, some bubbles', 1, 1, .8, .1, .03, 0, False, False),
    Kind('several buffers', 1, 3, .95, .1, .02, 0, False, False),
    Kind('a buffer, mispredictions', 1, 1, 1, .1, .02, .05, False, False),
    Kind('two at a stage', 2, 0, 1, 0, 0, 0, False, False),
    Kind('wide stages', 4, 0, .95, .05, .02, 0, False, False),
    Kind('wide stages and buffers', 3, 2, .9, .1, .02, .02, False, False),
    Kind('mispredictions', 1, 0, 1, 0, 0, .05, False, False),
    Kind('a duration', 2, 1, .97, 0, .01, 0, False, True),
    Kind('a buffer, told', 1, 1, 1, .15, .02, 0, True, False),
    Kind('several buffers, told', 1, 3, .9, .15, .05, 0, True, False),
    Kind('two at a stage, told', 2, 0, .9, .1, .05, 0, True, False),
    Kind('wide stages and buffers, told', 4, 2, .9, .15, .05, 0, True, False),
    Kind('mispredictions, told', 2, 1, .95, .1, .02, .03, True, False),
)


class Instruction:
    """@place: even is a stage (2 is the first), odd the buffer behind; @done: when it retired."""

    def __init__(self, ip, place):
        self.ip, self.place, self.done, self.wait = ip, place, None, 0


class Machine:
    """@order: instructions on their way, the oldest first."""

    def __init__(self, rng, kind, stages):
        self.rng, self.kind, self.stages = rng, kind, stages
        self.width = {k: rng.randint(1, kind.width) for k in range(1, stages + 1)}
        behind = range(1, stages)
        self.buffer = {k: rng.randint(1, 8)
                       for k in rng.sample(behind, min(kind.buffers, len(behind)))}
        self.bypass = rng.random() < .7
        self.order, self.clock, self.ip = [], -1, rng.randrange(1 << 40)

    def holds(self, place):
        """How many instructions fit there."""
        return self.buffer.get(place // 2, 0) if place % 2 else self.width[place // 2]

    def at(self, place):
        return sum(one.place == place for one in self.order)

    def step(self):
        """The next clock: who can goes on by one stage, the oldest first."""
        self.clock += 1
        self.order = [one for one in self.order if one.done is None]
        still = {k for k in range(1, self.stages + 1) if self.rng.random() < self.kind.stall}
        limit = 2 * self.stages         # nobody overtakes
        for one in self.order:
            if one.wait:
                one.wait -= 1
            elif one.place // 2 not in still or one.place % 2:
                self.move(one, limit)
            limit = min(limit, one.place)
        self.fetch()
        for one in self.order:          # in order, from the last stage
            if one.place != 2 * self.stages or one.wait or self.stages in still:
                break
            one.done = self.clock
        return [one for one in self.order if one.done == self.clock]

    def move(self, one, limit):
        stage, inside = one.place // 2, one.place % 2
        if stage == self.stages:
            return
        to = 2 * (stage + 1)
        passes = inside or stage not in self.buffer or (self.bypass and not self.at(2 * stage + 1))
        if passes and to <= limit and self.at(to) < self.holds(to):
            one.place = to
            if self.rng.random() < self.kind.slow:
                one.wait = self.rng.randint(1, 6)
        elif not inside and to - 1 <= limit and self.at(to - 1) < self.holds(to - 1):
            one.place = to - 1

    def fetch(self):
        while self.at(2) < self.holds(2) and self.rng.random() < self.kind.fetch:
            self.ip += self.rng.randint(1, 15)
            self.order.append(Instruction(self.ip, 2))

    def mispredict(self):
        """A branch somewhere knows better: what is younger goes. Return: the branch, or None."""
        able = [i for i, one in enumerate(self.order) if one.place % 2 == 0]
        if not able:
            return None
        i = self.rng.choice(able)
        kept = self.order[:i + 1]
        if len(kept) == len(self.order):
            return None
        self.order = kept
        if self.rng.random() < .5:
            self.fetch()                # refilled at once
        return kept[i]

    def ahead(self, one):
        """Instructions that are older and had not retired before this clock."""
        return self.order.index(one)


class Case:
    """One run: event text, options, and which instruction caused the event that counts."""

    after = False

    def __init__(self, rng, kind=None):
        self.rng, self.kind = rng, kind or rng.choice(KINDS)
        self.stages = rng.choice((1, 2, 3, 4, 4, 5, 10, rng.randint(2, 16)))
        self.machine = Machine(rng, self.kind, self.stages)
        self.min, self.write = rng.randint(0, 4), rng.choice((0, 0, 1, 3))
        self.delay = rng.choice((0, 3, self.stages, 2 * self.stages + 10)) + rng.randint(0, 12)
        self.depth = rng.choice((256, 256, rng.randint(4, 60)))
        self.nth = rng.choice((1, 1, 1, 2, 5))
        self.told_capacity = rng.choice(('all', 'all', 'all', 'more', 'some', 'none'))
        self.capacity = self.draw_capacity()
        self.lines, self.history = [], []
        self.event = self.data = self.end = self.ahead = None
        self.run()

    def draw_capacity(self):
        """What the configuration says of each stage: the truth, or more, or nothing."""
        m, rng, told = self.machine, self.rng, self.told_capacity
        true = [m.width[k] + m.buffer.get(k, 0) for k in range(1, self.stages + 1)]
        if told == 'more':
            return [n + rng.choice((0, 0, 1, 3)) for n in true]
        if told == 'some':
            return [rng.choice((n, n, 0)) for n in true]
        return [0] * self.stages if told == 'none' else true

    @property
    def reach(self):
        return self.min + self.delay - self.write - 1

    def pipeline(self):
        text = 'stages=%d,min=%d,delay=%d,write=%d,depth=%d' % (
            self.stages, self.min, self.delay, self.write, self.depth)
        if not any(self.capacity):
            return text
        told = self.capacity[:1] if len(set(self.capacity)) == 1 else self.capacity
        return text + ',capacity=' + ':'.join(map(str, told))

    def freeze(self):
        return '%s,nth=%d' % ('10/4' if self.kind.lasting else '4/2', self.nth)

    def run(self):
        rng, m = self.rng, self.machine
        first, left = rng.randint(self.stages, self.stages + 25), self.nth
        victim, ends = None, None
        while True:
            now = [('retire', one) for one in m.step()]
            if rng.random() < self.kind.flush:
                self.flush(now)
            if self.event is None and m.clock >= first and left and not self.kind.lasting:
                left -= self.cause(now, left)
            elif self.kind.lasting and m.clock >= first and victim is None:
                victim, ends = self.begin(now)
            if m.clock == ends:
                now.append(('other', 'pmu 10 0x4 end'))
            if self.event and m.clock == self.event[0] and self.end is None:
                self.end = m.clock + max(0, self.reach) + rng.randint(1, 9)
            self.write_down(now)
            if m.clock == self.end or m.clock > 600:
                return

    def where(self):
        return [one for one in self.machine.order if one.place % 2 == 0]

    def cause(self, now, left):
        able = self.where()
        if not able or self.rng.random() < .4:
            return 0
        one = self.rng.choice(able)
        text = 'pmu 4 0x2 1 %d' % (one.place // 2)
        ahead = self.machine.ahead(one)
        data = self.rng.choice((None, self.rng.randrange(1 << 47)))
        if self.kind.told and ahead < 255:
            text += ' %d' % ahead
        elif data is not None:
            text += ' -'
        if data is not None:
            text += ' %#x' % data
        if left == 1:
            self.event, self.data = (self.machine.clock, one.place // 2, one), data
            self.ahead = ahead if self.kind.told and ahead < 255 else None
        now.append(('other', text))
        return 1

    def begin(self, now):
        """An instruction stands still for a while: the event is one of these clocks."""
        able = [one for one in self.where() if one.done is None]
        if not able:
            return None, None
        one = self.rng.choice(able)
        one.wait = self.nth + self.rng.randint(0, 5)
        clock = self.machine.clock
        self.event = clock + self.nth - 1, one.place // 2, one
        now.append(('other', 'pmu 10 0x4 begin %d' % (one.place // 2)))
        return one, clock + one.wait + 1

    def flush(self, now):
        branch = self.machine.mispredict()
        if branch:
            now.append(('flush', 'flush'))
            if self.rng.random() < .5:
                now.append(('other', 'pmu 2 8 1 %d' % (branch.place // 2)))

    def write_down(self, now):
        """Retirements in order, what else happens in this clock anywhere between."""
        retired = [n for n in now if n[0] == 'retire']
        for other in (n for n in now if n[0] != 'retire'):
            retired.insert(self.rng.randint(0, len(retired)), other)
        for what, more in retired or [('other', 'idle')]:
            clock = self.machine.clock
            self.lines.append('%d %s' % (
                clock, 'retire %#x 1' % more.ip if what == 'retire' else more))
            self.history.append((clock, what, more))

    # ---- what is to be said of it ----

    def records(self):
        """(ip, cycles, valid, flushed, early, clock) as the FIFO holds them."""
        if not self.event:
            return []
        last, early = self.event[0] + self.reach, 0
        if self.history[-1][0] < last:
            last, early = self.history[-1][0] - self.write, 1
        rows, before, flushed = [], -1, 0
        for clock, what, one in self.history:
            if clock > last:
                break
            if what == 'flush':
                flushed = 1
            if what == 'retire':
                rows.append([one.ip, clock - before, 1, flushed, 0, clock])
                before, flushed = clock, 0
        if before != last or not rows:
            rows.append([0, max(0, last - before), 0, flushed, 0, last])
        rows[-1][4] = early
        return rows[-self.depth:]

    def must_answer(self):
        """The event told how many were ahead, nothing left unseen, and it is all there."""
        if not self.event or self.reach < 0 or self.ahead is None or self.kind.flush:
            return False
        clock, _, one = self.event
        rows = self.records()
        return (not rows[-1][4] and one.done is not None and one.done <= clock + self.reach and
                any(row[2] and row[5] < clock for row in rows) and self.capacity[-1] != 1)
