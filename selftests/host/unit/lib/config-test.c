// SPDX-License-Identifier: BSD-2-Clause
/* Configurations as text: what is taken, what is refused and in which words. */
#include <errno.h>
#include <string.h>

#include <softpt/params.h>
#include "userspace/include/softpt/softpt.h"
#include "selftests/kit/kit.h"

static int apply(struct softpt_config *cfg, const char *text, char *why, size_t len)
{
	int err = softpt_config_parse(cfg, text, why, len);

	return err ? err : softpt_config_validate(cfg, why, len);
}

static void test_taken(void)
{
	struct softpt_config c;
	char why[320];

#define TAKES(text, cond) do { \
	softpt_config_init(&c); \
	kit_ok(!apply(&c, text, why, sizeof(why)) && (cond), "\"%s\"", text); \
} while (0)
	TAKES("", c.ring == 1 << 20 && c.resume_value == 254 && !c.suppress);
	TAKES("cyc=1", c.flags & SOFTPT_F_CYC);
	TAKES("tsc=0", !(c.flags & SOFTPT_F_TSC));
	TAKES("mtc_freq=15", c.mtc_freq == 15);
	TAKES("cyc_bits=0x20", c.cyc_bits == 32);
	TAKES("tsc_ratio=325/3", c.tsc_ebx == 325 && c.tsc_eax == 3);
	TAKES("suppress=3", c.suppress == 3);
	TAKES("suppress=3,suppress=off", !c.suppress);
	TAKES("suppress=2,resume=payload:0", c.resume == SOFTPT_RESUME_PAYLOAD && !c.resume_value);
	TAKES("suppress=2,resume=count:255", c.resume == SOFTPT_RESUME_COUNT &&
	      c.resume_value == 255);
	TAKES("suppress=2,resume=tsc", c.resume == SOFTPT_RESUME_TSC && !c.resume_value);
	TAKES("burst=2,suppress=3", c.burst == 2);
	TAKES("suppress=3,burst=2,burst=N", !c.burst);
	TAKES("cr3=0x1000", c.cr3 == 0x1000 && c.flags & SOFTPT_F_CR3);
	TAKES("cr3=0x1000,cr3=any", !c.cr3 && !(c.flags & SOFTPT_F_CR3));
	TAKES("filter=0x1000-0x1fff,stop=0x3000-0x3000", c.nr_ranges == 2 &&
	      c.range[0].kind == SOFTPT_RANGE_FILTER && c.range[0].to == 0x1fff &&
	      c.range[1].kind == SOFTPT_RANGE_STOP && c.range[1].from == 0x3000);
	TAKES("filter=1-2,stop=3-4,filter=5-6,filter=none", c.nr_ranges == 1 &&
	      c.range[0].kind == SOFTPT_RANGE_STOP && !c.range[1].kind);
	TAKES("filter=0-0xffffffffffffffff", c.range[0].to == UINT64_MAX);
	TAKES("clock=model,mode=snapshot", c.clock == SOFTPT_CLOCK_MODEL &&
	      c.mode == SOFTPT_RING_SNAPSHOT);
	TAKES("ring=64K", c.ring == 65536);
	TAKES("ring=1g", c.ring == 1 << 30);
	TAKES("truth=8K", c.truth == 8192);
	TAKES("truth=8K,truth=0", c.truth == 0);
	TAKES("format=pt", true);
#undef TAKES
}

static void test_refused(void)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "colour=1", "colour: unknown key (softpt help config lists them)" },
		{ "cyc", "cyc: needs a value: 0, 1" },
		{ "cyc=2", "cyc=2: range is 0, 1" },
		{ "cyc=", "cyc=: range is 0, 1" },
		{ "cyc=1,", "a key=value must follow the last comma" },
		{ ",cyc=1", ": unknown key (softpt help config lists them)" },
		{ "mtc_freq=16", "mtc_freq=16: range is 0..15" },
		{ "mtc_freq=-1", "mtc_freq=-1: range is 0..15" },
		{ "mtc_freq=3x", "mtc_freq=3x: range is 0..15" },
		{ "mtc_freq=18446744073709551619",
		  "mtc_freq=18446744073709551619: range is 0..15" },
		{ "cyc_bits=15", "cyc_bits=15: range is 16..56" },
		{ "tsc_ratio=216", "tsc_ratio=216: range is EBX/EAX" },
		{ "tsc_ratio=513/1", "tsc_ratio=513/1: EBX/EAX is 1 to 512, both below 2^28" },
		{ "suppress=0", "suppress=0: range is off, 1..255" },
		{ "suppress=256", "suppress=256: range is off, 1..255" },
		{ "resume=count:0", "resume=count:0: range is count:1..255, payload:0..255, tsc" },
		{ "resume=254", "resume=254: range is count:1..255, payload:0..255, tsc" },
		{ "suppress=2,burst=3", "burst=3: range is 1..N, N as in suppress" },
		{ "suppress=2,mtc=0", "suppress=2: needs mtc=1" },
		{ "filter=5-4", "filter=5-4: range is FROM-TO" },
		{ "filter=0x1000", "filter=0x1000: range is FROM-TO" },
		{ "filter=1-1,filter=2-2,stop=3-3,filter=4-4,stop=5-5",
		  "stop=5-5: at most 4 ranges, filter and stop together" },
		{ "ring=3K", "ring=3K: range is 4K..1G, a power of two" },
		{ "ring=2048", "ring=2048: range is 4K..1G, a power of two" },
		{ "truth=1", "truth=1: range is 0, or as ring" },
		{ "ring=2G", "ring=2G: range is 4K..1G, a power of two" },
		{ "mode=once", "mode=once: range is stream, snapshot" },
		{ "clock=sun", "clock=sun: range is wall, model" },
		{ "format=elf", "format=elf: range is pt, port" },
		{ "format=port", "format=port: softpt sim only, a unit makes packets" },
		{ "se_period=127", "se_period=127: range is 128..16777216" },
		{ "p1=3", "p1=3: must lie within min_ratio..max_ratio" },
		{ "suppress=2,resume=payload:0,stock_safe=1",
		  "resume=payload:0: stock decoders need count:M (stock_safe)" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct softpt_config c;
		char why[320] = "";
		int got;

		softpt_config_init(&c);
		got = apply(&c, rows[i].text, why, sizeof(why));
		if (!kit_ok(got == -EINVAL && !strcmp(why, rows[i].why), "refused: %s",
			    rows[i].text))
			kit_note("got %d \"%s\"", got, why);
	}
}

/* Each limit of libipt and perf, from both sides: stock_safe=1 takes one and refuses the other. */
static void test_stock_safe(void)
{
	static const struct {
		const char *text, *key;		/* NULL: taken */
	} rows[] = {
		{ "", NULL },
		{ "resume=payload:0", NULL },	/* nothing is suppressed */
		{ "cyc=1,cyc_thresh=3,cbr=0", NULL },
		{ "suppress=2", NULL },
		{ "suppress=2,resume=tsc", "resume" },
		{ "suppress=2,resume=payload:0", "resume" },
		{ "suppress=2,resume=count:254", NULL },
		{ "suppress=2,resume=count:255", "resume" },
		{ "suppress=2,mtc_freq=8", NULL },
		{ "suppress=2,mtc_freq=9,resume=count:126", NULL },
		{ "suppress=2,mtc_freq=9,resume=count:127", "resume" },
		{ "suppress=2,mtc_freq=14,resume=count:2", NULL },
		{ "suppress=2,mtc_freq=14,resume=count:3", "resume" },
		{ "suppress=2,mtc_freq=15,resume=count:1", "resume" },
		{ "suppress=2,cyc=1,cyc_thresh=0", NULL },
		{ "suppress=2,cyc=1,cyc_thresh=1", "cyc_thresh" },
		{ "suppress=2,cyc=0,cyc_thresh=1", NULL },
		{ "suppress=2,cyc=1,cbr=0", "cbr" },
		{ "suppress=2,cyc=0,cbr=0", NULL },
		{ "trig=1", "trig" },
		{ "suppress=2,trig=1", "trig" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct softpt_config c;
		struct softpt_complaint got = { "", "" };
		char why[320] = "";
		int plain, safe;

		softpt_config_init(&c);
		plain = apply(&c, rows[i].text, why, sizeof(why));
		c.flags |= SOFTPT_F_STOCK_SAFE;
		safe = softpt_config_check(&c, &got);
		kit_ok(!plain && (rows[i].key ? safe && !strcmp(got.key, rows[i].key) : !safe),
		       "stock_safe=1 %s \"%s\"", rows[i].key ? "refuses" : "takes", rows[i].text);
	}
}

/* What is refused changes nothing, whatever stood before it in the text. */
static void test_untouched(void)
{
	struct softpt_config a, b;
	char why[320];

	softpt_config_init(&a);
	b = a;
	kit_ok(softpt_config_parse(&a, "cyc=1,mtc_freq=9,p1=999", why, sizeof(why)) == -EINVAL &&
	       !memcmp(&a, &b, sizeof(a)), "a refused text changes nothing");
	kit_ok(softpt_config_parse(&a, "nonsense=1", NULL, 0) == -EINVAL, "no room for the reason");
}

static void test_round_trip(void)
{
	static const char *const texts[] = {
		"",
		"cyc=1,suppress=3,resume=payload:7,burst=1,preroll=4,mtc_freq=0",
		"resume=tsc,tsc_ratio=512/1,ring=4096,mode=snapshot,clock=model,cr3=0x123000",
		"filter=0x400000-0x4fffff,filter=1-2,stop=0xffffffff80000000-0xffffffffffffffff",
		"os=0,user=0,ring=32K,cyc_thresh=12,cyc_bits=56,psb_freq=15,tnt64=1,describe=0",
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct softpt_config a, b;
		char text[1024], why[320];

		softpt_config_init(&a);
		softpt_config_init_record(&b);
		softpt_config_parse(&a, texts[i], why, sizeof(why));
		softpt_config_print(text, sizeof(text), &a);
		if (!kit_ok(!softpt_config_parse(&b, text, why, sizeof(why)) &&
			    !memcmp(&a, &b, sizeof(a)), "read back: %s", texts[i]))
			kit_note("%s", text);
	}
}

/* The defaults of the table are the defaults of the configuration. */
static void test_table(void)
{
	const struct softpt_param *p;
	struct softpt_config a, b;
	unsigned int i, bad = 0;
	char why[320];

	softpt_config_init(&a);
	b = a;
	for (i = 0; (p = softpt_config_param(i)); i++) {
		char item[128];

		snprintf(item, sizeof(item), "%s=%s", p->key, p->def);
		if (softpt_config_parse(&b, item, why, sizeof(why))) {
			kit_note("%s", why);
			bad++;
		}
	}
	kit_ok(i > 30 && !bad && !memcmp(&a, &b, sizeof(a)), "the table's %u defaults", i);
	softpt_config_init_record(&b);
	kit_ok(b.suppress == 2 && !(b.flags & SOFTPT_F_OS) && b.flags & SOFTPT_F_PGE_TSC &&
	       !softpt_config_validate(&b, why, sizeof(why)), "defaults of record");
}

/* A field that is set to what no text says, in a configuration that is good else */
#define FIELD(key, field, value) \
	{ key, #field " = " #value, offsetof(struct softpt_config, field), \
	  sizeof(((struct softpt_config *)0)->field), value }

static const struct {
	const char *key;
	const char *what;
	size_t offset, size;
	uint64_t value;
} fields[] = {
	FIELD("flags", flags, 1u << 31),
	FIELD("reserved", reserved0, 1),
	FIELD("reserved", reserved[0], 1),
	FIELD("reserved", reserved[2], 1ull << 63),
	FIELD("mtc_freq", mtc_freq, 16),
	FIELD("cyc_thresh", cyc_thresh, 13),
	FIELD("cyc_bits", cyc_bits, 15),
	FIELD("cyc_bits", cyc_bits, 57),
	FIELD("psb_freq", psb_freq, 16),
	FIELD("p1", p1, 0),
	FIELD("min_ratio", min_ratio, 0),
	FIELD("max_ratio", max_ratio, 0),
	FIELD("min_ratio", min_ratio, 61),
	FIELD("p1", p1, 61),
	FIELD("p1", p1, 3),
	FIELD("preroll", preroll, 5),
	FIELD("tsc_ratio", tsc_ebx, 0),
	FIELD("tsc_ratio", tsc_eax, 0),
	FIELD("tsc_ratio", tsc_ebx, 1u << 28),
	FIELD("tsc_ratio", tsc_eax, 217),
	FIELD("tsc_ratio", tsc_ebx, 1026),
	FIELD("tsc_ratio", tsc_ebx, 1025),
	FIELD("resume", resume, 3),
	FIELD("resume", resume_value, 0),
	FIELD("resume", resume, SOFTPT_RESUME_TSC),
	FIELD("burst", burst, 1),
	FIELD("cr3", cr3, 4096),
	FIELD("mode", mode, 2),
	FIELD("clock", clock, 2),
	FIELD("ring", ring, 2048),
	FIELD("ring", ring, 1ull << 31),
	FIELD("ring", ring, 12288),
	FIELD("truth", truth, 2048),
	FIELD("truth", truth, 1ull << 31),
	FIELD("truth", truth, 12288),
	FIELD("filter", nr_ranges, 5),
	FIELD("filter", range[0].from, 1),
	FIELD("filter", range[1].to, 1),
	FIELD("filter", range[2].kind, 1),
	FIELD("filter", range[3].reserved, 1),
};

static void test_fields(void)
{
	struct softpt_complaint why = { "", "" };
	struct softpt_config c;
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		softpt_config_init(&c);
		memcpy((char *)&c + fields[i].offset, &fields[i].value, fields[i].size);
		kit_ok(softpt_config_check(&c, &why) && !strcmp(why.key, fields[i].key),
		       "refused: %s", fields[i].what);
	}
}

/* Ranges that are used */
static void test_ranges(void)
{
	static const struct {
		const char *key;	/* NULL: it is good */
		struct softpt_range range;
	} rows[] = {
		{ NULL, { .from = 1, .to = 1, .kind = SOFTPT_RANGE_FILTER } },
		{ NULL, { .from = 1, .to = 2, .kind = SOFTPT_RANGE_STOP } },
		{ "filter", { .from = 1, .to = 2, .kind = 7 } },
		{ "filter", { .from = 2, .to = 1, .kind = SOFTPT_RANGE_FILTER } },
		{ "stop", { .from = 2, .to = 1, .kind = SOFTPT_RANGE_STOP } },
		{ "filter", { .from = 1, .to = 2, .kind = SOFTPT_RANGE_STOP, .reserved = 1 } },
	};
	struct softpt_complaint why;
	struct softpt_config c;
	size_t i;
	int ret;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		softpt_config_init(&c);
		c.nr_ranges = 1;
		c.range[0] = rows[i].range;
		why.key = "";
		ret = softpt_config_check(&c, &why);
		kit_ok(rows[i].key ? ret && !strcmp(why.key, rows[i].key) : !ret,
		       "range %zu: %s", i, rows[i].key ? rows[i].key : "good");
	}
}

int main(void)
{
	test_taken();
	test_refused();
	test_fields();
	test_ranges();
	test_stock_safe();
	test_untouched();
	test_round_trip();
	test_table();
	return kit_done();
}
