# SPDX-License-Identifier: BSD-2-Clause
"""What counters count, the long way: every counter looks at every event of the text.

Nothing is shared with the engine: the area of a class, what a name means and what
u, k and t0u let through are written down here once more, and so is what a clock is.
"""
import collections
import fractions

FIELDS = 'counter,class,submask,quals,value,overflows'
BITS = 40
P1 = 26
# Sub-areas of each area, and its counters
AREAS = ((3, 4), (6, 4), (7, 4), (8, 6))
# A few names, of what the events' numbers are
NAMES = {'instructions': 0, 'branches': 2, 'mem': 3, 'dcache': 4, 'page-walks': 7, 'ext8': 8,
         'stalls': 10, 'page-faults': 17, 'ext47': 47, 'trace': 63}
SUBS = {2: ('taken', 'not-taken', 'predicted', 'mispredicted'), 3: ('read', 'write'),
        4: ('read-hit', 'read-miss', 'write-hit', 'write-miss'),
        10: ('fetch', 'execute', 'memory', 'retire')}


def sub_area(number):
    return number % sum(areas for areas, _ in AREAS)


def counters_of(number):
    """The counters of the area that a class belongs to."""
    areas = counters = 0
    for wide, many in AREAS:
        areas, counters = areas + wide, counters + many
        if sub_area(number) < areas:
            return range(counters - many, counters)
    raise ValueError(number)


def lets(word):
    """What a qualifier lets through: (thread, CPL); "" everything."""
    levels = {'u': (1, 2, 3), 'k': (0,)}.get(word[-1:], (0, 1, 2, 3))
    threads = [int(word[1:].rstrip('uk'))] if word[:1] == 't' else range(32)
    return {(t, c) for t in threads for c in levels}


def number_of(word):
    """A preset: -N is N below the end."""
    return int(word, 0) % 2 ** BITS


class Counter:
    """One counter, from the text K=CLASS[/SUBMASK][:QUAL...][:preset=N][:stop]."""

    def __init__(self, text):
        head, _, words = text.partition(':')
        head, slash, mask = head.partition('/')
        number, _, name = head.partition('=')
        words = [word for word in words.split(':') if word]
        preset = [number_of(word[7:]) for word in words if word.startswith('preset=')]
        self.number = int(number)
        self.event_class = NAMES[name] if name in NAMES else int(name, 0)
        self.mask = sum({self.bit(word) for word in mask.split('+')}) if slash else 0xffff
        self.total = preset[-1] if preset else 0
        self.runs = 'stop' not in words
        self.quals = ':'.join(w for w in words if w != 'stop' and not w.startswith('preset='))
        self.pairs = set().union(*map(lets, self.quals.replace(' ', ':').split(':')))

    def see(self, number, mask, amount, thread, cpl):
        """An event: does it count?"""
        if self.runs and number == self.event_class and mask & self.mask and \
                (thread, cpl) in self.pairs:
            self.total += amount

    def bit(self, word):
        names = SUBS.get(self.event_class, ())
        return 1 << names.index(word) if word in names else int(word, 0)

    def canonical(self):
        """Each privilege level as one word, else thread by thread; "" for all of both."""
        whole = [level for level, cpl in (('u', 1), ('k', 0))
                 if all((t, cpl) in self.pairs for t in range(32))]
        if len(whole) == 2:
            return ''
        return ' '.join(whole + ['t%d%s' % (t, level) for t in range(32)
                                 for level, cpl in (('u', 1), ('k', 0))
                                 if (t, cpl) in self.pairs and level not in whole])

    def row(self):
        return '%d,%d,%#x,%s,%d,%d' % (self.number, self.event_class, self.mask,
                                       self.canonical(), self.total % 2 ** BITS,
                                       self.total // 2 ** BITS)


Step = collections.namedtuple('Step', 'at stop clear preset start')
# At a time some counters are stopped, some cleared, some preset ({number: value}), some started.


class World:
    """Thread and level, the core's clock, which conditions hold, and counters that see it."""

    def __init__(self, specs):
        self.counters = sorted((Counter(spec) for spec in specs), key=lambda c: c.number)
        self.thread, self.cpl, self.ratio = 0, 3, P1
        self.now = self.asleep_until = 0
        self.holds = {}                 # {class: (mask, clocks since the first of them began)}

    def pass_to(self, time):
        """Each clock in which a condition holds is counted with the thread and level of now."""
        awake = max(0, time - max(self.now, self.asleep_until))
        for number, (mask, before) in self.holds.items():
            after = before + fractions.Fraction(awake * self.ratio, P1)
            self.holds[number] = mask, after
            for counter in self.counters:
                counter.see(number, mask, int(after) - int(before), self.thread, self.cpl)
        self.now = max(self.now, time)

    def happen(self, time, words):
        if words[0] != 'idle' or time >= self.asleep_until:
            self.asleep_until = min(self.asleep_until, time)
        self.pass_to(time)
        if words[0] == 'thread':
            self.thread = int(words[1], 0)
        elif words[0] == 'cpl':
            self.cpl = int(words[1], 0)
        elif words[0] in ('far', 'intr'):
            self.cpl = int(words[3], 0)
        elif words[0] in ('clock', 'cbr'):
            self.ratio = int(words[1], 0)
        elif words[0] == 'sleep':
            self.asleep_until = time + int(words[1], 0)
        elif words[0] == 'pmu':
            self.pmu(int(words[1], 0), int(words[2], 0), words[3])

    def pmu(self, number, mask, amount):
        held, clocks = self.holds.get(number, (0, fractions.Fraction(0)))
        if amount == 'begin':
            self.holds[number] = held | mask, clocks
        elif amount == 'end':
            self.holds[number] = held & ~mask, clocks
        else:
            for counter in self.counters:
                counter.see(number, mask, int(amount, 0), self.thread, self.cpl)
        if not self.holds.get(number, (1,))[0]:
            del self.holds[number]

    def do(self, step):
        for counter in self.counters:
            if counter.number in step.stop:
                counter.runs = False
            if counter.number in step.clear:
                counter.total = 0
            counter.total = step.preset.get(counter.number, counter.total)
            counter.runs |= counter.number in step.start

    def rows(self, time=None):
        return [('' if time is None else '%d,' % time) + c.row() for c in self.counters]


def count(text, specs, steps=(), interval=0):
    """The CSV for an event text and the arguments of --counter, --count and --interval."""
    world, rows, steps, sample, time = World(specs), [], list(steps), None, 0
    for line in text.splitlines():
        words = line.split('#')[0].split()
        if not words:
            continue
        time = int(words[0][1:]) + time if words[0][0] == '+' else int(words[0])
        sample = time + interval if sample is None else sample
        while (interval and sample <= time) or (steps and steps[0].at <= time):
            if interval and sample <= time and not (steps and steps[0].at < sample):
                world.pass_to(sample)
                rows += world.rows(sample)
                sample += interval
            else:
                world.pass_to(steps[0].at)
                world.do(steps.pop(0))
        world.happen(time, words[1:])
    return '\n'.join([('tsc,' if interval else '') + FIELDS] + rows +
                     world.rows(time if interval else None)) + '\n'
