// SPDX-License-Identifier: BSD-2-Clause
/* <softpt/sim.h> and <softpt/flow.h>: what they refuse, and what they say of it */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <softpt/decoder.h>
#include <softpt/flow.h>
#include <softpt/perf.h>
#include <softpt/sim.h>

#include "selftests/kit/kit.h"

/* ---- the simulator ---- */

struct packets {
	uint8_t bytes[4096];
	size_t n;
	int err;		/* what take() returns */
};

static int take(void *ctx, const void *packets, size_t len)
{
	struct packets *p = ctx;

	if (p->err || len > sizeof(p->bytes) - p->n)
		return p->err ? p->err : -ENOSPC;
	memcpy(p->bytes + p->n, packets, len);
	p->n += len;
	return 0;
}

static struct softpt_sim *unit_new(struct packets *p)
{
	struct softpt_config config;
	struct softpt_sim *sim;

	*p = (struct packets){ .n = 0 };
	softpt_config_init_record(&config);
	if (softpt_sim_new(&sim, &config, take, p))
		kit_bail("no unit");
	return sim;
}

/* How many records of a kind the packets are */
static unsigned int count(const struct packets *p, enum softpt_record_kind kind)
{
	struct softpt_decoder *d = softpt_decoder_new(NULL);
	const struct softpt_record *rec;
	unsigned int n = 0;

	softpt_decoder_set_buffer(d, p->bytes, p->n);
	while (softpt_decoder_next(d, &rec) > 0)
		n += rec->kind == kind;
	softpt_decoder_free(d);
	return n;
}

static void test_events(void)
{
	struct softpt_event user = { .tsc = 100, .kind = SOFTPT_EV_CPL, .cpl = 3 };
	struct softpt_event begin = { .tsc = 100, .kind = SOFTPT_EV_ENABLE, .ip = 0x1000 };
	struct softpt_event branch = {
		.tsc = 110, .kind = SOFTPT_EV_JCC, .ip = 0x1000, .flags = SOFTPT_EVF_TAKEN,
	};
	struct packets p;
	struct softpt_sim *sim = unit_new(&p);
	const char *why = "";

	kit_ok(!softpt_sim_event(sim, &user, &why) && !why, "an event: no text");
	kit_ok(!softpt_sim_event(sim, &begin, NULL), "the trace begins");
	kit_ok(!softpt_sim_event(sim, &branch, NULL), "a branch");
	branch.tsc = 109;
	kit_ok(softpt_sim_event(sim, &branch, &why) < 0 && why, "an event before it is refused");
	kit_note("%s", why);
	kit_ok(!p.n && !softpt_sim_flush(sim) && p.n, "nothing is handed out before it must be");
	kit_ok(!softpt_sim_end(sim, 0, &why) && !why, "the end");
	kit_ok(count(&p, SOFTPT_REC_TAKEN) == 1, "one branch");
	softpt_sim_free(sim);
}

static void test_insns(void)
{
	struct softpt_sim_insn nop = { .tsc = 5, .ip = 0x1000, .code = { 0x90 }, .size = 1 };
	/* JMP and NOP */
	struct softpt_sim_insn two = {
		.tsc = 6, .ip = 0x1001, .code = { 0xeb, 0x00, 0x90 }, .size = 3,
	};
	struct softpt_sim_insn more = { .tsc = 7, .ip = 0x1004, .size = 16 };
	struct softpt_sim_insn jmp = { .tsc = 8, .ip = 0x1004, .code = { 0xeb, 0xfe }, .size = 2 };
	struct packets p;
	struct softpt_sim *sim = unit_new(&p);
	const char *why;

	kit_ok(!softpt_sim_insn(sim, &nop, NULL), "an instruction");
	kit_ok(!softpt_sim_insn(sim, &two, &why) && !why, "two for one: told by the next");
	kit_ok(softpt_sim_insn(sim, &jmp, &why) == -EINVAL && why && strstr(why, "more than one"),
	       "and refused");
	kit_ok(softpt_sim_insn(sim, &more, &why) == -EINVAL && why && strstr(why, "15 bytes"),
	       "16 bytes are refused");
	kit_ok(!softpt_sim_end(sim, 20, &why), "the end");
	kit_ok(count(&p, SOFTPT_REC_ENABLE) == 1, "the trace is enabled once");
	softpt_sim_free(sim);
}

static void test_output(void)
{
	struct softpt_sim_insn nop = { .tsc = 5, .ip = 0x1000, .code = { 0x90 }, .size = 1 };
	struct packets p;
	struct softpt_sim *sim = unit_new(&p);
	struct softpt_config config = { .size = 0 };
	struct softpt_sim *none = sim;

	p.err = -ENOSPC;
	kit_ok(!softpt_sim_insn(sim, &nop, NULL), "an instruction");
	kit_ok(softpt_sim_end(sim, 9, NULL) == -ENOSPC, "what the output says is returned");
	softpt_sim_free(sim);
	kit_ok(softpt_sim_new(&none, &config, take, &p) == -EINVAL && !none,
	       "a configuration that is none");
	softpt_sim_free(NULL);
}

/* ---- paths ---- */

struct told {
	unsigned int n;
	int err;
	char text[320];
};

static void tell(void *ctx, const char *file, int err, const char *text)
{
	struct told *t = ctx;

	(void)file;
	t->n++;
	t->err = err;
	snprintf(t->text, sizeof(t->text), "%s", text);
}

static void refuses(const void *bytes, size_t len, const char *what)
{
	FILE *file = tmpfile();
	struct softpt_flow *flow = (void *)1;
	struct told t = { .n = 0 };
	char path[32];
	int err;

	if (!file || fwrite(bytes, 1, len, file) != len || fflush(file))
		kit_bail("no file");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(file));
	err = softpt_flow_open(&flow, path, NULL, tell, &t);
	kit_ok(err < 0 && !flow && t.n == 1 && t.err == err, "%s: %d, %s", what, err, t.text);
	kit_ok(softpt_flow_open(&flow, path, NULL, NULL, NULL) == err, "%s: nobody is told", what);
	fclose(file);
}

static void test_flow(void)
{
	struct packets p;
	struct softpt_sim_insn nop = { .tsc = 5, .ip = 0x1000, .code = { 0x90 }, .size = 1 };
	struct softpt_sim *sim = unit_new(&p);
	struct softpt_flow *flow;
	struct told t = { .n = 0 };

	softpt_sim_insn(sim, &nop, NULL);
	softpt_sim_end(sim, 9, NULL);
	softpt_sim_free(sim);
	kit_ok(softpt_flow_open(&flow, "/nonexistent", NULL, tell, &t) == -ENOENT && t.n == 1,
	       "no file: %s", t.text);
	refuses(p.bytes, p.n, "raw packets");
	refuses("", 0, "an empty file");
	refuses("PERFILE2", 8, "the begin of perf.data");
	softpt_flow_close(NULL);
	kit_ok(!strcmp(softpt_flow_event_name(SOFTPT_FLOW_TRIGGER), "trigger") &&
	       !softpt_flow_event_name(SOFTPT_FLOW_EVENT_NR), "names of events");
}

int main(void)
{
	test_events();
	test_insns();
	test_output();
	test_flow();
	return kit_done();
}
