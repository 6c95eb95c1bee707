// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packet writers of the engine (kmod/engine/packet/write.h), and PSB+ as the longest run of packets
 * (kmod/engine/flow/psb.c), by Frama-C's Eva: for all values, what is stored lies in a packet and
 * the eight bytes behind it; PSB+ with a CYC, a TNT and a note before it in SOFTPT_GROUP_MAX.
 *
 * Assumed: values that the engine keeps within a range are within it: a CYC has fewer than 57
 * bits, a configuration is one that softpt_config_check() accepts. Not covered: that the other
 * groups of packets fit.
 */
#include "proof.h"
#include <endian.h>
#define htole64(v)	(v)	/* a little-endian machine, as all are that the module runs on */
#include "../../kmod/engine/flow/psb.c"
#include "../../kmod/engine/packet/tnt.c"

#include <__fc_builtin.h>

#define SLACK	8

static struct softpt_engine engine;
static struct softpt_sink sink;
static u8 memory[SOFTPT_GROUP_MAX];

static u64 any(u64 max)
{
	return Frama_C_unsigned_long_interval(0, max);
}

/* Any engine, and room for so many bytes: the memory ends behind them and the slack. */
static void begin(unsigned int bytes)
{
	Frama_C_make_unknown((char *)&engine, sizeof(engine));
	engine.cfg.nr_ranges = any(SOFTPT_RANGES);
	engine.cfg.psb_freq = any(15);
	engine.ratio_unknown = any(1);
	engine.context_en = any(1);
	engine.packet_en = any(1);
	sink.end = memory + sizeof(memory);
	sink.cur = sink.end - bytes - SLACK;
	engine.mark = sink.cur;
}

static void end(void)
{
	/*@ assert slack_left: sink.end - sink.cur >= SLACK; */
}

static void numbers(void)
{
	unsigned int n;

	for (n = 1; n <= 8; n++) {
		begin(n);
		softpt_put(&engine, &sink, any(U64_MAX), n);
		end();
	}
	for (n = 0; n <= 8; n++) {
		begin(2 + n);
		softpt_put_ext(&engine, &sink, any(255), any(U64_MAX), n);
		end();
	}
}

static void packets(void)
{
	begin(9);
	softpt_put_ip(&engine, &sink, any(255), any(U64_MAX));
	end();
	begin(SOFTPT_CYC_MAX_BYTES);
	softpt_put_cyc(&engine, &sink, any(((u64)1 << 56) - 1));
	end();
	begin(SOFTPT_SIZE_MTC);
	softpt_put_mtc(&engine, &sink, any(255));
	end();
	begin(SOFTPT_SIZE_CBR);
	softpt_put_cbr(&engine, &sink);
	end();
	begin(SOFTPT_SIZE_MODE_EXEC);
	softpt_put_mode_exec(&engine, &sink);
	end();
	begin(SOFTPT_SIZE_MNT);
	softpt_put_mnt(&engine, &sink, any(255), any(U64_MAX));
	end();
	begin(SOFTPT_SIZE_PIP);
	softpt_put_pip(&engine, &sink);
	end();
}

void writers(void)
{
	numbers();
	packets();
}

/* What timing.c and cycles.c write for it */
void softpt_cyc_slow(struct softpt_engine *e, struct softpt_sink *s, u64 tsc, u32 thresh)
{
	softpt_put_cyc(e, s, any(((u64)1 << 56) - 1));
}

void softpt_put_tsc(struct softpt_engine *e, struct softpt_sink *s, u64 tsc)
{
	softpt_put(e, s, SOFTPT_OPC_TSC | tsc << 8, SOFTPT_SIZE_TSC);
	softpt_put_ext(e, s, SOFTPT_EXT_TMA, any(U64_MAX), 5);
}

void psb_plus(void)
{
	begin(SOFTPT_GROUP_MAX - SLACK);
	engine.ntnt = any(47);
	softpt_psb_plus(&engine, &sink);
	end();
}
