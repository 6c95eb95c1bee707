# SPDX-License-Identifier: BSD-2-Clause
"""Pipelines of any depth, clock by clock: which instruction was where, and what retired.

Nothing here is the engine's: an in-order pipeline is built, disturbed at random, and watched.
It writes event text, and knows which instruction caused the event that counts.
"""
import collections

Kind = collections.namedtuple('Kind', (
    'name', 'fetch', 'stall', 'slow', 'flush', 'again', 'lost', 'replace', 'width', 'groups',
    'told'))
# How likely each is in a clock: fetch an instruction, stand still, an instruction is slow at a
# stage, an interrupt flushes, an instruction goes through again with all younger ones, it is
# lost, a flush that is refilled at once. Instructions at a stage; records that stand for several;
# does the event tell how many stages were occupied, and a lost instruction that it was?
KINDS = (
    Kind('full', 1, 0, 0, 0, 0, 0, 0, 1, 0, False),
    Kind('full, told', 1, 0, 0, 0, 0, 0, 0, 1, 0, True),
    Kind('bubbles', .7, 0, 0, 0, 0, 0, 0, 1, 0, False),
    Kind('few bubbles', .97, 0, 0, 0, 0, 0, 0, 1, 0, False),
    Kind('stalls', 1, .1, 0, 0, 0, 0, 0, 1, 0, False),
    Kind('slow stages', .98, 0, .05, 0, 0, 0, 0, 1, 0, False),
    Kind('flushes', 1, 0, 0, .06, 0, 0, 0, 1, 0, False),
    Kind('flushes without a bubble', 1, 0, 0, 0, 0, 0, .06, 1, 0, False),
    Kind('recirculation', 1, 0, 0, 0, .06, 0, 0, 1, 0, False),
    Kind('lost instructions', 1, 0, 0, 0, 0, .06, 0, 1, 0, False),
    Kind('two at a stage', .8, .05, 0, 0, 0, 0, 0, 2, 0, False),
    Kind('two at each stage', 1, 0, 0, 0, 0, 0, 0, 2, 0, False),
    Kind('groups', 1, .03, 0, 0, 0, 0, 0, 1, .04, False),
    Kind('all at once', .9, .03, .03, .01, .01, .01, .01, 1, .01, False),
    Kind('bubbles, told', .7, 0, 0, 0, 0, 0, 0, 1, 0, True),
    Kind('stalls, told', .8, .15, .05, 0, 0, 0, 0, 1, 0, True),
    Kind('flushes, told', .9, .1, 0, .04, 0, 0, 0, 1, 0, True),
    Kind('lost instructions, told', .9, .1, .05, 0, 0, .06, 0, 1, 0, True),
    Kind('recirculation, told', .9, .1, .05, 0, .05, 0, 0, 1, 0, True),
)


class Instruction:
    """One on its way; @done is the clock in which it retired."""

    def __init__(self, ip):
        self.ip, self.wait, self.done = ip, 0, None


class Pipeline:
    """@stage[1] is the first; each holds up to kind.width instructions that go together."""

    def __init__(self, rng, kind, stages):
        self.rng, self.kind, self.stages = rng, kind, stages
        self.stage = [[] for _ in range(stages + 1)]
        self.queue = []                 # that are to be fetched again
        self.ip = rng.randrange(1 << 47)
        self.clock = -1
        self.stalled = False

    def chance(self, p):
        return p and self.rng.random() < p

    def fetch(self):
        """What enters the first stage in this clock."""
        if self.queue:
            return [self.queue.pop(0)]
        if not self.chance(self.kind.fetch):
            return []
        several = self.rng.randint(2, 4) if self.chance(self.kind.groups) else 1
        return [self.new() for _ in range(max(several, self.rng.randint(1, self.kind.width)))]

    def new(self):
        self.ip += self.rng.randint(1, 15)
        return Instruction(self.ip)

    def step(self):
        """The next clock: what stands at each stage in it."""
        if not self.stalled and self.clock >= 0:
            for k in range(self.stages, 0, -1):
                self.advance(k)
        if not self.stage[1] and not self.stalled:
            self.stage[1] = self.fetch()
            self.delay(1)
        self.clock += 1
        self.stalled = bool(self.chance(self.kind.stall))

    def advance(self, k):
        here = self.stage[k]
        if not here:
            return
        if here[0].wait:
            here[0].wait -= 1
        elif k == self.stages:
            self.stage[k] = []
        elif not self.stage[k + 1]:
            self.stage[k], self.stage[k + 1] = [], here
            self.delay(k + 1)

    def delay(self, k):
        if self.stage[k] and self.chance(self.kind.slow):
            self.stage[k][0].wait = self.rng.randint(1, 4)

    def retiring(self):
        """What leaves in this clock."""
        last = self.stage[self.stages]
        if self.stalled or (last and last[0].wait):
            return []
        for one in last:
            one.done = self.clock
        return list(last)

    def flush(self, upto, again=False):
        """The stages up to one lose what they hold, which is fetched again or gone for good."""
        lost = [one for k in range(upto, 0, -1) for one in self.stage[k] if one.done is None]
        for k in range(1, upto + 1):
            self.stage[k] = [one for one in self.stage[k] if one.done is not None]
        for one in lost:
            one.wait = 0
        self.queue = lost + self.queue if again else []

    def replace(self):
        """A flush that leaves no bubble."""
        for k in range(1, self.stages + 1):
            if self.stage[k] and self.stage[k][0].done is None:
                self.stage[k] = [self.new()]

    def lose(self, k):
        if self.stage[k] and self.stage[k][0].done is None:
            self.stage[k] = []

    def later(self, s):
        """How many later stages hold an instruction."""
        return sum(1 for k in range(s + 1, self.stages + 1) if self.stage[k])


class Case:
    """One run: event text, options, and which instruction caused the event that counts."""

    CLASSES = (3, 4, 5, 6, 8, 9, 10, 11, 14, 20, 40, 62)

    def __init__(self, rng, kind=None):
        self.rng = rng
        self.kind = kind or rng.choice(KINDS)
        self.stages = rng.choice((1, 2, 3, 5, 10, rng.randint(1, 16), rng.randint(1, 32)))
        self.min, self.write = rng.randint(0, 6), rng.choice((0, 0, 1, 2, rng.randint(0, 12)))
        self.delay = rng.randint(0, 12) + rng.choice((0, self.stages, 2 * self.stages))
        self.depth = rng.choice((256, 256, 256, rng.randint(1, 40)))
        if kind:                # as whoever knows the pipeline would program it
            self.delay, self.depth = self.stages + rng.randint(0, 20), 256
            self.write = rng.randint(0, 2)
        self.after = rng.random() < .1
        self.nth = rng.choice((1, 1, 2, 3, 7))
        self.event_class, self.mask = rng.choice(self.CLASSES), rng.choice((0xffff, 1, 6, 0x8000))
        self.qualified = rng.random() < .3
        self.slow_clock = rng.random() < .15
        self.says_stage = kind is not None or rng.random() < .8
        # what a stage holds; now and then it is not told
        self.capacity = 0 if not kind and rng.random() < .1 else self.kind.width
        self.lines, self.history = [], []       # text; (clock, what) in the order of the text
        self.event = self.end = self.occupied = None    # event: clock, stage, instruction
        self.run()

    @property
    def reach(self):
        return self.min + self.delay - self.write - 1

    def pipeline(self):
        text = 'stages=%d,min=%d,delay=%d,write=%d' % (
            self.stages, self.min, self.delay, self.write)
        text += ',capacity=%d' % self.capacity if self.capacity else ''
        return text + (',depth=%d' % self.depth if self.depth != 256 else '') + (
            ',after=1' if self.after else '')

    def freeze(self):
        return '%d/%#x%s%s' % (self.event_class, self.mask, ':t2u' if self.qualified else '',
                               ',nth=%d' % self.nth if self.nth != 1 else '')

    def run(self):
        rng = self.rng
        pipe = Pipeline(rng, self.kind, self.stages)
        if self.slow_clock:
            self.lines.append('0 clock 13')
        first = self.stages + rng.randint(0, 10)
        left = self.nth
        short = rng.random() < .08
        while True:
            pipe.step()
            now = [('retire', pipe.retiring())]
            if pipe.clock >= first and left > 0 and rng.random() < .6:
                left -= self.cause(pipe, now, left)
            self.noise(now)
            self.disturb(pipe, now)
            rng.shuffle(now)
            self.write_down(pipe.clock, now)
            if self.event and self.end is None:
                self.end = self.event[0] + max(0, rng.randint(0, max(0, self.reach)) if short
                                               else self.reach + rng.randint(0, 9))
            if pipe.clock == self.end or pipe.clock > 3000:
                return

    def cause(self, pipe, now, left):
        """An instruction causes events. Returns how many."""
        where = [k for k in range(1, self.stages + 1) if pipe.stage[k]]
        if not where:
            return 0
        stage = self.rng.choice(where)
        count = self.rng.choice((1, 1, 1, 2, 5))
        if count >= left:
            self.event = pipe.clock, stage, self.rng.choice(pipe.stage[stage])
            self.occupied = pipe.later(stage)
        text = 'pmu %d %#x %d' % (self.event_class, self.mask & 0xfff6 or self.mask, count)
        if self.kind.told:
            text += ' %d %d' % (stage, pipe.later(stage))
        elif self.says_stage:
            text += ' %d' % stage
        now.append(('event', text))
        return count

    def noise(self, now):
        """What must not count: other classes, other subclasses, other threads"""
        other = self.rng.choice([c for c in self.CLASSES if c != self.event_class])
        if self.rng.random() < .2:
            now.append(('other', 'pmu %d 0xffff 1 1' % other))
        if self.rng.random() < .2 and self.mask != 0xffff:
            now.append(('event', 'pmu %d %#x 1 1' % (self.event_class, 0xffff & ~self.mask)))
        if self.rng.random() < .2 and self.qualified:
            now.append(('other', 'pmu %d 0xffff 1 1' % self.event_class))

    def disturb(self, pipe, now):
        kind, at = self.kind, self.rng.randint(1, self.stages)
        if pipe.chance(kind.flush):
            pipe.flush(self.stages)
            now.append(('flush', None))
        if pipe.chance(kind.replace):
            pipe.replace()
            now.append(('flush', None))
        if pipe.chance(kind.again):
            pipe.flush(at, again=True)
        if pipe.chance(kind.lost):
            pipe.lose(at)
            if kind.told:
                now.append(('other', 'pmu 12 2 1'))

    def write_down(self, clock, now):
        ticks = [2 * clock + self.rng.randint(0, 1) for _ in now] if self.slow_clock else None
        for i, (what, more) in enumerate(now):
            time = sorted(ticks)[i] if ticks else clock
            if what == 'retire':
                self.retire(clock, time, more)
            elif what == 'flush':
                self.lines.append('%d %s' % (time, self.rng.choice((
                    'intr 0x401000 0xffff800000000000 3 14', 'far 0x401000 0x402000 3'))))
                self.history.append((clock, 'flush', None))
            else:
                if self.qualified:
                    self.lines.append('%d thread %d' % (time, 2 if what == 'event' else 1))
                self.lines.append('%d %s' % (time, more))
                self.history.append((clock, 'pmu', None))

    def retire(self, clock, time, group):
        if self.kind.groups and len(group) > 1:
            self.lines.append('%d retire %#x %d' % (time, group[0].ip, len(group)))
            self.history.append((clock, 'retire', group[0].ip))
            return
        for one in group:
            self.lines.append('%d retire %#x 1' % (time, one.ip))
            self.history.append((clock, 'retire', one.ip))

    # ---- what is to be said of it ----

    def records(self):
        """(ip, cycles, valid, flushed, early) as the FIFO holds them, from the history."""
        if not self.event:
            return []
        last, early = self.event[0] + self.reach, 0
        if self.history[-1][0] < last:
            last, early = max(c for c, _, _ in self.history) - self.write, 1
        begin = 0 if self.slow_clock else self.history[0][0]
        rows, before, flushed = [], begin - 1, 0
        for clock, what, ip in self.history:
            if clock > last:
                break
            flushed |= what == 'flush'
            if what == 'retire':
                rows.append([ip, clock - before, 1, int(flushed), 0, clock])
                before, flushed = clock, 0
        if before != last or not rows:
            rows.append([0, max(0, last - before), 0, int(flushed), 0, last])
        rows[-1][4] = early
        return rows[-self.depth:]

    def must_answer(self):
        """Is there nothing that DESIGN.md lets be unknown?"""
        if not self.event or self.reach < 0 or self.kind.name not in (
                'full', 'full, told', 'bubbles, told', 'stalls, told'):
            return False
        if not self.capacity and not self.kind.told:
            return False
        clock, _, one = self.event
        rows = self.records()
        return (not rows[-1][4] and one.done is not None and one.done <= clock + self.reach and
                any(row[2] and row[5] <= clock for row in rows))
