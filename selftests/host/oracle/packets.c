// SPDX-License-Identifier: BSD-2-Clause
/*
 * Packet by packet against libipt: what its encoder writes we read as it was meant, and
 * on random bytes both decoders say the same, or differ for a reason listed in facts.h.
 */
#include <stdlib.h>
#include <string.h>

#include "selftests/kit/kit.h"
#include "facts.h"

static uint64_t state = 1;

/* splitmix64 */
static uint64_t random64(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint64_t below(uint64_t n)
{
	return random64() % n;
}

/* Small numbers and large ones, so that every length of a field is met */
static uint64_t random_bits(unsigned int most)
{
	unsigned int bits = 1 + below(most);

	return random64() >> (64 - bits);
}

/* ---- written by libipt, read by us ---- */

static void random_ip(struct pt_packet_ip *ip)
{
	static const enum pt_ip_compression ipcs[] = {
		pt_ipc_suppressed, pt_ipc_update_16, pt_ipc_update_32, pt_ipc_sext_48,
		pt_ipc_update_48, pt_ipc_full,
	};

	ip->ipc = ipcs[below(6)];
	ip->ip = ip->ipc == pt_ipc_suppressed ? 0 : fact_low_bytes(random64(), ip->ipc);
}

static void random_tnt(struct pt_packet_tnt *tnt, unsigned int most)
{
	tnt->bit_size = 1 + below(most);
	tnt->payload = random64() & ((1ull << tnt->bit_size) - 1);
}

static void random_mode(struct pt_packet_mode *mode)
{
	if (below(2)) {
		mode->leaf = pt_mol_exec;
		mode->bits.exec.csl = below(2);
		mode->bits.exec.csd = below(2);
	} else {
		mode->leaf = pt_mol_tsx;
		mode->bits.tsx.intx = below(2);
		mode->bits.tsx.abrt = below(2);
	}
}

static void random_power(struct pt_packet *p)
{
	switch (p->type) {
	case ppt_mwait:
		p->payload.mwait.hints = random_bits(32);
		p->payload.mwait.ext = random_bits(32);
		break;
	case ppt_pwre:
		p->payload.pwre.state = below(16);
		p->payload.pwre.sub_state = below(16);
		p->payload.pwre.hw = below(2);
		break;
	default:
		p->payload.pwrx.last = below(16);
		p->payload.pwrx.deepest = below(16);
		p->payload.pwrx.interrupt = below(2);
		p->payload.pwrx.store = below(2);
		p->payload.pwrx.autonomous = below(2);
	}
}

static void random_packet(struct pt_packet *p)
{
	memset(p, 0, sizeof(*p));
	p->type = ppt_pad + below(ppt_ptw - ppt_pad + 1);
	switch (p->type) {
	case ppt_fup:
	case ppt_tip:
	case ppt_tip_pge:
	case ppt_tip_pgd:
		random_ip(&p->payload.ip);
		break;
	case ppt_tnt_8:
		random_tnt(&p->payload.tnt, 6);
		break;
	case ppt_tnt_64:
		random_tnt(&p->payload.tnt, 47);
		break;
	case ppt_mode:
		random_mode(&p->payload.mode);
		break;
	case ppt_pip:
		p->payload.pip.cr3 = random_bits(47) << 5;
		p->payload.pip.nr = below(2);
		break;
	case ppt_vmcs:
		p->payload.vmcs.base = random_bits(40) << 12;
		break;
	case ppt_cbr:
		p->payload.cbr.ratio = below(256);
		break;
	case ppt_tsc:
		p->payload.tsc.tsc = random_bits(56);
		break;
	case ppt_tma:
		p->payload.tma.ctc = random_bits(16);
		p->payload.tma.fc = random_bits(9);
		break;
	case ppt_mtc:
		p->payload.mtc.ctc = below(256);
		break;
	case ppt_cyc:
		p->payload.cyc.value = random_bits(61);
		break;
	case ppt_mnt:
		p->payload.mnt.payload = random_bits(64);
		break;
	case ppt_exstop:
		p->payload.exstop.ip = below(2);
		break;
	case ppt_mwait:
	case ppt_pwre:
	case ppt_pwrx:
		random_power(p);
		break;
	case ppt_ptw:
		p->payload.ptw.plc = below(2);
		p->payload.ptw.payload = random_bits(p->payload.ptw.plc ? 64 : 32);
		p->payload.ptw.ip = below(2);
		break;
	default:
		break;
	}
}

static void note_fact(const char *who, const struct fact *f)
{
	char text[160];

	fact_print(text, sizeof(text), who, f);
	kit_note("%s", text);
}

static void test_encoder(size_t count)
{
	static uint8_t buf[SOFTPT_PACKET_MAX * 2];
	size_t i, bad = 0, kinds[SOFTPT_PKT_NR + 1] = { 0 }, met = 0;
	struct pt_config config;

	pt_config_init(&config);
	config.begin = buf;
	config.end = buf + sizeof(buf);
	for (i = 0; i < count && bad < 5; i++) {
		struct pt_encoder *enc = pt_alloc_encoder(&config);
		struct pt_packet theirs;
		struct softpt_packet ours;
		struct fact want, got;
		int size;

		random_packet(&theirs);
		size = pt_enc_next(enc, &theirs);
		pt_free_encoder(enc);
		if (size < 0) {
			kit_note("libipt does not encode type %d: %s", theirs.type,
				 pt_errstr(pt_errcode(size)));
			bad++;
			continue;
		}
		want = fact_theirs(&theirs, size);
		size = softpt_packet_decode(buf, buf + size, &ours);
		got = fact_ours(&ours, size);
		met += !kinds[want.type]++;
		if (size > 0 && fact_same(&want, &got))
			continue;
		note_fact("libipt", &want);
		note_fact("softpt", &got);
		bad++;
	}
	/* all that libipt 2.0 writes; MODE is two of ours */
	kit_ok(!bad && met == ppt_ptw - ppt_pad + 2, "%zu packets of %zu types from libipt's encoder",
	       i, met);
}

/* ---- random bytes, read by both ---- */

/* Bytes that begin like packets more often than chance has it */
static size_t random_bytes(uint8_t *buf)
{
	static const uint8_t begins[] = { 0x02, 0x99, 0x19, 0x59, 0xd9, 0x0d, 0x11, 0x01, 0x1d };
	size_t i, n = 1 + below(24);

	for (i = 0; i < n; i++)
		buf[i] = random64();
	if (!below(16)) {	/* a PSB, whole, damaged or cut short */
		for (i = 0; i < n; i++)
			buf[i] = i & 1 ? 0x82 : 0x02;
		if (below(2))
			buf[below(n)] ^= 1 << below(8);
		return n;
	}
	if (below(2))
		buf[0] = begins[below(sizeof(begins))] | (below(2) ? below(8) << 5 : 0);
	if (n > 2 && buf[0] == 2 && buf[1] == 0xc3 && below(2))
		buf[2] = SOFTPT_MNT_EXT2;
	if (n > 6 && buf[0] == 2 && buf[1] == 0x73 && below(2)) {
		buf[4] = 0;
		buf[6] &= 1;
	}
	return n;
}

static void test_bytes(size_t count)
{
	size_t i, reasons[FACT_REASON_NR] = { 0 };

	for (i = 0; i < count && reasons[FACT_DIFFER] < 5; i++) {
		struct pt_packet_decoder *dec;
		struct pt_config config;
		uint8_t buf[32];
		size_t len = random_bytes(buf);
		enum fact_reason reason;
		int a, b;

		pt_config_init(&config);
		config.begin = buf;
		config.end = buf + len;
		dec = pt_pkt_alloc_decoder(&config);
		reason = fact_compare(dec, buf, buf, buf + len, &a, &b);
		pt_pkt_free_decoder(dec);
		reasons[reason]++;
		if (reason == FACT_DIFFER)
			kit_note("%02x %02x %02x %02x (%zu bytes): ours %d (%s), libipt %d (%s)",
				 buf[0], buf[1], buf[2], buf[3], len, a, softpt_strerror(a), b,
				 b < 0 ? pt_errstr(pt_errcode(b)) : "packet");
	}
	for (enum fact_reason r = FACT_AGREE; r < FACT_DIFFER; r++)
		kit_note("%s: %zu", fact_reason_name(r), reasons[r]);
	kit_ok(!reasons[FACT_DIFFER] && reasons[FACT_AGREE] > count / 2,
	       "%zu pieces of random bytes", i);
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? strtoul(argv[1], NULL, 0) : 300000;

	state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	test_encoder(count);
	test_bytes(count);
	return kit_done();
}
