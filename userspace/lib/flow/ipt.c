// SPDX-License-Identifier: BSD-2-Clause
/* libipt's instruction decoder: packets and code -> transfers of control */
#include <errno.h>
#include <intel-pt.h>
#include <stdlib.h>
#include <string.h>

#include "flow/ipt.h"
#include "flow/packets.h"
#include "flow/times.h"

/*
 * Instructions in a row that no packet is needed for. A path that got lost may come to a loop
 * that has no way out; real code without a branch that has a packet is shorter.
 */
#define AIMLESS_MAX	(1u << 20)

struct ipt_walk {
	struct flow_copy copy;	/* as @d reads it */
	struct flow_resume resume;
	uint64_t floor;		/* what begins before it was tried */
	uint64_t from, at;	/* how far @d has read: before the last packets, and now */
	uint64_t to;		/* where the path was behind them */
	uint64_t sync;		/* of the PSB that a step begins at */
	struct flow_times times;
	struct pt_insn_decoder *d;
	struct pt_image *image;
	struct code_image *code;
	int status;
	int failed;		/* to be told behind the steps before it */
	enum flow_level level;
	bool lost;		/* look first where it can go on */
	bool untold;		/* of what was lost nothing is told yet: an instruction was found */
	bool begun;		/* a place to begin at was found */
	bool done;
	bool branch;		/* @last waits for its target */
	struct pt_event held;	/* until the step of the branch before it is out */
	bool has_held;
	bool fresh;		/* @last is not a step yet, and is to be one */
	struct pt_insn last;
	uint64_t start;		/* of the block that @last is in */
	uint64_t instructions;
	uint64_t undone;	/* of them, in a transaction that was aborted */
	bool undone_last;
	unsigned int aimless;	/* instructions since the last that needed a packet */
	size_t tx;		/* the next MODE.TSX of a transaction */
	bool aborts;		/* the transaction that @last is in is aborted */
	bool aborted;		/* the branch that is next leaves it */
};

/* ---- begin and end ---- */

/* What the processor did wrong, where one made the packets */
static void use_errata(struct pt_config *c, const struct softpt_perf *perf)
{
	struct softpt_perf_cpu cpu;

	if (softpt_perf_vdso(perf, &(size_t){ 0 }) || !softpt_perf_cpu(perf, &cpu))
		return;
	c->cpu = (struct pt_cpu){
		.vendor = pcv_intel, .family = cpu.family, .model = cpu.model,
		.stepping = cpu.stepping,
	};
	pt_cpu_errata(&c->errata, &c->cpu);
}

static int read_code(uint8_t *buf, size_t size, const struct pt_asid *asid, uint64_t ip,
		     void *context)
{
	const struct ipt_walk *w = context;
	size_t n = w->code ? code_image_read(w->code, ip, buf, size) : 0;

	(void)asid;
	return n ? (int)n : -pte_nomap;
}

static bool use_code(struct ipt_walk *w)
{
	w->image = pt_image_alloc("softpt");
	return w->image && pt_image_set_callback(w->image, read_code, w) >= 0 &&
	       pt_insn_set_image(w->d, w->image) >= 0;
}

struct ipt_walk *ipt_walk_new(const struct input_stream *stream, const struct input *in,
			      enum flow_level level)
{
	struct ipt_walk *w = calloc(1, sizeof(*w));
	const struct softpt_config *cfg = &in->config;
	struct pt_config c;

	if (!w)
		return NULL;
	pt_config_init(&c);
	if (!flow_copy_begin(&w->copy, stream) || flow_times_open(&w->times, in, stream)) {
		ipt_walk_free(w);
		return NULL;
	}
	flow_resume_begin(&w->resume, stream);
	c.begin = w->copy.bytes;
	c.end = c.begin + FLOW_BEFORE + stream->len;
	c.mtc_freq = cfg->mtc_freq;
	c.nom_freq = cfg->p1;
	c.cpuid_0x15_eax = cfg->tsc_eax;
	c.cpuid_0x15_ebx = cfg->tsc_ebx;
	if (!w->copy.ours)
		use_errata(&c, in->perf);
	w->level = level;
	w->lost = true;
	w->untold = true;
	w->d = pt_insn_alloc_decoder(&c);
	if (w->d && use_code(w))
		return w;
	ipt_walk_free(w);
	return NULL;
}

void ipt_walk_set_code(struct ipt_walk *w, struct code_image *code)
{
	w->code = code;
}

void ipt_walk_free(struct ipt_walk *w)
{
	if (!w)
		return;
	if (w->d)
		pt_insn_free_decoder(w->d);
	if (w->image)
		pt_image_free(w->image);
	flow_times_close(&w->times);
	flow_copy_end(&w->copy);
	free(w);
}

/* How far it has read: what is behind it is unknown to it */
static uint64_t position(const struct ipt_walk *w)
{
	uint64_t offset = 0;

	if (pt_insn_get_offset(w->d, &offset) < 0 || offset < FLOW_BEFORE)
		return 0;
	return offset - FLOW_BEFORE;
}

/* libipt reads events ahead: packets behind @from may be of what is still to come. */
static void note_position(struct ipt_walk *w)
{
	uint64_t at = position(w);

	if (at == w->at)
		return;
	w->from = w->at;
	w->at = at;
	w->to = 0;
}

/* ---- instructions ---- */

/* FF /2 to /5 is the only opcode of near jumps and calls that need a TIP. */
static bool is_indirect(const struct pt_insn *insn)
{
	static const uint8_t prefixes[] = {
		0x66, 0x67, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65, 0xf2, 0xf3,
	};
	unsigned int i = 0;

	while (i < insn->size && (memchr(prefixes, insn->raw[i], sizeof(prefixes)) ||
				  (insn->mode == ptem_64bit && insn->raw[i] >> 4 == 4)))
		i++;
	return i < insn->size && insn->raw[i] == 0xff;
}

/* Whether the instruction ends a step, and if so, of what kind. */
static bool classify(const struct pt_insn *insn, struct flow_step *step)
{
	switch (insn->iclass) {
	case ptic_call:
		step->kind = FLOW_CALL;
		step->packet = is_indirect(insn) ? FLOW_TIP : FLOW_NO_PACKET;
		return true;
	case ptic_jump:
		step->kind = FLOW_JUMP;
		step->packet = is_indirect(insn) ? FLOW_TIP : FLOW_NO_PACKET;
		return true;
	case ptic_cond_jump:
		step->kind = FLOW_JUMP;
		step->packet = FLOW_TNT;
		return true;
	case ptic_return:
		step->kind = FLOW_RETURN;
		step->packet = FLOW_TNT_OR_TIP;
		return true;
	case ptic_far_call:
	case ptic_far_jump:
	case ptic_far_return:
		step->kind = FLOW_JUMP;
		step->packet = FLOW_TIP;
		return true;
	default:
		return false;
	}
}

/* The last instruction, and the block that a step ends there */
static void tell_last(struct ipt_walk *w, struct flow_step *step)
{
	static const uint8_t bits[] = { [ptem_16bit] = 16, [ptem_32bit] = 32, [ptem_64bit] = 64 };

	step->bits = w->last.mode <= ptem_64bit ? bits[w->last.mode] : 0;
	step->size = w->last.size;
	memcpy(step->raw, w->last.raw, sizeof(step->raw));
	step->from = w->last.ip;
	step->behind = w->last.ip + w->last.size;
	step->undone = w->undone_last;
	if (step->kind == FLOW_INSN || step->kind == FLOW_PTWRITE)
		return;
	step->start = w->start;
	step->instructions = w->instructions;
	step->undone_instructions = w->undone;
	w->instructions = 0;
	w->undone = 0;
}

static bool tell_insn(struct ipt_walk *w, struct flow_step *step)
{
	step->kind = FLOW_INSN;
	tell_last(w, step);
	return true;
}

/* The last instruction was a branch: it went to @to. */
static bool end_step(struct ipt_walk *w, struct flow_step *step, uint64_t to)
{
	if (!w->branch)
		return false;
	w->branch = false;
	classify(&w->last, step);
	tell_last(w, step);
	step->to = to;
	step->taken = w->last.iclass != ptic_cond_jump || to != step->behind;
	return true;
}

/* Events that come between two instructions, and where */
static bool is_async(const struct pt_event *ev, uint64_t *at)
{
	if (ev->type == ptev_async_branch)
		*at = ev->variant.async_branch.from;
	else if (ev->type == ptev_async_disabled)
		*at = ev->variant.async_disabled.at;
	else
		return false;
	return true;
}

/* Return: whether the event is a step */
static bool tell_event(struct flow_step *step, const struct pt_event *ev)
{
	switch (ev->type) {
	case ptev_enabled:
		step->kind = FLOW_BEGIN;
		step->packet = FLOW_ENABLE;
		step->to = ev->variant.enabled.ip;
		return true;
	case ptev_disabled:
	case ptev_async_disabled:
		step->kind = FLOW_END;
		step->packet = FLOW_DISABLE;
		return true;
	case ptev_async_branch:
		step->kind = FLOW_INTERRUPT;
		step->packet = FLOW_INTR;
		step->to = ev->variant.async_branch.to;
		return true;
	case ptev_overflow:
		step->kind = FLOW_OVERFLOW;
		step->packet = FLOW_OVF;
		step->to = ev->ip_suppressed ? 0 : ev->variant.overflow.ip;
		return true;
	default:
		return false;
	}
}

/* The instruction before it was done first, if it is a step of its own. */
static bool hold(struct ipt_walk *w, struct flow_step *step, const struct pt_event *ev)
{
	uint64_t at;

	w->held = *ev;
	w->has_held = true;
	memset(step, 0, sizeof(*step));
	if (is_async(ev, &at))
		return end_step(w, step, at);
	w->branch = false;
	return tell_insn(w, step);
}

/* It changes nothing of the path, not even where a branch goes that waits for its target. */
static bool tell_ptwrite(struct ipt_walk *w, struct flow_step *step, const struct pt_event *ev)
{
	step->kind = FLOW_PTWRITE;
	step->packet = FLOW_PTW;
	step->value = ev->variant.ptwrite.payload;
	tell_last(w, step);
	step->from = ev->ip_suppressed ? 0 : ev->variant.ptwrite.ip;
	return true;
}

/* Whether it will be aborted is known from all packets of the stream. */
static void take_tsx(struct ipt_walk *w, const struct pt_event *ev)
{
	w->aborted = ev->variant.tsx.aborted;
	w->aborts = false;
	if (ev->variant.tsx.speculative && w->tx < w->copy.nr)
		w->aborts = w->copy.tx[w->tx++].aborted;
}

static bool take_event(struct ipt_walk *w, struct flow_step *step, const struct pt_event *ev)
{
	uint64_t at;

	w->aimless = 0;
	if (ev->type == ptev_tsx)
		take_tsx(w, ev);
	if (ev->type == ptev_ptwrite)
		return tell_ptwrite(w, step, ev);
	if (!tell_event(step, ev))
		return false;
	if (w->branch && (w->level == FLOW_INSNS || is_async(ev, &at)))
		return hold(w, step, ev);
	w->branch = false;
	tell_last(w, step);
	if (is_async(ev, &at))
		step->behind = at;
	step->aborted = w->aborted && step->kind != FLOW_BEGIN;
	w->aborted = false;
	return true;
}

/* What is lost in one piece is told once. */
static bool lose(struct ipt_walk *w, struct flow_step *step, int err)
{
	bool untold = w->untold;

	w->lost = true;
	w->untold = false;
	w->aimless = 0;
	if (!untold)
		return false;
	step->kind = FLOW_LOST;
	step->packet = FLOW_NO_PACKET;
	tell_last(w, step);
	step->error = pt_errstr(pt_errcode(err));
	step->offset = w->at;
	return true;
}

/* A branch whose target is not known is an instruction, and it was there. */
static bool fail(struct ipt_walk *w, struct flow_step *step, int err)
{
	w->failed = 0;
	if (w->branch && w->level == FLOW_INSNS) {
		w->branch = false;
		w->failed = err;
		return tell_insn(w, step);
	}
	w->branch = false;
	if (err != -pte_eos)
		return lose(w, step, err);
	w->done = true;
	if (!w->instructions)
		return false;
	step->kind = FLOW_CUT;
	tell_last(w, step);
	return true;
}

/* Return: whether the walk goes round in circles */
static bool is_aimless(struct ipt_walk *w, const struct pt_insn *insn)
{
	struct flow_step step = { .packet = FLOW_NO_PACKET };

	classify(insn, &step);
	if (step.packet != FLOW_NO_PACKET)
		w->aimless = 0;
	else
		w->aimless++;
	return w->aimless > AIMLESS_MAX;
}

/*
 * What libipt says of an instruction, also when it fails: then the address alone where the code is
 * not known, all of it where it is not known what follows.
 */
static bool take_insn(struct ipt_walk *w, struct flow_step *step, const struct pt_insn *insn)
{
	bool made = insn->ip && end_step(w, step, insn->ip);

	if (insn->iclass == ptic_error)
		return made;
	w->untold = true;
	if (!w->instructions++)
		w->start = insn->ip;
	w->last = *insn;
	w->undone_last = insn->speculative && w->aborts;
	w->undone += w->undone_last;
	w->branch = classify(insn, &(struct flow_step){ 0 });
	w->fresh = w->level == FLOW_INSNS && !w->branch;
	if (made || !w->fresh)
		return made;
	w->fresh = false;
	return tell_insn(w, step);
}

/* One instruction or event. Return: whether that made a step */
static bool advance(struct ipt_walk *w, struct flow_step *step)
{
	struct pt_insn insn = { 0 };
	struct pt_event ev;

	if (w->has_held) {
		w->has_held = false;
		ev = w->held;
		return take_event(w, step, &ev);
	}
	if (w->fresh) {
		w->fresh = false;
		return tell_insn(w, step);
	}
	if (w->failed)
		return fail(w, step, w->failed);
	if (w->status & pts_event_pending) {
		w->status = pt_insn_event(w->d, &ev, sizeof(ev));
		note_position(w);
		return w->status < 0 ? fail(w, step, w->status) : take_event(w, step, &ev);
	}
	w->status = pt_insn_next(w->d, &insn, sizeof(insn));
	if (!w->to)
		w->to = insn.ip;
	note_position(w);
	if (w->status >= 0 && is_aimless(w, &insn))
		return lose(w, step, -pte_bad_query);
	if (w->status < 0)
		w->failed = w->status;
	return take_insn(w, step, &insn);
}

/* The next place. What the path went to before it was lost is none. */
static bool find_place(struct ipt_walk *w, struct flow_place *place)
{
	uint64_t from = w->from > w->floor ? w->from : w->floor;

	do {
		if (!flow_resume_find(&w->resume, from, place))
			return false;
	} while (place->sync < w->at && place->has_ip && place->ip == w->to);
	return true;
}

/*
 * A stream whose begin was overwritten, or that was lost, goes on amid a program: that is a step,
 * for who runs there is to be found out anew. Return: whether it made one
 */
static bool synchronize(struct ipt_walk *w, struct flow_step *step)
{
	struct flow_place place;
	uint64_t from;

	if (!find_place(w, &place)) {
		w->done = true;
		return !w->resume.found && lose(w, step, -pte_nosync);
	}
	w->lost = false;
	w->aborts = false;
	w->aborted = false;
	w->floor = place.at + (place.made ? 0 : SOFTPT_SIZE_PSB);
	from = place.made ? flow_place_make(&w->copy, &place) : FLOW_BEFORE + place.at;
	while (w->tx < w->copy.nr && w->copy.tx[w->tx].offset < place.at)
		w->tx++;
	w->tx -= place.made && place.intx && w->tx;
	w->status = pt_insn_sync_set(w->d, from);
	note_position(w);
	if (w->status < 0)
		return fail(w, step, w->status);
	if (!place.has_ip)
		return false;
	step->kind = FLOW_BEGIN;
	step->packet = place.packet;
	step->to = place.ip;
	w->sync = place.sync;
	step->resumed = w->begun;
	w->begun = true;
	return true;
}

bool ipt_walk_next(struct ipt_walk *w, struct flow_step *step)
{
	bool made = false;
	uint64_t sync;

	memset(step, 0, sizeof(*step));
	w->sync = 0;
	while (!made && !w->done) {
		if (w->lost)
			made = synchronize(w, step);
		else
			made = advance(w, step);
	}
	if (!w->sync && !pt_insn_get_sync_offset(w->d, &sync) && sync > FLOW_BEFORE)
		w->sync = sync - FLOW_BEFORE;
	if (made)
		flow_times_of(&w->times, step, w->sync, &step->when);
	return made;
}
