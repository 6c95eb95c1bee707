# SPDX-License-Identifier: BSD-2-Clause
"""What tests in Python share: TAP lines, where things are, and how a test fails."""
import argparse
import os
import signal
import traceback

TREE = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
BUILD = os.path.join(TREE, 'build')


# A shell has what it runs in the background ignore it; a test that sends it must find it as it is by default.
signal.signal(signal.SIGINT, signal.default_int_handler)


class Failure(Exception):
    """What is found is not what is wanted."""


class Skip(Exception):
    """What the test needs is not there."""


def same(what, got, want):
    if got != want:
        raise Failure('%s:\n got %s\nwant %s' % (what, got, want))


def parser(text):
    """Options of a test of softpt; @text is its own."""
    options = argparse.ArgumentParser(description=text,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('--softpt', default=os.path.join(BUILD, 'softpt'))
    return options


class Tap:
    """Numbers and prints results; done() prints the plan and is the exit status."""

    def __init__(self):
        self.number = self.failed = 0

    def result(self, good, name, why=''):
        """@why: what explains a failure"""
        self.number += 1
        self.failed += not good
        print('%sok %d - %s' % ('' if good else 'not ', self.number, name), flush=True)
        if not good and why:
            print('# ' + str(why).replace('\n', '\n# '))
        return good

    def run(self, name, test, *args):
        """@test fails by any exception. What it returns is a note on its line."""
        try:
            note = test(*args)
        except Skip as why:
            self.result(True, '%s # SKIP %s' % (name, why))
        except Failure as why:
            self.result(False, name, why)
        except Exception:       # pylint: disable=broad-except
            self.result(False, name, traceback.format_exc().rstrip())
        else:
            self.result(True, '%s # %s' % (name, note) if note else name)

    def done(self):
        print('1..%d' % self.number, flush=True)
        return 1 if self.failed or not self.number else 0
