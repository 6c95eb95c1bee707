// SPDX-License-Identifier: BSD-2-Clause
/* A trace port as lines: symbols, events, instructions */
#include "port-print.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <softpt/port.h>
#include "input/input.h"
#include "code/powerpc.h"
#include "code/symbols.h"
#include "cli/symbol.h"
#include "cli/tool.h"

bool port_is(const struct input *in)
{
	return in->map && softpt_port_detect(in->map, in->size);
}

static int open_port(struct softpt_port *port, const struct input *in)
{
	uint64_t offset;
	int err = softpt_port_open(port, in->map, in->size, &offset);

	if (!err)
		return 0;
	if (err == -EOPNOTSUPP)
		return refuse_at(in->path, offset, "a trace port of another version");
	return refuse_at(in->path, offset, "%s", err == -SOFTPT_ERR_TRUNCATED ?
			 "the file ends inside its header" : "damaged trace port: no symbol, or a run of one that is none");
}

/* ---- dump ---- */

/* Bits, the highest first, as the tables of the patent have them */
static const char *bits(char *buf, unsigned int v, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		buf[i] = '0' + (v >> (n - 1 - i) & 1);
	buf[n] = '\0';
	return buf;
}

int port_dump(const struct input *in)
{
	struct softpt_port_symbol s = { 0 };
	struct softpt_port port;
	char es[4], ts[5];

	if (open_port(&port, in))
		return EXIT_REFUSED;
	while (softpt_port_next(&port, &s)) {
		printf("%" PRIu64 " %s %s", s.clock, bits(es, s.es, 3), bits(ts, s.ts, 4));
		if (s.count > 1)
			printf(" x%" PRIu64, s.count);
		putchar('\n');
	}
	return 0;
}

/* ---- decode ---- */

static void print_register(const char *name, bool known, uint32_t value)
{
	if (known)
		printf(" %s=0x%08x", name, value);
	else
		printf(" %s=?", name);
}

static void print_se(const struct softpt_port_se *se)
{
	if (se->offset < SOFTPT_PORT_OFFSET_MAX)
		printf("%" PRIu64 " se iar=0x%08x", se->clock, se->iar);
	else
		printf("? se iar=0x%08x", se->iar);
	print_register("lr", se->has_lr, se->lr);
	print_register("ctr", se->has_ctr, se->ctr);
	printf(" sent=%" PRIu64 " offset=%u\n", se->sent, se->offset);
}

static void print_symbol(const struct softpt_port_symbol *s)
{
	if (s->ts == SOFTPT_TS_TE)
		printf("%" PRIu64 " te\n", s->clock ? s->clock - 1 : 0);
	if (s->es == SOFTPT_ES_INTERRUPT)
		printf("%" PRIu64 " interrupt\n", s->clock);
	if (s->ts == SOFTPT_TS_WAIT || s->ts == SOFTPT_TS_STOP)
		printf("%" PRIu64 " %s clocks=%" PRIu64 "\n", s->clock,
		       s->ts == SOFTPT_TS_WAIT ? "wait" : "stop", s->count);
}

int port_decode(const struct input *in)
{
	struct softpt_port_symbol s = { 0 }, at = { 0 };
	struct softpt_port_se se;
	struct softpt_port port;
	bool more;

	if (open_port(&port, in))
		return EXIT_REFUSED;
	more = softpt_port_next_se(&port, &at, &se);
	while (softpt_port_next(&port, &s)) {
		if (more && s.clock >= se.sent) {
			print_se(&se);
			more = softpt_port_next_se(&port, &at, &se);
		}
		print_symbol(&s);
	}
	return 0;
}

/* ---- flow ---- */

struct walked {
	uint64_t lines;
	uint64_t instructions;
	uint64_t walks;
	uint64_t clock;		/* where the last walk ended */
	bool full;
	bool inferred;		/* the last row was */
	struct symbols *names;
};

static void print_insn(const struct softpt_port_row *row, struct symbols *names)
{
	struct softpt_symbol sym;

	printf("%" PRIu64 " 0x%08x %08x%s", row->clock, row->addr, row->insn,
	       row->taken ? " taken" : "");
	symbols_find(names, row->addr, &sym);
	if (sym.name) {
		putchar(' ');
		symbol_print(&sym, row->addr);
	}
	putchar('\n');
}

static void print_row(const struct softpt_port_row *row, struct symbols *names)
{
	switch (row->kind) {
	case SOFTPT_PORT_ROW_INSN:
		print_insn(row, names);
		break;
	case SOFTPT_PORT_ROW_INTERRUPT:
		printf("%" PRIu64 " interrupt at 0x%08x to 0x%08x\n", row->clock, row->addr,
		       row->target);
		break;
	case SOFTPT_PORT_ROW_TE:
		printf("%" PRIu64 " te\n", row->clock);
	}
}

static void print_rows(const struct port_flow *f, struct softpt_port_walk *w, struct walked *done)
{
	struct softpt_port_row row;
	unsigned int reason;
	uint32_t addr;

	while (softpt_port_walk_next(w, &row)) {
		done->full = row.clock > f->to || (f->limit && done->lines >= f->limit);
		if (done->full)
			return;
		done->lines++;
		done->instructions += row.kind == SOFTPT_PORT_ROW_INSN;
		if (row.inferred && !done->inferred)
			printf("%" PRIu64 " inferred up to the next SE: LR or CTR was used before it was sent\n",
			       row.clock);
		done->inferred = row.inferred;
		print_row(&row, done->names);
	}
	reason = softpt_port_walk_end(w, &done->clock, &addr);
	if (reason != SOFTPT_PORT_END)
		printf("%" PRIu64 " unknown from 0x%08x on: %s\n", done->clock, addr,
		       softpt_port_reason(reason));
}

#define STEPS	(1ull << 28)	/* to look for targets: seconds, whatever the file is */

/* From the first SE on; where a walk must end, from the next SE behind it */
static int walk(const struct port_flow *f, const struct softpt_port *port,
		struct port_image *image, struct walked *done)
{
	struct softpt_port_symbol at = { 0 };
	const struct softpt_port_code *code;
	struct softpt_port_walk *w;
	struct softpt_port_se se;
	uint64_t steps = STEPS;
	size_t n;

	done->clock = f->from;
	while (!done->full && softpt_port_next_se(port, &at, &se)) {
		if (se.clock < done->clock || se.offset >= SOFTPT_PORT_OFFSET_MAX)
			continue;
		w = softpt_port_walk_new(port, &se, port_image_read, image);
		if (!w)
			return refuse(f->in->path, "%s", strerror(ENOMEM));
		done->walks++;
		n = port_image_code(image, &code);
		softpt_port_walk_in(w, code, n, &steps);
		print_rows(f, w, done);
		softpt_port_walk_free(w);
	}
	if (!done->walks)
		return refuse(f->in->path, "no synchronizing event to begin from");
	return 0;
}

static int walk_named(const struct port_flow *f, const struct softpt_port *port,
		      struct port_image *image, struct walked *done)
{
	struct symbol_files *files = symbol_files_new();
	int status;

	done->names = files ? symbols_new(files) : NULL;
	if (!done->names || port_image_names(image, f->image, done->names))
		status = refuse(f->image, "%s", strerror(ENOMEM));
	else
		status = walk(f, port, image, done);
	symbols_free(done->names);
	symbol_files_free(files);
	return status;
}

int port_flow(const struct port_flow *f)
{
	struct walked done = { 0 };
	struct port_image *image;
	struct softpt_port port;
	struct error error;
	int status;

	if (open_port(&port, f->in))
		return EXIT_REFUSED;
	image = port_image_open(f->image, &error);
	if (!image)
		return refuse(f->image, "%s", error.text);
	status = walk_named(f, &port, image, &done);
	port_image_close(image);
	if (f->stats && !status)
		fprintf(stderr, "softpt: %s: instructions %" PRIu64 ", walks %" PRIu64 "\n",
			f->in->path, done.instructions, done.walks);
	return status;
}
