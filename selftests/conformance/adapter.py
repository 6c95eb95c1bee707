# SPDX-License-Identifier: BSD-2-Clause
"""What the adapters share: they ask a decoder, and print its answer as score wants it."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, room) for room in ('../host/flow', '../kit')]

import perfdata     # noqa: E402
import tap          # noqa: E402

UNASKED = 3
KINDS = ('taken', 'not', 'tip', 'ptw')
WHO = (1, 1)        # as softpt export says of packets that name nobody


def run(*command):
    """Decoders fail at damage, and have printed the rest."""
    return subprocess.run(command, capture_output=True, text=True, errors='replace', check=False)


def settings(case):
    with open(case + '.conf', encoding='utf-8') as file:
        return dict(line.split() for line in file.read().splitlines())


def config(case):
    """As softpt takes it; nothing where the stream says it itself"""
    told = settings(case)
    if 'described' in told:
        return ()
    return '-c', ','.join(['describe=0,os=0', 'tsc_ratio=' + told['ctc_ratio']] +
                    ['%s=%s' % (key, told[key]) for key in ('mtc_freq', 'cyc', 'ptw', 'branch')])


def perf_data(args, folder):
    """The stream as a perf.data file, with the code where the case has any"""
    path, how = os.path.join(folder, 'perf.data'), ()
    if os.path.exists(args.case + '.conf'):
        how = config(args.case)
    done = run(args.softpt, 'export', '--to', 'perf', *how, '-o', path, args.case + '.pt')
    if done.returncode:
        sys.exit('softpt export: ' + done.stderr.strip())
    if os.path.exists(args.case + '.code'):
        code = os.path.abspath(args.case + '.code')
        perfdata.add(path, [perfdata.mapping(WHO, 0, 0, int(settings(args.case)['code'], 16),
                                             os.path.getsize(code), 0, code)])
    return path


def main(text, packets, path, times):
    options = tap.parser(text)
    options.add_argument('what', choices=('packets', 'path', 'times'))
    options.add_argument('case')
    args = options.parse_args()
    {'packets': packets, 'path': path, 'times': times}[args.what](args)
