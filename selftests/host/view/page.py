# SPDX-License-Identifier: BSD-2-Clause
"""A page of softpt view, taken apart: its data, and what a browser makes of it"""
import array
import base64
import collections
import html.parser
import json
import os
import re
import subprocess

from tap import Failure, same

KERNEL, MERGED, ROOT, NONE = 0xffffffff, 0xfffffffe, 0xffffffff, 0xffffffff
SLICES = {'begin': 'd', 'end': 'd', 'off': 'f', 'what': 'I', 'lane': 'I', 'depth': 'I', 'calls': 'I',
          'instructions': 'd'}
TREE = {'parent': 'I', 'what': 'I', 'calls': 'd', 'self': 'd', 'total': 'd'}

# Clicks on the longest call of a function in the timeline, or on its box in the flame graph
CLICK = r"""
const name = %s;
function click(canvas, x, y) {
	const { left, top } = canvas.getBoundingClientRect();
	for (const type of ['pointerdown', 'pointerup', 'click'])
		canvas.dispatchEvent(new PointerEvent(type, { clientX: left + x, clientY: top + y, pointerId: 1 }));
}
function clickTime() {
	const all = Array.from(slices.what.keys()).filter(i => nameOf(slices.what[i]) === name);
	const i = all.reduce((a, b) => slices.end[b] - slices.begin[b] > slices.end[a] - slices.begin[a] ? b : a);
	reveal(i);
	paint();
	click($('time'), ((slices.begin[i] + slices.end[i]) / 2 - state.from) / (state.to - state.from) * $('scroll').clientWidth,
		places[slices.lane[i]].y + TITLE + slices.depth[i] * ROW + 5 - $('scroll').scrollTop);
}
function clickFlame() {
	show('flame');
	paint();
	const box = boxes.find(box => costName(tree.what[box.i]) === name);
	click($('flame'), box.x + box.w / 2, box.y + 5);
}
%s;
"""

Slice = collections.namedtuple('Slice', SLICES)


def run(*args, status=0, **more):
    done = subprocess.run(args, capture_output=True, text=True, check=False, timeout=600, **more)
    if done.returncode != status:
        raise Failure('%s: exit %d, %s' % (' '.join(args), done.returncode, done.stderr))
    return done


def rows(table, types):
    columns = []
    for key, code in types.items():
        column = array.array(code, base64.b64decode(table[key], validate=True))
        same('length of ' + key, len(column), table['n'])
        columns.append(column)
    return list(zip(*columns))


def name_of(row):
    """As the page has it"""
    if row.get('name', row.get('function')):
        return row.get('name', row.get('function')).split('@')[0]
    return row['module']


class Page:
    def __init__(self, path):
        with open(path, encoding='utf-8') as file:
            self.text = file.read()
        self.path = path
        found = re.findall(r'<script id="data" type="application/json">(.*?)</script>', self.text, re.S)
        same('scripts of data', len(found), 1)
        self.data = json.loads(found[0])
        self.slices = [Slice(*row) for row in rows(self.data['slices'], SLICES)]
        self.tree = rows(self.data['tree'], TREE)

    def name(self, what):
        return 'kernel' if what == KERNEL else self.data['functions'][what][0]

    def functions_of(self, name):
        """Numbers of functions of a name, as the timeline and as the flame graph have them"""
        code = self.data['code']
        return [sorted(number for number, (other, _) in zip(array.array('I', base64.b64decode(code[of])), names)
                       if other == name)
                for of, names in (('of_call', self.data['functions']), ('of_cost', self.data['costs']['functions']))]

    def function(self, name):
        """The source of a function that has it: path, line, ranges of lines, counts by line"""
        (number,), again = self.functions_of(name)
        same('the same in the flame graph', again, [number])
        file, line, *rest = self.data['source']['functions'][number]
        ranges, counts = rest or ([], [])
        return (self.data['source']['files'][file]['path'], line, list(zip(ranges[::2], ranges[1::2])),
                dict(zip(counts[::2], counts[1::2])))

    def places(self, number):
        """Path and line of each instruction of a function that is on the page"""
        runs, found = self.data['source']['insns'][number], []
        for n, file, line in zip(runs[::3], runs[1::3], runs[2::3]):
            found += n * [(self.data['source']['files'][file]['path'], line) if line else (None, None)]
        return found

    def insns(self, number):
        """Instructions of a function: address, times, taken, text; and their size"""
        found = []
        for address, times, *texts in self.data['code']['insns'][number]:
            taken = texts.pop() if isinstance(texts[-1], int) else None
            address = int(address, 16)
            for i, text in enumerate(texts):
                size = int(text[0], 36)
                found.append(((address, times, taken if i == len(texts) - 1 else None, text[1:]), size))
                address += size
        return found

    def text_of(self, path):
        """Lines of a source file that are on the page, by number; None: it could not be read"""
        file, = [file for file in self.data['source']['files'] if file['path'] == path]
        if 'text' not in file:
            return None
        return {first + i: line for first, *lines in file['text'] for i, line in enumerate(lines)}


class Recording:
    def __init__(self, softpt, folder, program, *args):
        self.softpt, self.folder, self.program = softpt, folder, program
        self.path = os.path.join(folder, 'data' + ''.join(args))
        run(softpt, 'record', '--how=translate', '-c', 'clock=model', '-o', self.path, '--', program, *args)
        out = run(softpt, 'flow', '-f', 'json', '-R', self.path).stdout
        self.flow = [json.loads(line) for line in out.splitlines()]

    def report(self, *options):
        out = run(self.softpt, 'report', '-f', 'json', '-n', '0', *options, self.path).stdout
        return [json.loads(line) for line in out.splitlines()]

    def view(self, *options):
        page = os.path.join(self.folder, 'page.html')
        run(self.softpt, 'view', '-o', page, *options, self.path)
        return Page(page)

    def calls(self):
        return [row for row in self.flow if row['event'] in ('call', 'jump', 'begin')]


class Panel(html.parser.HTMLParser):
    """What is beside the timeline: the place, and a row (class, times, number, text) for each line"""

    def __init__(self, text):
        super().__init__()
        self.inside = self.place = self.note = ''
        self.rows = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        at = dict(attrs)
        if at.get('id') in ('place', 'text'):
            self.inside = at['id']
        elif self.inside == 'text' and tag == 'tr':
            self.rows.append([at.get('class', '')])
        elif self.inside == 'text' and tag in ('td', 'th'):
            self.rows[-1].append('')

    def handle_endtag(self, tag):
        if tag == 'div':
            self.inside = ''

    def handle_data(self, data):
        if self.inside == 'place':
            self.place += data
        elif self.inside == 'text' and self.rows:
            self.rows[-1][-1] += data
        elif self.inside == 'text':
            self.note += data


def driven(folder, page, script, address='', width=1200):
    """The page as a browser has it behind a script"""
    path = os.path.join(os.path.dirname(folder), 'driven.html')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(page.text.replace('</body>', '<script>%s</script></body>' % script))
    done = subprocess.run(['chromium', '--headless', '--no-sandbox', '--disable-gpu', '--dump-dom',
                           '--window-size=%d,800' % width, '--user-data-dir=' + path + '.chromium',
                           '--virtual-time-budget=5000', 'file://' + path + address],
                          capture_output=True, encoding='utf-8', check=False, timeout=300)
    return done.stdout


def clicked(sources, page, name, where):
    """The panel behind a click; @where: clickTime() or clickFlame(), and what follows"""
    text = driven(sources.folder, page, CLICK % (json.dumps(name), where))
    same('evil ran', '<title>evil' in text, False)
    return Panel(text)
