# SPDX-License-Identifier: BSD-2-Clause
"""Traces in Python: packets, records with times, and the path of a program, through libsoftpt.

    import softpt

    for packet in softpt.Trace('softpt.data').packets():
        print(packet.offset, packet.name)
    for record in softpt.Trace('softpt.data').records():
        print(record.kind, record.tsc_min, record.tsc_max)
    with softpt.Flow('softpt.data') as flow:
        for row in flow.rows('call', 'return'):
            print(row.event, row.depth, row.label, row.tsc)

Times are TSC ticks. What is not known is None. The libraries are looked for in $SOFTPT_LIBDIR, in the
build folder of the source that this file is in, and where the system has them.
"""
import collections
import ctypes
import os
import queue
import threading

__all__ = ['Error', 'Flow', 'Line', 'Packet', 'Record', 'Row', 'Trace', 'version']

HERE = os.path.dirname(os.path.abspath(__file__))
U8, U16, U32, U64 = ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64
POINTER, TEXT, VOID = ctypes.POINTER, ctypes.c_char_p, ctypes.c_void_p

Packet = collections.namedtuple('Packet', 'cpu tid offset name size text payload payload2')
Record = collections.namedtuple('Record', 'cpu tid offset kind ip value tsc tsc_min tsc_max cycles cycles_total')
Line = collections.namedtuple('Line', 'file line function')
Row = collections.namedtuple('Row', 'event cpu pid tid comm depth ip origin tsc tsc_min tsc_max since name label module start '
                             'instructions bytes code to value error times taken lines')


class Error(Exception):
    """What the library says; errno is the number, negative ones of the library are below -1000"""

    def __init__(self, errno, text):
        super().__init__(text)
        self.errno = errno


# ---- structs of <softpt/softpt.h>, <softpt/decoder.h>, <softpt/perf.h> and <softpt/flow.h> ----

class CPacket(ctypes.Structure):
    _fields_ = [('payload', U64), ('payload2', U16), ('type', U8), ('size', U8), ('ipbytes', U8), ('count', U8),
                ('flags', U8), ('reserved', U8)]


class CStream(ctypes.Structure):
    _fields_ = [('begin', VOID), ('pos', VOID), ('end', VOID), ('block', U32)]


class CRecord(ctypes.Structure):
    _fields_ = [('offset', U64), ('ip', U64), ('value', U64), ('tsc', U64), ('tsc_min', U64), ('tsc_max', U64),
                ('kind', U8), ('packet', U8), ('flags', U8), ('reserved', U8), ('private_', U32), ('cycles', U64),
                ('cycles_total', U64)]


class CPerfStream(ctypes.Structure):
    _fields_ = [('buf', VOID), ('len', ctypes.c_size_t), ('cpu', ctypes.c_int), ('tid', ctypes.c_int)]


class CFlowTime(ctypes.Structure):
    _fields_ = [('tsc', U64), ('min', U64), ('max', U64), ('bounded', ctypes.c_bool)]


class CFlowRow(ctypes.Structure):
    _fields_ = [('event', ctypes.c_int), ('cpu', ctypes.c_int), ('pid', U32), ('tid', U32), ('comm', TEXT),
                ('thread', VOID), ('depth', ctypes.c_uint), ('ip', U64), ('from', U64), ('when', CFlowTime),
                ('since', CFlowTime), ('instructions', U64), ('bytes', U64), ('code', POINTER(U8)), ('size', U8),
                ('bits', U8), ('is_branch', ctypes.c_bool), ('undone', ctypes.c_bool), ('to', U64), ('value', U64),
                ('offset', U64), ('error', TEXT), ('executed', U64), ('times', U64), ('taken', U64)]


class CSymbol(ctypes.Structure):
    _fields_ = [('name', TEXT), ('module', TEXT), ('start', U64), ('plt', ctypes.c_bool), ('label', TEXT)]


class CFlowLine(ctypes.Structure):
    _fields_ = [('file', TEXT), ('line', ctypes.c_int), ('function', TEXT)]


STRUCTS = {'softpt_packet': CPacket, 'softpt_stream': CStream, 'softpt_record': CRecord, 'softpt_perf_stream': CPerfStream,
           'softpt_flow_time': CFlowTime, 'softpt_flow_row': CFlowRow, 'softpt_symbol': CSymbol,
           'softpt_flow_line': CFlowLine}

HAS_IP, HAS_VALUE, HAS_MIN, HAS_MAX, HAS_CYCLES, HAS_TOTAL = 1, 2, 4, 8, 16, 32
CONFIG_ROOM = 4096      # bytes, more than struct softpt_config has
LINES = 8
WITH_IP = ('TIP', 'TIP.PGE', 'TIP.PGD', 'FUP')

ROW_FN = ctypes.CFUNCTYPE(ctypes.c_bool, VOID, POINTER(CFlowRow))
TELL_FN = ctypes.CFUNCTYPE(None, VOID, TEXT, ctypes.c_int, TEXT)


# ---- libraries ----

def _load(name):
    folders = [os.environ.get('SOFTPT_LIBDIR'), os.path.join(HERE, '../../build')]
    for folder in folders:
        path = os.path.join(folder, name) if folder else ''
        if path and os.path.exists(path):
            return ctypes.CDLL(path)
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        raise ImportError('%s: make, or install libsoftpt0, or set SOFTPT_LIBDIR' % error) from error


def _declare(library, name, result, *arguments):
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
    return function


_lib = _load('libsoftpt.so.0')
_version = _declare(_lib, 'softpt_version', TEXT)
_strerror = _declare(_lib, 'softpt_strerror', TEXT, ctypes.c_int)
_packet_name = _declare(_lib, 'softpt_packet_name', TEXT, ctypes.c_uint)
_packet_print = _declare(_lib, 'softpt_packet_print', ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t, U64,
                         POINTER(CPacket))
_ip_update = _declare(_lib, 'softpt_ip_update', ctypes.c_bool, POINTER(U64), POINTER(CPacket))
_stream_next = _declare(_lib, 'softpt_stream_next', ctypes.c_int, POINTER(CStream), POINTER(CPacket))
_sync_forward = _declare(_lib, 'softpt_sync_forward', ctypes.c_int, POINTER(CStream), ctypes.c_int, VOID)
_kind_name = _declare(_lib, 'softpt_record_kind_name', TEXT, ctypes.c_uint)
_decoder_new = _declare(_lib, 'softpt_decoder_new', VOID, VOID)
_decoder_free = _declare(_lib, 'softpt_decoder_free', None, VOID)
_decoder_set_foreign = _declare(_lib, 'softpt_decoder_set_foreign', None, VOID, VOID)
_decoder_set_buffer = _declare(_lib, 'softpt_decoder_set_buffer', None, VOID, VOID, ctypes.c_size_t)
_decoder_next = _declare(_lib, 'softpt_decoder_next', ctypes.c_int, VOID, POINTER(POINTER(CRecord)))
_perf_detect = _declare(_lib, 'softpt_perf_detect', ctypes.c_bool, VOID, ctypes.c_size_t)
_perf_open = _declare(_lib, 'softpt_perf_open', ctypes.c_int, POINTER(VOID), VOID, ctypes.c_size_t, POINTER(U64))
_perf_free = _declare(_lib, 'softpt_perf_free', None, VOID)
_perf_stream = _declare(_lib, 'softpt_perf_stream', POINTER(CPerfStream), VOID, ctypes.c_uint)
_perf_config = _declare(_lib, 'softpt_perf_config', None, VOID, VOID)


def version():
    """Of libsoftpt, as '1.2.3'"""
    return _version().decode()


def _text(raw):
    return None if raw is None else raw.decode(errors='replace')


def _check(number, what):
    if number < 0:
        raise Error(number, '%s: %s' % (what, _text(_strerror(number))))
    return number


# ---- packets and records ----

class Trace:
    """The packets of a file: perf.data of softpt or perf, or raw packets of one CPU"""

    def __init__(self, path):
        self.path = path
        with open(path, 'rb') as file:
            data = file.read()
        self._bytes = ctypes.create_string_buffer(data, len(data) or 1)
        self._perf, self._config = VOID(), None
        if not _perf_detect(self._bytes, len(data)):
            self._streams = [(None, None, ctypes.addressof(self._bytes), len(data))]
            return
        offset = U64()
        _check(_perf_open(ctypes.byref(self._perf), self._bytes, len(data), ctypes.byref(offset)), path)
        self._config = ctypes.create_string_buffer(CONFIG_ROOM)
        _perf_config(self._perf, self._config)
        self._streams = list(self._of_perf())

    def _of_perf(self):
        i = 0
        while True:
            stream = _perf_stream(self._perf, i)
            if not stream:
                return
            one = stream.contents
            yield (None if one.cpu < 0 else one.cpu, None if one.tid < 0 else one.tid, one.buf, one.len)
            i += 1

    def close(self):
        _perf_free(self._perf)
        self._perf, self._streams = VOID(), []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, '_perf', None):
            self.close()

    def packets(self):
        """Each Packet of each stream; what is damaged is left out up to the next PSB. Addresses are whole."""
        text = ctypes.create_string_buffer(256)
        for cpu, tid, begin, length in self._streams:
            stream, packet, last_ip = CStream(begin, begin, (begin or 0) + length, 0), CPacket(), U64()
            damaged = _sync_forward(stream, 0, None)
            while not damaged:
                offset = stream.pos - begin if stream.pos else 0
                size = _stream_next(stream, packet)
                if size > 0:
                    name = _text(_packet_name(packet.type))
                    if name in ('PSB', 'OVF'):
                        last_ip.value = 0
                    elif name in WITH_IP and _ip_update(last_ip, packet):
                        packet.payload = last_ip.value
                    _packet_print(text, len(text), offset, packet)
                    yield Packet(cpu, tid, offset, name, packet.size, _text(text.value), packet.payload,
                                 packet.payload2)
                else:
                    damaged = stream.pos == stream.end or _sync_forward(stream, size, None)

    def records(self):
        """Each Record of each stream: what happened, and between which times"""
        for cpu, tid, begin, length in self._streams:
            for record in self._records_of(begin, length):
                flags = record.flags
                yield Record(cpu, tid, record.offset, _text(_kind_name(record.kind)),
                             record.ip if flags & HAS_IP else None, record.value if flags & HAS_VALUE else None,
                             record.tsc if flags & HAS_MIN else None, record.tsc_min if flags & HAS_MIN else None,
                             record.tsc_max if flags & HAS_MAX else None, record.cycles if flags & HAS_CYCLES else None,
                             record.cycles_total if flags & HAS_TOTAL else None)

    def _records_of(self, begin, length):
        decoder, record = _decoder_new(None), POINTER(CRecord)()
        if not decoder:
            raise MemoryError
        try:
            if self._config:
                _decoder_set_foreign(decoder, self._config)
            _decoder_set_buffer(decoder, begin, length)
            while True:
                got = _decoder_next(decoder, ctypes.byref(record))
                if not got:
                    return
                if got > 0:
                    yield record.contents
        finally:
            _decoder_free(decoder)

    def array(self):
        """All records of all streams as a numpy array; its fields are those of struct softpt_record."""
        import numpy
        data = b''.join(bytes(record) for _, _, begin, length in self._streams
                        for record in self._records_of(begin, length))
        return numpy.frombuffer(data, dtype=numpy.dtype(CRecord))


# ---- the path of a program ----

class _Walk:
    """The library calls back, and an iterator asks: a thread of its own walks."""

    BATCH = 256     # rows that go from the thread that walks to the one that reads

    def __init__(self, flow, wanted, lines):
        self.batches, self.stop, self.status = queue.Queue(maxsize=16), threading.Event(), 0
        self.thread = threading.Thread(target=self._fill, args=(flow, wanted, lines), daemon=True)
        self.thread.start()

    def _fill(self, flow, wanted, lines):
        batch, failed = [], []

        def take(_, row):
            try:
                batch.append(flow._row(row, lines))
            except BaseException as error:      # it can't get through the library
                failed.append(error)
                return False
            if len(batch) >= self.BATCH:
                self.batches.put(batch[:])
                batch.clear()
            return not self.stop.is_set()

        self.status = flow._walk(flow._flow, wanted, ROW_FN(take), None)
        if failed:
            flow.notes.append(repr(failed[0]))
            self.status = -1
        self.batches.put(batch)
        self.batches.put(None)

    def __iter__(self):
        while True:
            batch = self.batches.get()
            if batch is None:
                return
            yield from batch

    def end(self):
        """The thread may wait for room in the queue, and who asks for rows, for an end of them."""
        self.stop.set()
        while self.thread.is_alive() or not self.batches.empty():
            try:
                self.batches.get(timeout=0.01)
            except queue.Empty:
                pass
        self.batches.put(None)


class Flow:
    """The path that the programs of a recording took; one walk at a time"""

    def __init__(self, path, root=None):
        self.path, self.notes, self._flow, self._walking = path, [], VOID(), None
        self._lib = _load('libsoftpt-flow.so.0')
        self._declare()
        self._tell = TELL_FN(lambda ctx, file, err, text: self.notes.append(_text(text)))
        err = self._open(ctypes.byref(self._flow), os.fsencode(path), os.fsencode(root) if root else None, self._tell, None)
        if err:
            raise Error(err, '%s: %s' % (path, self.notes[-1] if self.notes else _text(_strerror(err))))

    def _declare(self):
        library = self._lib
        self._open = _declare(library, 'softpt_flow_open', ctypes.c_int, POINTER(VOID), TEXT, TEXT, TELL_FN, VOID)
        self._close = _declare(library, 'softpt_flow_close', None, VOID)
        self._walk = _declare(library, 'softpt_flow_walk', ctypes.c_int, VOID, U32, ROW_FN, VOID)
        self._symbol = _declare(library, 'softpt_flow_symbol', None, POINTER(CFlowRow), U64, POINTER(CSymbol))
        self._lines = _declare(library, 'softpt_flow_lines', ctypes.c_uint, POINTER(CFlowRow), U64, POINTER(CFlowLine),
                               ctypes.c_uint)
        self._ns = _declare(library, 'softpt_flow_ns', U64, VOID, U64)
        name = _declare(library, 'softpt_flow_event_name', TEXT, ctypes.c_int)
        self.events, i = [], 0
        while name(i) is not None:
            self.events.append(_text(name(i)))
            i += 1

    def close(self):
        """A walk that has not ended ends with an error where its rows are asked for."""
        if self._walking:
            self._walking.end()
        self._close(self._flow)
        self._flow = VOID()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def ns(self, tsc):
        """Nanoseconds of perf's clock at a TSC; the TSC itself where the file does not know the clock"""
        return self._ns(self._flow, tsc)

    def _lines_of(self, row):
        frames = (CFlowLine * LINES)()
        return [Line(_text(frame.file), frame.line, _text(frame.function))
                for frame in frames[:self._lines(row, row.contents.ip, frames, LINES)]]

    def _row(self, row, lines):
        one, symbol = row.contents, CSymbol()
        self._symbol(row, one.ip, symbol)
        when = one.when
        return Row(self.events[one.event], None if one.cpu < 0 else one.cpu, one.pid, one.tid, _text(one.comm), one.depth,
                   one.ip, getattr(one, 'from') or None, when.tsc, when.min, when.max if when.bounded else None,
                   one.since.tsc or None, _text(symbol.name), _text(symbol.label), _text(symbol.module),
                   symbol.start, one.instructions, one.bytes,
                   bytes(one.code[:one.size]) if self.events[one.event] == 'insn' else None,
                   one.to if one.is_branch else None, one.value, _text(one.error), one.times, one.taken,
                   self._lines_of(row) if lines and one.ip else None)

    def rows(self, *events, lines=False):
        """Each Row of these events, by their names ('call', 'return', 'insn', ...), in the order of time.

        With lines a row has the lines of source that its instruction was made of, those that functions were
        inlined at included. A part of the path that can't be followed raises Error behind the last row.
        """
        wanted = 0
        for event in events:
            if event not in self.events:
                raise ValueError('%s: no event of %s' % (event, ', '.join(self.events)))
            wanted |= 1 << self.events.index(event)
        if self._walking or not self._flow:
            raise Error(-1, '%s: %s' % (self.path, 'another walk has not ended' if self._walking else 'it is closed'))
        self._walking = walk = _Walk(self, wanted, lines)
        try:
            yield from walk
        finally:
            walk.end()
            self._walking = None
        if not self._flow:
            raise Error(-1, '%s: it was closed' % self.path)
        if walk.status < 0:
            raise Error(walk.status, '%s: %s' % (self.path, self.notes[-1] if self.notes else
                                                 _text(_strerror(walk.status))))
