# SPDX-License-Identifier: BSD-2-Clause
"""A recording of a program that waits, with a trace of the kernel as record --kernel has it

softpt sim makes that of events that are chosen here, so that their times are known. It needs no module.
"""
import json
import os
import struct
import subprocess

import perfdata
import scene

KERNEL = ('syscall', 'switch-out', 'switch-in', 'fault', 'irq')
PREEMPTED, SLEEPS, ENDED = 0, 1, 4
OTHER = 4000000                     # a thread that is none of the program's
ENTRY, HANDLER, ADDRESS = 0xffffffff81000000, 0xffffffff81000100, 0x7fff12345000
PERIOD = 8 * 108                    # ticks of an MTC period


PROGRAM = '''
#include <time.h>

__attribute__((noinline, noclone)) void work(void)
{
	volatile int i;

	for (i = 0; i < 300000; i++)
		;
}

int main(void)
{
	struct timespec nap = { .tv_nsec = 20000000 };
	int i;

	for (i = 0; i < 4; i++) {
		work();
		nanosleep(&nap, 0);
	}
	return 0;
}
'''


class Recording:
    def __init__(self, softpt, folder):
        self.softpt, self.folder = softpt, folder
        self.plain, self.both = (os.path.join(folder, name) for name in ('plain', 'both'))
        program = os.path.join(folder, 'program')
        subprocess.run(['gcc', '-O1', '-o', program, '-x', 'c', '-'], input=PROGRAM, text=True,
                       check=True)
        subprocess.run([softpt, 'record', '--how=translate', '-o', self.plain, '--', program],
                       check=True, stderr=subprocess.DEVNULL)
        rows = self.rows(self.plain)
        self.tid = rows[0]['tid']
        waits = sorted((row for row in rows if row['event'] == 'kernel'),
                       key=lambda row: row['ticks'])[-4:]
        self.waits = sorted((row['tsc'] - row['ticks'], row['tsc']) for row in waits)

    def rows(self, path, *options):
        out = scene.run(self.softpt, 'flow', '-f', 'json', *options, path)
        return [json.loads(line) for line in out.splitlines()]

    def add(self, events):
        """Lines of (TSC, what): the trace of CPU 0, of the kernel."""
        text, packets = (os.path.join(self.folder, name) for name in ('events', 'packets'))
        with open(text, 'w', encoding='utf-8') as file:
            file.writelines('%d %s\n' % event for event in events)
        scene.run(self.softpt, 'sim', '-c', 'os=1,suppress=2', '-o', packets, text)
        with open(packets, 'rb') as file:
            data = file.read()
        padding = -len(data) % 8
        head = struct.pack('<IHHQQQIIII', perfdata.AUXTRACE, 0, 48, len(data) + padding, 0,
                           events[-1][0], 0, 0xffffffff, 0, padding)
        with open(self.plain, 'rb') as file, open(self.both, 'wb') as copy:
            copy.write(file.read())
        perfdata.add(self.both, [head + data + bytes(padding)])


def switch(tsc, tid, why=0):
    return [(tsc, 'cr3 0x1000'), (tsc, 'ptw %d' % (why << 32 | tid))]


def fault(tsc):
    return [(tsc, 'evd 0 0x%x' % ADDRESS), (tsc, 'cfe 1 14'),
            (tsc, 'intr 0 0x%x 0 14' % ENTRY)]


def events_of(rec):
    """In the first wait the thread sleeps; in the second it is preempted; then the CPU is lost."""
    (one, _), (two, _), (three, _), (four, end) = rec.waits
    third = (end - four) // 4
    events = [(one - 40000, 'cpl 0'), (one - 40000, 'mode 64'), (one - 40000, 'enable 0')]
    events += switch(one - 30000, rec.tid)
    events += switch(one + 100000, OTHER, SLEEPS)
    events += fault(one + 150000)           # the other's
    events += switch(one + 300000, rec.tid)
    events += fault(two + 50000)
    events += [(two + 60000, 'intr 0 0x%x 0 236' % HANDLER)]
    events += switch(two + 100000, OTHER, PREEMPTED)
    events += switch(two + 500000, rec.tid)
    events += fault(three + 5000)[:1]       # its interrupt is lost
    events += [(three + 10000, 'ovf 20000')]
    events += switch(three + 50000, rec.tid)
    events += [(three + 60000, 'intr 0 0x%x 0 236' % HANDLER)]
    events += [(three + 70000, 'ovf 20000')]
    events += fault(three + 100000)         # whose, nobody knows
    events += switch(four + third, rec.tid)
    events += switch(four + 2 * third, OTHER, ENDED)
    return events + [(end, 'disable')]
