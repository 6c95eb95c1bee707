// SPDX-License-Identifier: BSD-2-Clause
/*
 * Both recordings are walked three times more, each time closer: the steps of the stretch in which
 * two trails part; the branches between the last step of both and the next one; and the first
 * branch and step that differ, of which the names are kept.
 */
#include "diff/part.h"

#include <errno.h>
#include <stdlib.h>

#include "flow/path.h"

#define BRANCHES_MAX	(1u << 20)	/* between two steps, that are compared */

enum pass_of {
	PASS_STEPS,
	PASS_BRANCHES,
	PASS_NAMES,
	PASS_NR
};

/**
 * struct track - what is kept of one thread of a pair
 * @key: of steps, then of branches
 * @keys: how many
 * @branches: seen in this pass, between the last step of both and the next one
 * @ip: by depth of calls, functions that have not returned
 * @ips: room of @ip
 * @depth: how many have not returned
 * @done: nothing more is wanted in this pass
 */
struct track {
	uint64_t *key;
	size_t keys;
	size_t branches;
	uint64_t *ip;
	size_t ips;
	size_t depth;
	bool done;
};

/* A pair of threads whose paths part within @stretch; @same: branches of both then */
struct hunt {
	uint64_t stretch;
	size_t same;
	struct track track[2];
	struct diff_part *part;
};

/* A walk of one side; @by_number: the hunts of its threads, NULL: no difference is known of it */
struct pass {
	enum pass_of of;
	unsigned int side;
	struct stepper steps;
	struct hunt **by_number;
	size_t threads;
	size_t left;		/* hunts that are not done */
	bool failed;
};

/* ---- what is kept of rows ---- */

static bool collect(struct track *t, uint64_t key, size_t most)
{
	uint64_t *grown = t->key;

	if (t->keys == most)
		return true;
	if (!(t->keys & (t->keys - 1)))
		grown = reallocarray(grown, t->keys ? 2 * t->keys : 1, sizeof(*grown));
	if (!grown)
		return false;
	t->key = grown;
	t->key[t->keys++] = key;
	return true;
}

/* Return: false without memory */
static bool keep_function(struct track *t, const struct step *step, uint64_t ip)
{
	size_t room = t->ips;
	uint64_t *grown;

	if (step->event == SOFTPT_FLOW_RETURN || step->event == SOFTPT_FLOW_ABORT) {
		t->depth = step->depth;
		return true;
	}
	while (room <= step->depth)
		room = room ? 2 * room : 64;
	grown = room == t->ips ? t->ip : reallocarray(t->ip, room, sizeof(*grown));
	if (!grown)
		return false;
	t->ip = grown;
	for (; t->ips < room; t->ips++)
		t->ip[t->ips] = 0;
	t->ip[step->depth] = ip;
	t->depth = step->depth + 1;
	return true;
}

/* Those of one side are told: up to here the other's are the same. */
static bool name_functions(const struct track *t, struct diff_part *part,
			   const struct softpt_flow_row *row)
{
	size_t i;

	part->stack = calloc(t->depth + 1, sizeof(*part->stack));
	for (i = 0; part->stack && i < t->depth; i++)
		if (t->ip[i] && diff_place_find(&part->stack[part->depth++], row, t->ip[i]))
			return false;
	return part->stack;
}

static bool name_step(const struct pass *p, const struct hunt *h, const struct step *step,
		      const struct softpt_flow_row *row)
{
	struct diff_end *end = &h->part->end[p->side];

	end->ended = false;
	end->event = step->event;
	end->instructions = step->instructions;
	if (diff_place_find(&end->to, row, row->ip))
		return false;
	return h->part->stack || name_functions(&h->track[p->side], h->part, row);
}

static bool name_branch(const struct pass *p, const struct hunt *h,
			const struct softpt_flow_row *row)
{
	struct diff_end *end = &h->part->end[p->side];

	end->branched = true;
	return !diff_place_find(&end->from, row, row->from) &&
	       !diff_place_find(&end->target, row, row->ip);
}

/* ---- rows ---- */

/* @number: of the step in its thread. Return: false without memory */
static bool take_step(struct pass *p, struct hunt *h, uint64_t number, const struct step *step,
		      const struct softpt_flow_row *row)
{
	struct track *t = &h->track[p->side];

	if (p->of == PASS_STEPS) {
		t->done = number + 1 == h->stretch + TRAIL_STRETCH;
		return number < h->stretch || collect(t, step->key, TRAIL_STRETCH);
	}
	t->done = number == h->part->steps;
	if (p->of == PASS_BRANCHES)
		return true;
	return t->done ? name_step(p, h, step, row) : keep_function(t, step, row->ip);
}

static bool take_branch(struct pass *p, struct hunt *h, const struct softpt_flow_row *row)
{
	struct track *t = &h->track[p->side];
	uint64_t from, to;

	if (p->of == PASS_NAMES)
		return t->branches++ != h->same || name_branch(p, h, row);
	return !stepper_key(&p->steps, row, row->from, &from) &&
	       !stepper_key(&p->steps, row, row->ip, &to) &&
	       collect(t, from ^ to << 1 ^ to >> 63, BRANCHES_MAX);
}

static bool take(struct pass *p, const struct softpt_flow_row *row)
{
	const bool branch = row->event == SOFTPT_FLOW_BRANCH;
	struct step_thread *thread;
	struct step step;
	struct hunt *h;
	bool good;

	thread = branch ? stepper_thread(&p->steps, row) : stepper_take(&p->steps, row, &step);
	if (!thread)
		return branch;
	h = p->by_number[thread - p->steps.thread];
	if (!h || h->track[p->side].done || (branch && thread->steps != h->part->steps))
		return true;
	good = branch ? take_branch(p, h, row) : take_step(p, h, thread->steps - 1, &step, row);
	p->left -= h->track[p->side].done;
	return good;
}

static bool take_row(void *context, const struct softpt_flow_row *row)
{
	struct pass *p = context;

	p->failed = !take(p, row);
	return !p->failed && p->left;
}

/* ---- walks ---- */

static struct hunt **hunts_by_number(const struct diff_side *side, struct hunt *hunt, size_t n)
{
	struct hunt **by_number = calloc(side->steps.threads + 1, sizeof(*by_number));
	size_t i;

	for (i = 0; by_number && i < n; i++)
		by_number[side->order[hunt[i].part->thread]] = &hunt[i];
	return by_number;
}

static int walk(const struct diff_side *side, unsigned int number, enum pass_of of,
		struct hunt *hunt, size_t n)
{
	struct pass p = { .of = of, .side = number, .left = n };
	struct flow_path path = {
		.in = side->in, .root = side->root, .row = take_row, .context = &p,
		.wanted = STEP_ROWS | (of == PASS_STEPS ? 0 : 1u << SOFTPT_FLOW_BRANCH),
	};
	size_t i;
	int err = stepper_begin(&p.steps, side->counts);

	for (i = 0; i < n; i++)
		hunt[i].track[number].done = false;
	p.by_number = hunts_by_number(side, hunt, n);
	if (!err && p.by_number)
		err = flow_path_walk(&path);
	if (!p.by_number || p.failed)
		err = -ENOMEM;
	stepper_free(&p.steps);
	free(p.by_number);
	return err == -EILSEQ ? 0 : err;	/* the first walk has told of it */
}

/* Keys that both have; they are not needed any more. */
static size_t same_keys(struct hunt *h)
{
	struct track *a = &h->track[0], *b = &h->track[1];
	size_t i = 0;

	while (i < a->keys && i < b->keys && a->key[i] == b->key[i])
		i++;
	a->keys = 0;
	b->keys = 0;
	return i;
}

static int walk_all(const struct diff_side *side, struct hunt *hunt, size_t n)
{
	unsigned int of;
	size_t i;
	int err = 0;

	for (of = 0; of < PASS_NR && !err; of++) {
		err = walk(&side[0], 0, of, hunt, n);
		if (!err)
			err = walk(&side[1], 1, of, hunt, n);
		for (i = 0; i < n; i++)
			if (of == PASS_STEPS)
				hunt[i].part->steps = hunt[i].stretch + same_keys(&hunt[i]);
			else if (of == PASS_BRANCHES)
				hunt[i].same = same_keys(&hunt[i]);
	}
	return err;
}

static size_t find_stretches(const struct diff_side *side, struct hunt *hunt,
			     struct diff_part *part)
{
	size_t i, n = 0;

	for (i = 0; i < side[0].steps.threads && i < side[1].steps.threads; i++) {
		const struct trail *a = &side[0].trails.trail[side[0].order[i]];
		const struct trail *b = &side[1].trails.trail[side[1].order[i]];

		if (!trail_parts(a, b, &hunt[n].stretch))
			continue;
		hunt[n].part = &part[n];
		part[n].end[0].ended = true;
		part[n].end[1].ended = true;
		part[n++].thread = i;
	}
	return n;
}

int diff_parts_find(const struct diff_side side[2], struct diff_parts *parts)
{
	struct hunt *hunt = calloc(side[0].steps.threads + 1, sizeof(*hunt));
	size_t i;
	int err = -ENOMEM;

	parts->n = 0;
	parts->part = calloc(side[0].steps.threads + 1, sizeof(*parts->part));
	if (hunt && parts->part) {
		parts->n = find_stretches(side, hunt, parts->part);
		err = parts->n ? walk_all(side, hunt, parts->n) : 0;
	}
	for (i = 0; i < 2 * parts->n; i++) {
		free(hunt[i / 2].track[i % 2].key);
		free(hunt[i / 2].track[i % 2].ip);
	}
	free(hunt);
	return err;
}

void diff_parts_free(struct diff_parts *parts)
{
	size_t i, k;

	for (i = 0; i < parts->n; i++) {
		struct diff_part *part = &parts->part[i];

		for (k = 0; k < part->depth; k++)
			diff_place_free(&part->stack[k]);
		free(part->stack);
		for (k = 0; k < 2; k++) {
			diff_place_free(&part->end[k].to);
			diff_place_free(&part->end[k].from);
			diff_place_free(&part->end[k].target);
		}
	}
	free(parts->part);
}
