# SPDX-License-Identifier: BSD-2-Clause
"""Random programs of x86-64 code, run here: each branch becomes an event, each instruction a line of the path."""
from collections import namedtuple

from corpus import Case
from streams import USER, conf

Insn = namedtuple('Insn', 'ip size kind target')
KERNEL = 0xffffffff81000000
NOPS = (b'\x90', b'\x66\x90', b'\x0f\x1f\x00', b'\x48\x89\xc0', b'\x48\x83\xc0\x01')
FUNCTIONS, BODY = 8, 24
# kind: (bytes before the displacement, bytes of the displacement)
CODE = {'jcc': (b'\x74', 1), 'jmp': (b'\xeb', 1), 'call': (b'\xe8', 4), 'icall': (b'\xff\xd0', 0), 'ijmp': (b'\xff\xe0', 0),
        'ret': (b'\xc3', 0), 'far': (b'\x0f\x05', 0)}


class Program:
    """Functions that call those behind them; branches within one go forward, and its last jump begins it anew."""

    def __init__(self, rng, kinds):
        self.rng, self.kinds = rng, kinds
        self.insns, self.entries = {}, []
        self.plan, at = [], USER
        for index in range(FUNCTIONS):
            self.entries.append(at)
            for place in range(BODY):
                kind = self.kind(index, place)
                code = CODE[kind] if kind in CODE else (rng.choice(NOPS), 0)
                self.plan.append((at, kind, *code))
                at += len(code[0]) + code[1]
            at += -at % 16
        self.code = bytearray(b'\xcc' * (at - USER))
        for index, (ip, kind, opcode, room) in enumerate(self.plan):
            self.write(index, ip, kind, opcode, room)

    def kind(self, index, place):
        if place == BODY - 1:
            return 'ret' if index else 'jmp'
        kind = self.rng.choice(self.kinds + ('nop',) * 6)
        calls = kind in ('call', 'icall')
        return 'nop' if place < 2 or place > BODY - 6 or calls and index == FUNCTIONS - 1 else kind

    def write(self, index, ip, kind, opcode, room):
        size, target, place = len(opcode) + room, None, index % BODY
        if place == BODY - 1 and kind == 'jmp':
            target = self.entries[0]
        elif kind in ('jcc', 'jmp', 'ijmp'):
            target = self.plan[index + self.rng.randint(2, 4)][0]
        elif kind in ('call', 'icall'):
            target = self.rng.choice(self.entries[index // BODY + 1:])
        self.insns[ip] = Insn(ip, size, kind, target)
        displacement = (target - ip - size).to_bytes(room, 'little', signed=True) if room else b''
        self.code[ip - USER:ip - USER + size] = opcode + displacement


class Run:
    """The program, executed: its path, and the events of its branches."""

    def __init__(self, program, rng, interrupts):
        self.program, self.rng, self.interrupts = program, rng, interrupts
        self.path, self.lines, self.stack = [], [], []
        self.now = 1000000
        self.event('enable %#x' % USER)

    def event(self, text):
        self.now += self.rng.randint(1, 90)
        self.lines.append('%d %s' % (self.now, text))

    def go(self, count):
        ip = USER
        while len(self.path) < count or self.stack:
            if self.interrupts and not self.rng.randrange(60):
                self.event('intr %#x %#x 0 32' % (ip, KERNEL))
                self.event('far %#x %#x 3' % (KERNEL + 0x100, ip))
            self.path.append(ip)
            insn = self.program.insns[ip]
            ip = getattr(self, insn.kind)(insn)
        self.event('disable %#x' % ip)

    def nop(self, insn):
        return insn.ip + insn.size

    def jcc(self, insn):
        taken = self.rng.random() < 0.5
        self.event('jcc %#x %s' % (insn.ip, 'taken' if taken else 'not'))
        return insn.target if taken else insn.ip + insn.size

    def jmp(self, insn):
        self.event('jmp %#x %#x' % (insn.ip, insn.target))
        return insn.target

    def ijmp(self, insn):
        self.event('ijmp %#x %#x' % (insn.ip, insn.target))
        return insn.target

    def call(self, insn):
        self.event('call %#x %#x 5' % (insn.ip, insn.target))
        self.stack.append(insn.ip + insn.size)
        return insn.target

    def icall(self, insn):
        self.event('icall %#x %#x 2' % (insn.ip, insn.target))
        self.stack.append(insn.ip + insn.size)
        return insn.target

    def ret(self, insn):
        back = self.stack.pop()
        self.event('ret %#x %#x' % (insn.ip, back))
        return back

    def far(self, insn):
        self.event('far %#x %#x 0' % (insn.ip, KERNEL))
        self.event('far %#x %#x 3' % (KERNEL + 0x100, insn.ip + insn.size))
        return insn.ip + insn.size


PATHS = (
    ('branches', 'conditional branches and jumps', 'jcc jcc jcc jmp', 'branch=1', False),
    ('indirect', 'indirect jumps and calls', 'jcc ijmp icall', 'branch=1', False),
    ('returns', 'calls, returns compressed', 'jcc call call icall', 'retc=1', False),
    ('returns-whole', 'calls, returns as TIP', 'jcc call call icall', 'retc=0', False),
    ('system-calls', 'system calls, the kernel is not traced', 'jcc call far', 'branch=1', False),
    ('interrupts', 'interrupts, the kernel is not traced', 'jcc jcc call', 'branch=1', True),
    ('tnt-64', 'TNT.64', 'jcc jcc jcc jmp', 'tnt64=1', False),
)


def write(folder, sim, rng):
    for name, feature, kinds, config, interrupts in PATHS:
        for number in range(1, 4):
            program = Program(rng, tuple(kinds.split()))
            run = Run(program, rng, interrupts)
            run.go(1500)
            whole = 'tsc_ratio=16/1,mtc_freq=3,os=0,describe=0,psb_freq=0,' + config
            s, _ = sim.stream(whole, '\n'.join(run.lines) + '\n')
            folder.case(Case('path-%s-%d' % (name, number), 'Path: ' + feature, 'packets,path',
                             'Change of Flow Instruction Tracing', '%d instructions: %s' % (len(run.path), whole)), s,
                        conf=conf(whole) + ['code %#x' % USER], code=bytes(program.code),
                        path=['%x' % ip for ip in run.path])
