# SPDX-License-Identifier: BSD-2-Clause
"""Recordings and their tables, for the tests of softpt export --to sqlite and --to arrow"""
import json
import os
import sqlite3
import subprocess

from tap import Failure, same

# Signals, calls that never return, and enough calls to be interrupted amid them
ABORTS = r'''
#include <signal.h>
#include <stdlib.h>
static volatile int sum;
__attribute__((noinline)) void leaf(int n) { sum += n; }
static void handler(int number) { leaf(number); }
__attribute__((noinline)) void down(int n)
{
	int i;

	for (i = 0; i < 400; i++)
		leaf(i);
	if (n % 10 == 0)
		raise(SIGUSR1);
	if (!n)
		abort();
	down(n - 1);
	sum++;
}
int main(void)
{
	signal(SIGUSR1, handler);
	down(50);
	return 0;
}
'''


def run(*args, status=0):
    done = subprocess.run(args, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode != status:
        raise Failure('%s: exit %d, %s' % (' '.join(args), done.returncode, done.stderr))
    return done


class Recording:
    """A recording, what softpt says of it, and its tables."""

    def __init__(self, softpt, path, status=0):
        self.softpt, self.path, self.database = softpt, path, path + '.db'
        done = run(softpt, 'export', '--to', 'sqlite', '--branches', '-o', self.database, path, status=status)
        same('lines on stderr', done.stderr.count('\n'), status)
        self.tables = sqlite3.connect(self.database)
        self.tables.row_factory = sqlite3.Row
        self.status = status

    def json(self, command, *options):
        out = run(self.softpt, command, '-f', 'json', *options, self.path, status=self.status).stdout
        return [json.loads(line) for line in out.splitlines()]

    def ask(self, sql):
        return [tuple(row) for row in self.tables.execute(sql)]

    def one(self, sql):
        return self.ask(sql)[0][0]


def record(softpt, folder, how, source, name=None, status=0):
    program = os.path.join(folder, name or os.path.basename(source).split('.')[0])
    path = '%s.%s.data' % (program, how)
    run(os.environ.get('CC', 'cc'), '-O2', '-g', '-pthread', '-fno-optimize-sibling-calls', '-o', program, source)
    run(softpt, 'record', '--how=' + how, '-o', path, '--', program, status=status)
    return Recording(softpt, path)


def record_aborts(softpt, folder):
    source = os.path.join(folder, 'aborts.c')
    with open(source, 'w', encoding='ascii') as file:
        file.write(ABORTS)
    return record(softpt, folder, 'translate', source, status=134)


def missing(softpt, path):
    """Why no database can be written of a recording, or None"""
    done = subprocess.run([softpt, 'export', '--to', 'sqlite', '-o', path + '.db', path], capture_output=True, text=True,
                          check=False)
    return done.stderr.strip() if 'no SQLite' in done.stderr else None
