# SPDX-License-Identifier: BSD-2-Clause
"""Recordings that can't be followed everywhere, or that no unit of ours made."""
import os
import struct

import perfdata
import scene

PROGRAM = """
        .globl _start, f
_start: nop
        call f
away:   call *%rax
back:   nop
        call f
leave:  syscall
f:      push %rax
        pop %rax
fret:   ret
tx:     xbegin other
in:     nop
tcall:  call f
stop:   xabort $1
other:  nop
        jmp back
write:  ptwrite %rax
        nop
        jmp leave
"""
ELSE = """
        .globl _start, g
_start: cld
        call g
turn:   call *%rax
home:   cld
        call g
out:    syscall
g:      cld
        cld
gret:   ret
"""
MADE = 0x7f0000001000   # where code is that is in no file
KERNEL = scene.KERNEL
ONE, TWO = (20, 20), (21, 21)
PSBEND = b'\x02\x23'
TRUE_PSB = scene.PSB


def ip_packet(opcode, ip):
    return bytes((opcode | 0xc0,)) + struct.pack('<Q', ip)


def tip(ip):
    return ip_packet(0x0d, ip)


def pge(ip):
    """In 64-bit mode."""
    return b'\x99\x01' + ip_packet(0x11, ip)


def pgd():
    return b'\x01'


def fup(ip):
    return ip_packet(0x1d, ip)


def tnt(bits):
    """As a string of 0 and 1, the oldest first."""
    return bytes((int('1' + bits, 2) << 1,))


def tsc(ticks):
    return b'\x19' + ticks.to_bytes(7, 'little')


# An MNT packet as behind a PSB of ours, that says nothing else
OURS = b'\x02\xc3\x88' + (0xd0 << 56).to_bytes(8, 'little')
made_by = b''   # or OURS: whose decoder finds the path


def use(packets):
    global made_by
    made_by = packets


def psb(ip=None, time=1000, more=b''):
    where = b'\x99\x01' + fup(ip) if ip else b''
    return TRUE_PSB + tsc(time) + made_by + where + more + PSBEND


class Case(scene.Scene):
    """Two programs, whose first halves are alike, at the same address."""

    def __init__(self, folder):
        super().__init__(folder)
        self.a = scene.Program(folder, 'a', PROGRAM)
        self.b = scene.Program(folder, 'b', ELSE)
        self.records = [perfdata.comm(who, 0, 990, program.path[-1], is_exec=True)
                        for who, program in ((ONE, self.a), (TWO, self.b))]
        self.records += [self.a.map(ONE, 0, 991), self.b.map(TWO, 0, 991),
                         perfdata.switch(ONE, 0, 992)]
        self.events = {0: []}

    def play(self):
        """Each case does it by itself."""

    def happen(self, *events):
        self.events[0] += events

    def raw(self, softpt, data, cpuid=None):
        """A file of these packets, that says which processor made them."""
        stream = os.path.join(self.folder, 'raw.pt')
        with open(stream, 'wb') as file:
            file.write(data)
        path = os.path.join(self.folder, 'perf.data')
        scene.run(softpt, 'export', '--to', 'perf', '-o', path, stream)
        perfdata.add(path, self.records, cpuid=cpuid)
        return path

    def to_away(self, first='enable %#x'):
        """A's begin, up to a call of code that is in no file."""
        a = self.a
        where = first % a['_start'] if '%' in first else first
        return ['1000 ' + where, '+10 call %#x %#x' % (a['_start'] + 1, a['f']),
                '+10 ret %#x %#x' % (a['fret'], a['away']),
                '+10 icall %#x %#x 2' % (a['away'], MADE)]

    def from_back(self):
        a = self.a
        return ['+10 call %#x %#x' % (a['back'] + 1, a['f']),
                '+10 ret %#x %#x' % (a['fret'], a['leave'])]

    def f(self):
        return [self.a['f'], self.a['f'] + 1, self.a['fret']]

    def known(self):
        """What to_away() and from_back() execute."""
        a = self.a
        return ([a['_start'], a['_start'] + 1] + self.f() + [a['away']],
                [a['back'], a['back'] + 1] + self.f())
