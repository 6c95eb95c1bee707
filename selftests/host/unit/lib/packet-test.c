// SPDX-License-Identifier: BSD-2-Clause
/* Packets: one row per packet, per refusal, and per way to find a PSB. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/include/softpt/softpt.h"
#include "selftests/kit/kit.h"

#define PSB	"02 82 02 82 02 82 02 82 02 82 02 82 02 82 02 82"
#define MAX	256

/* Hexadecimal bytes. Return: how many */
static size_t bytes_of(const char *hex, uint8_t *buf)
{
	size_t n = 0;
	char *end;

	for (; *hex && n < MAX; hex = end + (*end == ' '))
		buf[n++] = strtoul(hex, &end, 16);
	return n;
}

struct row {
	const char *hex;
	int want;		/* size, or a negative number */
	const char *text;	/* without the offset */
};

static const struct row rows[] = {
	{ "00", 1, "PAD" },
	{ "04", 1, "TNT.8 bits=N" },
	{ "06", 1, "TNT.8 bits=T" },
	{ "08", 1, "TNT.8 bits=NN" },
	{ "0e", 1, "TNT.8 bits=TT" },
	{ "1c", 1, "TNT.8 bits=TTN" },
	{ "80", 1, "TNT.8 bits=NNNNNN" },
	{ "c2", 1, "TNT.8 bits=TNNNNT" },
	{ "fe", 1, "TNT.8 bits=TTTTTT" },
	{ "02 a3 02 00 00 00 00 00", 8, "TNT.64 bits=N" },
	{ "02 a3 0d 00 00 00 00 00", 8, "TNT.64 bits=TNT" },
	{ "02 a3 01 00 00 00 00 80", 8,
	  "TNT.64 bits=NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNT" },
	{ "0d", 1, "TIP ipbytes=0" },
	{ "2d 34 12", 3, "TIP ip=0x1234 ipbytes=1" },
	{ "4d 78 56 34 12", 5, "TIP ip=0x12345678 ipbytes=2" },
	{ "6d 01 02 03 04 05 86", 7, "TIP ip=0x860504030201 ipbytes=3" },
	{ "8d 01 02 03 04 05 06", 7, "TIP ip=0x60504030201 ipbytes=4" },
	{ "cd 01 02 03 04 05 06 07 88", 9, "TIP ip=0x8807060504030201 ipbytes=6" },
	{ "31 00 10", 3, "TIP.PGE ip=0x1000 ipbytes=1" },
	{ "01", 1, "TIP.PGD ipbytes=0" },
	{ "61 ff ff ff ff ff ff", 7, "TIP.PGD ip=0xffffffffffff ipbytes=3" },
	{ "3d ff ff", 3, "FUP ip=0xffff ipbytes=1" },
	{ "02 43 01 00 00 00 00 00", 8, "PIP cr3=0x0 nr=1" },
	{ "02 43 02 01 00 00 00 80", 8, "PIP cr3=0x8000000001020 nr=0" },
	{ "99 01", 2, "MODE.Exec mode=64 bits=0x1" },
	{ "99 02", 2, "MODE.Exec mode=32 bits=0x2" },
	{ "99 04", 2, "MODE.Exec mode=16 bits=0x4" },
	{ "99 21", 2, "MODE.TSX intx=1 abort=0" },
	{ "99 22", 2, "MODE.TSX intx=0 abort=1" },
	{ "19 01 02 03 04 05 06 87", 8, "TSC tsc=0x87060504030201" },
	{ "02 73 34 12 00 ff 01", 7, "TMA ctc=0x1234 fc=0x1ff" },
	{ "59 1f", 2, "MTC ctc=0x1f" },
	{ "03", 1, "CYC cycles=0" },
	{ "33", 1, "CYC cycles=6" },
	{ "fb", 1, "CYC cycles=31" },
	{ "07 02", 2, "CYC cycles=32" },
	{ "ff fe", 2, "CYC cycles=4095" },
	{ "17 01 04", 3, "CYC cycles=8194" },
	{ "ff ff ff ff ff ff ff ff fe", 9, "CYC cycles=2305843009213693951" },
	{ "02 03 1a 00", 4, "CBR ratio=26" },
	{ PSB, 16, "PSB" },
	{ "02 23", 2, "PSBEND" },
	{ "02 f3", 2, "OVF" },
	{ "02 83", 2, "TraceStop" },
	{ "02 c8 01 00 00 00 80", 7, "VMCS base=0x8000000001000" },
	{ "02 c3 88 08 07 06 05 04 03 02 f1", 11, "MNT payload=0xf102030405060708" },
	{ "02 12 ff ff ff ff", 6, "PTW payload=0xffffffff ip=0" },
	{ "02 92 01 00 00 00", 6, "PTW payload=0x1 ip=1" },
	{ "02 32 08 07 06 05 04 03 02 f1", 10, "PTW payload=0xf102030405060708 ip=0" },
	{ "02 b2 00 00 00 00 00 00 00 80", 10, "PTW payload=0x8000000000000000 ip=1" },
	{ "02 62", 2, "EXSTOP ip=0" },
	{ "02 e2", 2, "EXSTOP ip=1" },
	{ "02 c2 31 00 00 00 01 00 00 00", 10, "MWAIT hints=0x31 ext=0x1" },
	{ "02 22 88 62", 4, "PWRE state=6 substate=2 hw=1" },
	{ "02 22 00 f1", 4, "PWRE state=15 substate=1 hw=0" },
	{ "02 a2 63 04 00 00 00", 7, "PWRX last=6 deepest=3 reason=0x4" },
	{ "02 13 81 0e", 4, "CFE type=1 vector=14 ip=1" },
	{ "02 13 1f ff", 4, "CFE type=31 vector=255 ip=0" },
	{ "02 53 01 08 07 06 05 04 03 02 f1", 11, "EVD type=1 payload=0xf102030405060708" },
	{ "d9 00 05", 3, "TRIG trbv=0x5 ip=0 mult=0" },
	{ "d9 a0 ff", 3, "TRIG trbv=0xff ip=1 mult=1" },
	{ "d9 40 01 02 01", 5, "TRIG trbv=0x1 ip=0 mult=0 icnt=258" },
	{ "02 63 81", 3, "BBP type=1 bytes=4" },
	{ "02 63 1f", 3, "BBP type=31 bytes=8" },
	{ "02 33", 2, "BEP ip=0" },
	{ "02 b3", 2, "BEP ip=1" },

	/* refused */
	{ "", -SOFTPT_ERR_END, NULL },
	{ "ad", -SOFTPT_ERR_ENCODING, NULL },				/* IPBytes 5 */
	{ "fd 01 02 03 04 05 06 07 08", -SOFTPT_ERR_ENCODING, NULL },	/* IPBytes 7 */
	{ "02 a3 00 00 00 00 00 00", -SOFTPT_ERR_ENCODING, NULL },	/* no stop bit */
	{ "02 a3 01 00 00 00 00 00", -SOFTPT_ERR_ENCODING, NULL },	/* no bits */
	{ "99 40", -SOFTPT_ERR_ENCODING, NULL },			/* leaf 2 */
	{ "02 73 34 12 01 ff 01", -SOFTPT_ERR_ENCODING, NULL },		/* reserved byte */
	{ "02 73 34 12 00 ff 02", -SOFTPT_ERR_ENCODING, NULL },		/* FC[9] */
	{ "07 01 01 01 01 01 01 01 01 00", -SOFTPT_ERR_ENCODING, NULL },	/* 10 bytes */
	{ "02 82 02 82 02 82 02 82 02 82 02 82 02 82 02 83", -SOFTPT_ERR_ENCODING, NULL },
	{ "02 c3 87 00 00 00 00 00 00 00 00", -SOFTPT_ERR_OPCODE, NULL },
	{ "02 52 00 00 00 00", -SOFTPT_ERR_ENCODING, NULL },		/* PTW size 2 */
	{ "02 f2 00 00 00 00", -SOFTPT_ERR_ENCODING, NULL },		/* PTW size 3 */
	{ "02 00", -SOFTPT_ERR_OPCODE, NULL },
	{ "02 02", -SOFTPT_ERR_OPCODE, NULL },
	{ "05", -SOFTPT_ERR_OPCODE, NULL },
	{ "ff ff ff ff ff", -SOFTPT_ERR_TRUNCATED, NULL },		/* CYC without end */
	{ "02 82 02 82 02 82", -SOFTPT_ERR_TRUNCATED, NULL },
	{ "d9 40 01 02", -SOFTPT_ERR_TRUNCATED, NULL },
};

/* Whether the packet is read from the middle of the data or from its end is no matter. */
static bool check_row(const struct row *r, size_t behind)
{
	char text[SOFTPT_PACKET_TEXT] = "";
	struct softpt_packet pkt = { 0 };
	uint8_t buf[MAX + 32] = { 0 };
	size_t len = bytes_of(r->hex, buf);
	int got = softpt_packet_decode(buf, buf + len + behind, &pkt);

	if (got > 0)
		softpt_packet_print(text, sizeof(text), 0, &pkt);
	if (got == r->want && (got < 0 || (pkt.size == got && !strcmp(text + 17, r->text))))
		return true;
	kit_note("got %d (%s) \"%s\"", got, softpt_strerror(got), text);
	return false;
}

static void test_rows(void)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];

		kit_ok(check_row(r, 0), "%s: %s", r->hex, r->text ? : softpt_strerror(r->want));
		if (r->want != -SOFTPT_ERR_END && r->want != -SOFTPT_ERR_TRUNCATED)
			kit_ok(check_row(r, 32), "%s, with bytes behind it", r->hex);
	}
}

/* Every packet, cut short anywhere, is truncated: nothing else, and nothing is read. */
static void test_truncation(void)
{
	size_t i, cut, bad = 0, cuts = 0;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct softpt_packet pkt;
		uint8_t buf[MAX];

		bytes_of(rows[i].hex, buf);
		for (cut = 1; rows[i].want > 0 && cut < (size_t)rows[i].want; cut++, cuts++) {
			/* on the heap, so that a sanitizer sees the end */
			uint8_t *copy = malloc(cut);

			memcpy(copy, buf, cut);
			if (softpt_packet_decode(copy, copy + cut, &pkt) !=
			    -SOFTPT_ERR_TRUNCATED) {
				kit_note("%s cut to %zu bytes", rows[i].hex, cut);
				bad++;
			}
			free(copy);
		}
	}
	kit_ok(!bad && cuts > 200, "%zu packets cut short are truncated", cuts);
}

static void test_ip(void)
{
	static const struct {
		uint64_t last;
		uint8_t ipbytes;
		uint64_t payload;
		bool has;
		uint64_t want;
	} ips[] = {
		{ 0x1122334455667788, 0, 0, false, 0x1122334455667788 },
		{ 0x1122334455667788, 1, 0xaaaa, true, 0x112233445566aaaa },
		{ 0x1122334455667788, 2, 0xaaaaaaaa, true, 0x11223344aaaaaaaa },
		{ 0x1122334455667788, 3, 0x7fffffffffff, true, 0x00007fffffffffff },
		{ 0x1122334455667788, 3, 0x800000000000, true, 0xffff800000000000 },
		{ 0x1122334455667788, 4, 0xffffffffffff, true, 0x1122ffffffffffff },
		{ 0x1122334455667788, 6, 0x8000000000000001, true, 0x8000000000000001 },
	};
	size_t i;

	for (i = 0; i < sizeof(ips) / sizeof(ips[0]); i++) {
		struct softpt_packet pkt = {
			.type = SOFTPT_PKT_TIP,
			.ipbytes = ips[i].ipbytes,
			.payload = ips[i].payload,
		};
		uint64_t last = ips[i].last;
		bool has = softpt_ip_update(&last, &pkt);

		kit_ok(has == ips[i].has && last == ips[i].want, "IPBytes %u of 0x%" PRIx64,
		       ips[i].ipbytes, ips[i].payload);
	}
}

static void test_sync(void)
{
	static const struct {
		const char *hex;
		long want;	/* offset of the PSB, -1: none */
		const char *what;
	} cases[] = {
		{ PSB, 0, "at the begin" },
		{ "00 " PSB, 1, "behind one byte" },
		{ "00 00 00 00 00 00 00 " PSB, 7, "behind seven bytes" },
		{ "00 00 00 00 00 00 00 00 " PSB " 02 23", 8, "behind eight bytes" },
		{ "02 82 02 82 02 82 02 82 " PSB " 02 23", 8, "a payload before it looks alike" },
		{ "59 82 " PSB " 02 23", 2, "a payload ends like one" },
		{ "82 " PSB, 1, "behind the second byte of another" },
		{ PSB " " PSB, 0, "two in a row" },
		{ "02 82 " PSB " " PSB, 2, "two in a row behind a likeness" },
		{ "02 82 02 82 02 82 02 82 02 82 02 82 02 82 02", -1, "cut short" },
		{ "02 82 02 82 02 82 02 82 00 02 82 02 82 02 82 02 82", -1, "in two halves" },
		{ "", -1, "in nothing" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t buf[MAX];
		size_t len = bytes_of(cases[i].hex, buf);
		uint8_t *copy = malloc(len + !len);
		struct softpt_resync note;
		struct softpt_stream s;
		int got;

		memcpy(copy, buf, len);
		softpt_stream_init(&s, copy, len);
		got = softpt_sync_forward(&s, -SOFTPT_ERR_OPCODE, &note);
		if (cases[i].want < 0)
			kit_ok(got == -SOFTPT_ERR_NO_SYNC && s.pos == s.end, "PSB %s",
			       cases[i].what);
		else
			kit_ok(!got && softpt_stream_offset(&s) == (uint64_t)cases[i].want &&
			       note.skipped == (uint64_t)cases[i].want &&
			       note.reason == -SOFTPT_ERR_OPCODE, "PSB %s", cases[i].what);
		free(copy);
	}
}

/* The same bytes are items inside a block and TNT outside. */
static void test_block(void)
{
	static const char *const want[] = {
		"0000000000000000 TNT.8 bits=N",
		"0000000000000001 BBP type=1 bytes=4",
		"0000000000000004 BIP id=1 value=0x4030201",
		"0000000000000009 MTC ctc=0x4",
		"000000000000000b BIP id=0 value=0x6",
		"0000000000000010 BEP ip=0",
		"0000000000000012 TNT.8 bits=N",
	};
	uint8_t buf[MAX];
	size_t i, len = bytes_of("04 02 63 81 0c 01 02 03 04 59 04 04 06 00 00 00 02 33 04", buf);
	struct softpt_packet pkt;
	struct softpt_stream s;

	softpt_stream_init(&s, buf, len);
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		uint64_t at = softpt_stream_offset(&s);
		char text[SOFTPT_PACKET_TEXT] = "";

		if (softpt_stream_next(&s, &pkt) > 0)
			softpt_packet_print(text, sizeof(text), at, &pkt);
		kit_ok(!strcmp(text, want[i]), "block: %s", want[i]);
	}
	kit_ok(softpt_stream_next(&s, &pkt) == -SOFTPT_ERR_END, "block: the end");
	for (len = 9; len >= 8; len--) {	/* behind the first item */
		softpt_stream_init(&s, buf, len);
		softpt_stream_next(&s, &pkt);
		softpt_stream_next(&s, &pkt);
		kit_ok(softpt_stream_next(&s, &pkt) == (len == 9 ? 5 : -SOFTPT_ERR_TRUNCATED),
		       "block: an item %s", len == 9 ? "at the end" : "that is cut");
	}
}

static void test_print_room(void)
{
	struct softpt_packet pkt;
	uint8_t buf[16] = { 0xd9, 0x40, 1, 2, 3 };
	char text[SOFTPT_PACKET_TEXT], cut[SOFTPT_PACKET_TEXT];
	size_t len, bad = 0;
	int whole;

	softpt_packet_decode(buf, buf + 16, &pkt);
	whole = softpt_packet_print(text, sizeof(text), 16, &pkt);
	for (len = 0; len < (size_t)whole; len++) {
		memset(cut, 'x', sizeof(cut));
		softpt_packet_print(cut, len, 16, &pkt);
		bad += cut[len] != 'x' || (len && (cut[len - 1] || strncmp(cut, text, len - 1)));
	}
	kit_ok(!bad && (size_t)whole == strlen(text), "print: room for %d bytes or fewer", whole);
}

static void test_strerror(void)
{
	kit_ok(!strcmp(softpt_strerror(-SOFTPT_ERR_END), "end of the data") &&
	       !strcmp(softpt_strerror(0), "no error") &&
	       !strcmp(softpt_strerror(-ENOENT), "No such file or directory"), "errors");
	kit_ok(!strcmp(softpt_strerror(-4095), "unknown error") &&
	       !strcmp(softpt_strerror(INT_MIN), "unknown error"), "numbers that are no error");
}

int main(void)
{
	test_rows();
	test_truncation();
	test_ip();
	test_sync();
	test_block();
	test_print_room();
	test_strerror();
	return kit_done();
}
