# SPDX-License-Identifier: BSD-2-Clause
"""A recording whose truth is known: two programs linked to the same address, three threads.

Thread 10 of process 10 runs `first` and forks 11, which runs on in a copy of it, and then
executes `second`. Thread 12 is a second thread of process 10. They take turns on two CPUs.
10 and 11 call code that is nowhere but in the recording: its vdso.
"""
import os
import subprocess

import perfdata

FIRST = """
        .globl _start, f, g, h
_start: nop
        call f
        call g
back:   syscall
again:  nop
        call *%rax
leave:  syscall
f:      push %rax
        pop %rax
fret:   ret
g:      jmp h
h:      ret
spin:   jmp spin
"""
SECOND = """
        .globl _start, k
_start: xor %eax, %eax
        call k
leave:  syscall
k:      lea 8(%rax), %rax
        nop
kret:   ret
"""
OTHER = """
        .globl leaf
leaf:   nop
other:  ret
"""
ANOTHER = """
        .globl leaf
leaf:   cld
other:  ret
"""
PSB = b'\x02\x82' * 8
KERNEL = 0xffffffff81000000
MAIN, CHILD, THREAD = (10, 10), (11, 11), (10, 12)


def run(*args, **options):
    done = subprocess.run(args, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise RuntimeError('%s: exit %d: %s' % (' '.join(args[:3]), done.returncode, done.stderr))
    return done.stdout


class Program:
    def __init__(self, folder, name, source, text=0x401000):
        self.path = os.path.join(folder, name)
        run(os.environ.get('CC', 'cc'), '-nostdlib', '-static', '-no-pie', '-x', 'assembler',
            '-Wl,-Ttext=%#x,-e0,--build-id=none' % text, '-o', self.path, '-', input='.text\n' + source)
        self.at = {}
        for line in run('nm', self.path).splitlines():
            at, kind, name = line.split()
            if kind in 'Tt':
                self.at[name] = int(at, 16)

    def __getitem__(self, name):
        return self.at[name]

    def name(self, ip):
        """As nm says: the symbol at or before."""
        return max((at, name) for name, at in self.at.items() if at <= ip)[1]

    def map(self, who, cpu, time):
        """The segment with the code."""
        line = next(line for line in run('readelf', '-lW', self.path).splitlines()
                    if line.split()[:1] == ['LOAD'] and ' E ' in line)
        offset, addr, _, size = (int(word, 16) for word in line.split()[1:5])
        return perfdata.mapping(who, cpu, time, addr, size, offset, self.path)


class Vdso:
    """A NOP and a RET."""
    path, at, size = '[vdso]', 0x7fff00000000, 0x3000
    code = b'\x90\xc3'.ljust(size, b'\xcc')

    def name(self, _):
        return None

    def map(self, who, cpu, time):
        return perfdata.mapping(who, cpu, time, self.at, self.size, 0, self.path)


class Scene:
    """What happens, in turns: events for the engine, records of the kernel, and the truth."""

    def __init__(self, folder):
        self.folder = folder
        self.first = Program(folder, 'first', FIRST)
        self.second = Program(folder, 'second', SECOND)
        self.now = 1000000
        self.events = {0: [], 1: []}
        self.records = []
        self.vdso = Vdso()
        self.insns = []         # (tid, program, address), and the time of those that branch
        self.calls = []         # (tid, function, time of the call, of the return)
        self.play()

    def turn(self, cpu, who, program, begin, steps, enable=False):
        """STEPS: an address: an instruction; or KIND, ADDRESS, arguments: an event."""
        self.now += 20000
        self.records.append(perfdata.switch(who, cpu, self.now - 2000))
        self.put(cpu, 'enable %#x' % begin if enable else 'far %#x %#x 3' % (KERNEL, begin))
        for step in steps:
            if isinstance(step, int):
                self.insns.append((who[1], self.of(program, step), step, None))
                continue
            kind, ip, *rest = step
            self.put(cpu, ' '.join([kind] + ['%#x' % ip] + ['%#x' % arg for arg in rest]))
            if kind != 'intr':
                self.insns.append((who[1], self.of(program, ip), ip, self.now))
        self.records.append(perfdata.switch(who, cpu, self.now + 2000, out=True))

    def of(self, program, ip):
        return self.vdso if ip >= self.vdso.at else program

    def put(self, cpu, event):
        self.now += 700
        self.events[cpu].append('%d %s' % (self.now, event))

    def play(self):
        a, b = self.first, self.second
        start = self.now
        self.records += [perfdata.comm(MAIN, 0, start, 'first', is_exec=True),
                         a.map(MAIN, 0, start + 1), self.vdso.map(MAIN, 0, start + 2)]
        to_vdso = [a['again'], ('icall', a['again'] + 1, self.vdso.at, 2), self.vdso.at,
                   ('ret', self.vdso.at + 1, a['leave']), ('far', a['leave'], KERNEL, 0)]
        self.turn(0, MAIN, a, a['_start'], [
            a['_start'], ('call', a['_start'] + 1, a['f']), a['f'], a['f'] + 1,
            ('ret', a['fret'], a['_start'] + 6), ('call', a['_start'] + 6, a['g']),
            ('jmp', a['g'], a['h']), ('ret', a['h'], a['back']),
            ('far', a['back'], KERNEL, 0)], enable=True)
        self.records.append(perfdata.fork(CHILD, MAIN, 0, self.now + 1000))
        self.records.append(perfdata.fork(THREAD, MAIN, 0, self.now + 1100))
        self.turn(1, THREAD, a, a['f'], [
            a['f'], a['f'] + 1, ('intr', a['fret'], KERNEL, 0, 32)], enable=True)
        self.turn(0, CHILD, a, a['again'], to_vdso)
        self.records += [perfdata.comm(CHILD, 0, self.now + 4000, 'second', is_exec=True),
                         b.map(CHILD, 0, self.now + 4100)]
        self.turn(1, MAIN, a, a['again'], to_vdso)
        self.turn(0, CHILD, b, b['_start'], [
            b['_start'], ('call', b['_start'] + 2, b['k']), b['k'], b['k'] + 4,
            ('ret', b['kret'], b['leave']), ('far', b['leave'], KERNEL, 0)])
        self.turn(0, THREAD, a, a['fret'], [
            ('ret', a['fret'], a['_start'] + 6), ('call', a['_start'] + 6, a['g']),
            ('jmp', a['g'], a['h']), ('ret', a['h'], a['back']),
            ('far', a['back'], KERNEL, 0)])

    def write(self, softpt, config, system=False, cut=False):
        """CUT: what was before the second PSB is lost. Return: the path of the perf.data file."""
        streams = []
        for cpu, lines in self.events.items():
            events = os.path.join(self.folder, 'events%d' % cpu)
            with open(events, 'w', encoding='utf-8') as file:
                file.write('\n'.join(lines) + '\n')
            streams.append(events + '.pt')
            run(softpt, 'sim', events, '-o', streams[-1], '-c', config)
            if cut:
                with open(streams[-1], 'r+b') as file:
                    data = file.read()
                    file.seek(0)
                    file.truncate()
                    file.write(data[data.index(PSB, 1):])
        path = os.path.join(self.folder, 'perf.data')
        run(softpt, 'export', '--to', 'perf', '-o', path, *streams)
        perfdata.add(path, self.records, self.vdso.code, system)
        return path

    def write_circles(self, softpt):
        """A trace that ends where the code that it names cannot have been left."""
        self.events = {0: ['1000000 enable %#x' % self.first['spin'], '1500000 disable']}
        self.records = [perfdata.comm(MAIN, 0, 999990, 'first', is_exec=True),
                        self.first.map(MAIN, 0, 999991), perfdata.switch(MAIN, 0, 999992)]
        return self.write(softpt, 'os=0')

    def write_idle(self, softpt):
        """It begins amid f, with PSBs, and only then f goes on. Return: when it begins, too."""
        a = self.first
        self.events = {0: ['1000000 enable %#x' % a['f']] + ['+4000000 cbr %d' % ratio
                       for ratio in (20, 21, 22, 23)] +
                       ['+100 ret %#x %#x' % (a['fret'], a['_start'] + 6), '+100 disable']}
        self.records = [perfdata.comm(MAIN, 0, 999990, 'first', is_exec=True),
                        a.map(MAIN, 0, 999991), perfdata.switch(MAIN, 0, 999992)]
        return self.write(softpt, 'os=0,psb_freq=0,mtc_freq=0,suppress=off,retc=0', cut=True), 5000000

    def write_cross(self, softpt, count):
        """From one file into another and back, COUNT times."""
        a, b = self.first, Program(self.folder, 'other', OTHER, 0x501000)
        self.events = {0: ['1000000 enable %#x' % a['again']] + [
            '+10 icall %#x %#x 2' % (a['again'] + 1, b['leaf']),
            '+10 ret %#x %#x' % (b['other'], a['again'])] * count + ['+10 disable']}
        self.records = [perfdata.comm(MAIN, 0, 999990, 'first', is_exec=True),
                        a.map(MAIN, 0, 999991), b.map(MAIN, 0, 999992),
                        perfdata.switch(MAIN, 0, 999993)]
        return self.write(softpt, 'os=0,psb_freq=0')

    def write_replaced(self, softpt):
        """
        A file at an address, another one over it, the first one again, and memory of no file over
        the half of it: each is mapped in a system call, and then called. Return: the names, too.
        """
        a = self.first
        b, c = (Program(self.folder, name, source, 0x501000)
                for name, source in (('one', OTHER), ('two', ANOTHER)))
        self.events = {0: []}
        self.records = [perfdata.comm(MAIN, 0, 990, 'first', is_exec=True), a.map(MAIN, 0, 991),
                        perfdata.switch(MAIN, 0, 992)]
        for turn, what in enumerate((b, c, b, None)):
            time = 2000 + 1000 * turn
            self.records.append(what.map(MAIN, 0, time - 10) if what else perfdata.mapping(
                MAIN, 0, time - 10, b['other'], 0xfff, 0, '//anon'))
            self.events[0] += [
                '%d %s' % (time, 'far %#x %#x 3' % (KERNEL, a['again']) if time > 2000
                           else 'enable %#x' % a['again']),
                '+10 icall %#x %#x 2' % (a['again'] + 1, b['leaf']),
                '+10 ret %#x %#x' % (b['other'], a['leave']),
                '+10 far %#x %#x 0' % (a['leave'], KERNEL)]
        return self.write(softpt, 'os=0,pge_tsc=1,retc=0'), [b.path, c.path, b.path]
