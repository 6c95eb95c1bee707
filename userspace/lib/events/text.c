// SPDX-License-Identifier: BSD-2-Clause
/* Event text <-> struct softpt_event: one table for both ways. */
#include "events/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/number.h"

#define ARGS_MAX	6
#define WORDS_MAX	(2 + ARGS_MAX)

/* What an argument is, and so which field holds it */
enum arg {
	NO_ARG,
	IP,
	TARGET,
	TAKEN,
	LEN,
	CPL,
	ARG,
	ARG2,
	DEEPEST,	/* pwrx: in @target */
	CLASS,		/* pmu: in @arg2 */
	SUBMASK,	/* pmu: in @arg2 */
	COUNT,		/* pmu: in @arg, or begin or end */
	STAGE,
	OCCUPIED,	/* pmu: in @target, - is not known */
	DATUM,		/* pmu: in @ip */
	THREAD,
	TSX,
};

struct keyword {
	const char *name;
	const char *args;	/* for messages */
	uint8_t arg[ARGS_MAX];
	uint8_t required;
	uint8_t len;		/* LEN if left out */
};

static const struct keyword keywords[SOFTPT_EV_NR] = {
	[SOFTPT_EV_IDLE]	= { "idle", "", { 0 }, 0, 0 },
	[SOFTPT_EV_ENABLE]	= { "enable", "IP", { IP }, 1, 0 },
	[SOFTPT_EV_DISABLE]	= { "disable", "[IP]", { IP }, 0, 0 },
	[SOFTPT_EV_JCC]		= { "jcc", "IP taken|not [TARGET]", { IP, TAKEN, TARGET }, 2, 0 },
	[SOFTPT_EV_JMP]		= { "jmp", "IP TARGET", { IP, TARGET }, 2, 0 },
	[SOFTPT_EV_CALL]	= { "call", "IP TARGET [LEN]", { IP, TARGET, LEN }, 2, 5 },
	[SOFTPT_EV_IJMP]	= { "ijmp", "IP TARGET", { IP, TARGET }, 2, 0 },
	[SOFTPT_EV_ICALL]	= { "icall", "IP TARGET [LEN]", { IP, TARGET, LEN }, 2, 2 },
	[SOFTPT_EV_RET]		= { "ret", "IP TARGET", { IP, TARGET }, 2, 0 },
	[SOFTPT_EV_FAR]		= { "far", "IP TARGET CPL", { IP, TARGET, CPL }, 3, 0 },
	[SOFTPT_EV_INTR]	= { "intr", "IP TARGET CPL VECTOR",
				    { IP, TARGET, CPL, ARG }, 4, 0 },
	[SOFTPT_EV_CR3]		= { "cr3", "VALUE [IP]", { ARG, IP }, 1, 0 },
	[SOFTPT_EV_CPL]		= { "cpl", "N [IP]", { CPL, IP }, 1, 0 },
	[SOFTPT_EV_MODE]	= { "mode", "16|32|64", { ARG }, 1, 0 },
	[SOFTPT_EV_THREAD]	= { "thread", "N", { THREAD }, 1, 0 },
	[SOFTPT_EV_PTW]		= { "ptw", "VALUE [IP]", { ARG, IP }, 1, 0 },
	[SOFTPT_EV_CBR]		= { "cbr", "RATIO", { ARG }, 1, 0 },
	[SOFTPT_EV_CLOCK]	= { "clock", "RATIO", { ARG }, 1, 0 },
	[SOFTPT_EV_SLEEP]	= { "sleep", "TICKS", { ARG }, 1, 0 },
	[SOFTPT_EV_MWAIT]	= { "mwait", "HINTS EXT", { ARG, ARG2 }, 2, 0 },
	[SOFTPT_EV_PWRE]	= { "pwre", "STATE SUB", { ARG, ARG2 }, 2, 0 },
	[SOFTPT_EV_PWRX]	= { "pwrx", "LAST DEEPEST REASON", { ARG, DEEPEST, ARG2 }, 3, 0 },
	[SOFTPT_EV_PMU]		= { "pmu", "CLASS SUBMASK COUNT|begin|end [STAGE [OCCUPIED [DATA]]]",
				    { CLASS, SUBMASK, COUNT, STAGE, OCCUPIED, DATUM }, 3, 0 },
	[SOFTPT_EV_PSB]		= { "psb", "", { 0 }, 0, 0 },
	[SOFTPT_EV_OVF]		= { "ovf", "TICKS", { ARG }, 1, 0 },
	[SOFTPT_EV_TRIG]	= { "trig", "BITS", { ARG }, 1, 0 },
	[SOFTPT_EV_CFE]		= { "cfe", "TYPE VECTOR [IP]", { ARG2, ARG, IP }, 2, 0 },
	[SOFTPT_EV_EVD]		= { "evd", "TYPE VALUE", { ARG2, ARG }, 2, 0 },
	[SOFTPT_EV_TSX]		= { "tsx", "BEGIN|COMMIT|ABORT [IP [TARGET]]",
				    { TSX, IP, TARGET }, 1, 0 },
	[SOFTPT_EV_VMCS]	= { "vmcs", "BASE", { ARG }, 1, 0 },
	[SOFTPT_EV_RETIRE]	= { "retire", "IP COUNT", { IP, ARG }, 2, 0 },
	[SOFTPT_EV_MTLR]	= { "mtlr", "VALUE [IP]", { ARG, IP }, 1, 0 },
	[SOFTPT_EV_MTCTR]	= { "mtctr", "VALUE [IP]", { ARG, IP }, 1, 0 },
	[SOFTPT_EV_LR]		= { "lr", "VALUE", { ARG }, 1, 0 },
	[SOFTPT_EV_CTR]		= { "ctr", "VALUE", { ARG }, 1, 0 },
	[SOFTPT_EV_SYSCALL]	= { "syscall", "NUMBER [IP]", { ARG, IP }, 1, 0 },
	[SOFTPT_EV_SIGNAL]	= { "signal", "N [HANDLED [IP]]", { ARG, ARG2, IP }, 1, 0 },
	[SOFTPT_EV_EXIT]	= { "exit", "CODE", { ARG }, 1, 0 },
	[SOFTPT_EV_DATA]	= { "data", "ADDRESS [IP]", { ARG, IP }, 1, 0 },
	[SOFTPT_EV_FLUSH]	= { "flush", "", { 0 }, 0, 0 },
};

static const char *const tsx_names[] = {
	[SOFTPT_TSX_BEGIN] = "BEGIN",
	[SOFTPT_TSX_COMMIT] = "COMMIT",
	[SOFTPT_TSX_ABORT] = "ABORT",
};

/* What OCCUPIED is that stands as - */
#define NOT_KNOWN	((uint64_t)UINT8_MAX + 1)

#define TSX_NAMES (sizeof(tsx_names) / sizeof(tsx_names[0]))

/* Largest value of each argument that is a number */
static uint64_t arg_max(enum arg arg)
{
	switch (arg) {
	case LEN:
	case STAGE:
	case OCCUPIED:
	case THREAD:
		return UINT8_MAX;
	case CPL:
		return 3;
	case CLASS:
		return 63;
	case SUBMASK:
		return UINT16_MAX;
	case ARG2:
		return UINT32_MAX;
	default:
		return UINT64_MAX;
	}
}

static void set_arg(struct softpt_event *ev, enum arg arg, uint64_t v, bool optional)
{
	switch (arg) {
	case IP:
		ev->ip = v;
		ev->flags |= optional ? SOFTPT_EVF_IP : 0;
		break;
	case TARGET:
		ev->flags |= optional ? SOFTPT_EVF_TARGET : 0;
		ev->target = v;
		break;
	case OCCUPIED:
		ev->flags |= v == NOT_KNOWN ? 0 : SOFTPT_EVF_TARGET;
		ev->target = v == NOT_KNOWN ? 0 : v;
		break;
	case DATUM:
		ev->flags |= SOFTPT_EVF_DATA;
		ev->ip = v;
		break;
	case DEEPEST:
		ev->target = v;
		break;
	case TAKEN:
		ev->flags |= v ? SOFTPT_EVF_TAKEN : 0;
		break;
	case LEN:
		ev->len = v;
		break;
	case CPL:
		ev->cpl = v;
		break;
	case ARG:
	case COUNT:
	case TSX:
		ev->arg = v;
		break;
	case ARG2:
		ev->arg2 = v;
		break;
	case CLASS:
		ev->arg2 |= v;
		break;
	case SUBMASK:
		ev->arg2 |= v << 16;
		break;
	case STAGE:
		ev->stage = v;
		break;
	case THREAD:
		ev->thread = v;
		break;
	case NO_ARG:
		break;
	}
}

/* A duration's begin or end instead of COUNT. Return: the flag, or 0 */
static uint16_t interval(enum arg arg, const char *word)
{
	if (arg == COUNT && !strcmp(word, "begin"))
		return SOFTPT_EVF_BEGIN;
	return arg == COUNT && !strcmp(word, "end") ? SOFTPT_EVF_END : 0;
}

/* Numbers, and the few words that stand for one */
static bool arg_value(enum arg arg, const char *word, uint64_t *v)
{
	if (arg == OCCUPIED && !strcmp(word, "-")) {
		*v = NOT_KNOWN;
		return true;
	}
	if (arg == TAKEN) {
		*v = !strcmp(word, "taken");
		return *v || !strcmp(word, "not");
	}
	if (arg == TSX) {
		for (*v = 0; *v < TSX_NAMES; ++*v)
			if (!strcmp(word, tsx_names[*v]))
				return true;
		return false;
	}
	return softpt_number_within(word, 0, arg_max(arg), v);
}

static int parse_args(const struct keyword *k, char **word, unsigned int n,
		      struct softpt_event *ev, struct error *e)
{
	unsigned int i, most = 0;
	uint64_t v;

	while (most < ARGS_MAX && k->arg[most])
		most++;
	if (n < k->required || n > most)
		return error_set(e, -EINVAL, "%s takes %s", k->name, most ? k->args : "no arguments");
	ev->len = k->len;
	for (i = 0; i < n; i++) {
		ev->flags |= interval(k->arg[i], word[i]);
		if (interval(k->arg[i], word[i]))
			continue;
		if (!arg_value(k->arg[i], word[i], &v))
			return error_set(e, -EINVAL, "'%s' does not fit: %s takes %s", word[i],
				      k->name, k->args);
		set_arg(ev, k->arg[i], v, i >= k->required);
	}
	return 1;
}

static const struct keyword *find_keyword(const char *name)
{
	unsigned int i;

	for (i = 0; i < SOFTPT_EV_NR; i++)
		if (!strcmp(keywords[i].name, name))
			return &keywords[i];
	return NULL;
}

static int parse_time(const char *word, uint64_t now, uint64_t *tsc, struct error *e)
{
	bool relative = *word == '+';

	if (!softpt_number_within(word + relative, 0, UINT64_MAX, tsc))
		return error_set(e, -EINVAL, "'%s' is no time: a number or +TICKS", word);
	if (relative && __builtin_add_overflow(now, *tsc, tsc))
		return error_set(e, -EINVAL, "'%s' leads beyond 64 bits", word);
	if (*tsc < now)
		return error_set(e, -EINVAL, "time goes back: %" PRIu64 " after %" PRIu64, *tsc,
				 now);
	return 0;
}

/* Cut at blanks and before a comment. Return: words, one more than fit at most */
static unsigned int split(char *text, char **word)
{
	static const char blank[] = " \t\r\n\v\f";
	unsigned int n = 0;

	text[strcspn(text, "#")] = '\0';
	for (;;) {
		text += strspn(text, blank);
		if (!*text || n > WORDS_MAX)
			return n;
		if (n < WORDS_MAX)
			word[n] = text;
		n++;
		text += strcspn(text, blank);
		if (*text)
			*text++ = '\0';
	}
}

int event_parse(const char *line, uint64_t *now, struct softpt_event *ev, struct error *e)
{
	char text[EVENT_TEXT_MAX], *word[WORDS_MAX];
	size_t used = strcspn(line, "#\n");
	const struct keyword *k;
	unsigned int n;
	uint64_t tsc = *now;
	int err;

	if (used >= sizeof(text))
		return error_set(e, -EINVAL, "the line is longer than any event");
	memcpy(text, line, used);
	text[used] = '\0';
	n = split(text, word);
	if (!n)
		return 0;
	if (n < 2)
		return error_set(e, -EINVAL, "a kind of event must follow the time");
	k = find_keyword(word[1]);
	if (!k)
		return error_set(e, -EINVAL, "'%s' is no kind of event", word[1]);
	*ev = (struct softpt_event){ .kind = k - keywords };
	err = parse_time(word[0], *now, &tsc, e);
	if (err)
		return err;
	ev->tsc = tsc;
	err = parse_args(k, word + 2, n - 2, ev, e);
	if (err > 0)
		*now = tsc;
	return err;
}

static bool has_arg(const struct keyword *k, unsigned int i, const struct softpt_event *ev)
{
	if (i < k->required)
		return true;
	switch (k->arg[i]) {
	case IP:
		return ev->flags & SOFTPT_EVF_IP;
	case TARGET:
		return ev->flags & SOFTPT_EVF_TARGET;
	case OCCUPIED:
		return ev->flags & (SOFTPT_EVF_TARGET | SOFTPT_EVF_DATA);
	case DATUM:
		return ev->flags & SOFTPT_EVF_DATA;
	case LEN:
		return ev->len != k->len;
	case STAGE:
		return ev->stage || ev->flags & (SOFTPT_EVF_TARGET | SOFTPT_EVF_DATA);
	case ARG2:
		return ev->arg2 || ev->flags & SOFTPT_EVF_IP;
	}
	return false;
}

/* The word that stands for a number, or NULL */
static const char *arg_word(enum arg arg, const struct softpt_event *ev)
{
	if (arg == COUNT && ev->flags & SOFTPT_EVF_BEGIN)
		return "begin";
	if (arg == COUNT && ev->flags & SOFTPT_EVF_END)
		return "end";
	return arg == OCCUPIED && !(ev->flags & SOFTPT_EVF_TARGET) ? "-" : NULL;
}

static int print_arg(char *buf, size_t len, enum arg arg, const struct softpt_event *ev)
{
	const char *word = arg_word(arg, ev);

	if (word)
		return snprintf(buf, len, " %s", word);
	switch (arg) {
	case IP:
	case DATUM:
		return snprintf(buf, len, " 0x%" PRIx64, (uint64_t)ev->ip);
	case TARGET:
		return snprintf(buf, len, " 0x%" PRIx64, (uint64_t)ev->target);
	case TAKEN:
		return snprintf(buf, len, ev->flags & SOFTPT_EVF_TAKEN ? " taken" : " not");
	case TSX:
		return snprintf(buf, len, " %s", ev->arg < TSX_NAMES ? tsx_names[ev->arg] : "?");
	case LEN:
		return snprintf(buf, len, " %u", ev->len);
	case CPL:
		return snprintf(buf, len, " %u", ev->cpl);
	case ARG:
	case COUNT:
		return snprintf(buf, len, ev->arg > 255 ? " 0x%" PRIx64 : " %" PRIu64,
				(uint64_t)ev->arg);
	case ARG2:
		return snprintf(buf, len, " %u", ev->arg2);
	case DEEPEST:
	case OCCUPIED:
		return snprintf(buf, len, " %" PRIu64, (uint64_t)ev->target);
	case CLASS:
		return snprintf(buf, len, " %u", ev->arg2 & 0xffff);
	case SUBMASK:
		return snprintf(buf, len, " 0x%x", ev->arg2 >> 16);
	case STAGE:
		return snprintf(buf, len, " %u", ev->stage);
	case THREAD:
		return snprintf(buf, len, " %u", ev->thread);
	case NO_ARG:
		break;
	}
	return 0;
}

int event_print(char *buf, size_t len, const struct softpt_event *ev)
{
	const struct keyword *k;
	unsigned int i;
	int n;

	if (ev->kind >= SOFTPT_EV_NR)
		return -EINVAL;
	k = &keywords[ev->kind];
	n = snprintf(buf, len, "%" PRIu64 " %s", (uint64_t)ev->tsc, k->name);
	for (i = 0; i < ARGS_MAX && k->arg[i] && has_arg(k, i, ev); i++) {
		bool room = (size_t)n < len;

		n += print_arg(room ? buf + n : NULL, room ? len - n : 0, k->arg[i], ev);
	}
	return n;
}

const char *event_keyword(unsigned int kind)
{
	return kind < SOFTPT_EV_NR ? keywords[kind].name : NULL;
}

int event_keyword_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < SOFTPT_EV_NR; i++)
		if (keywords[i].name && !strcmp(keywords[i].name, name))
			return i;
	return -1;
}
