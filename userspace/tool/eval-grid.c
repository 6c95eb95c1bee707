// SPDX-License-Identifier: BSD-2-Clause
/* A grid of configurations: the values of some keys, each with each */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/softpt.h"
#include "../lib/values.h"
#include "eval.h"

/* The slowest first */
static const char *const axes[EVAL_AXES] = {
	"cyc", "mtc_freq", "suppress", "resume", "burst", "preroll",
};

/* The letters of US 12,386,726, and of the pages */
static const struct {
	const char *letter, *key, *before;
} letters[] = {
	{ "N", "suppress", "" },
	{ "M", "resume", "count:" },
	{ "V", "resume", "payload:" },
	{ "B", "burst", "" },
	{ "K", "preroll", "" },
};

static int find_axis(const char *name, const char **before)
{
	size_t i;

	*before = "";
	for (i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (!strcmp(letters[i].letter, name)) {
			*before = letters[i].before;
			name = letters[i].key;
			break;
		}
	for (i = 0; i < EVAL_AXES; i++)
		if (!strcmp(axes[i], name))
			return i;
	return -1;
}

/* One value of an axis, as -c takes it */
static int add_value(struct eval_grid *grid, int axis, const char *before, const char *value,
		     char *why, size_t len)
{
	unsigned int *n = &grid->axis[axis].n;
	struct softpt_config cfg;
	char item[128];
	char *text;
	int err;

	if (*n == EVAL_VALUES)
		return softpt_refuse(why, len, "%s: at most %d values", axes[axis], EVAL_VALUES);
	if (strlen(value) > 12)
		return softpt_refuse(why, len, "%s=%.12s...: too long", axes[axis], value);
	text = grid->axis[axis].text[*n];
	snprintf(text, sizeof(grid->axis[axis].text[0]), "%s%s", before, value);
	snprintf(item, sizeof(item), "%s=%s", axes[axis], text);
	softpt_config_init(&cfg);
	err = softpt_config_parse(&cfg, item, why, len);
	if (!err)
		++*n;
	return err;
}

/* "KEY=VALUE,VALUE", which is cut in pieces */
static int add_axis(struct eval_grid *grid, char *word, char *why, size_t len)
{
	char *values = strchr(word, '='), *value;
	const char *before;
	int axis, err = 0;

	if (!values)
		return softpt_refuse(why, len, "%s: KEY=VALUE,VALUE... is wanted", word);
	*values++ = '\0';
	axis = find_axis(word, &before);
	if (axis < 0)
		return softpt_refuse(why, len,
				     "%s: keys are cyc, mtc_freq, suppress (N), resume (M: count, V: payload), burst (B), preroll (K)",
				     word);
	while (!err && (value = strsep(&values, ",")))
		err = add_value(grid, axis, before, value, why, len);
	return err;
}

int eval_grid_parse(struct eval_grid *grid, const char *text, char *why, size_t len)
{
	char *copy = strdup(text), *rest = copy, *word;
	int err = copy ? 0 : softpt_refuse(why, len, "out of memory");

	while (!err && (word = strsep(&rest, " \t")))
		if (*word)
			err = add_axis(grid, word, why, len);
	free(copy);
	return err;
}

/* The @number-th combination. What suppression alone looks at is reset where it is off. */
static int combine(const struct eval_grid *grid, unsigned int number,
		   struct softpt_config *cfg, char *why, size_t len)
{
	unsigned int axis;
	char item[128];
	int err;

	for (axis = EVAL_AXES; axis--; ) {
		unsigned int n = grid->axis[axis].n;

		if (!n)
			continue;
		snprintf(item, sizeof(item), "%s=%s", axes[axis],
			 grid->axis[axis].text[number % n]);
		number /= n;
		err = softpt_config_parse(cfg, item, why, len);
		if (err)
			return err;
	}
	if (!cfg->suppress)
		softpt_config_parse(cfg, "resume=count:254,burst=N,preroll=0", NULL, 0);
	return softpt_config_validate(cfg, why, len);
}

static bool is_known(const struct eval_point *points, int n, const struct softpt_config *cfg)
{
	while (n--)
		if (!memcmp(&points[n].cfg, cfg, sizeof(*cfg)))
			return true;
	return false;
}

int eval_grid_points(const struct eval_grid *grid, const struct softpt_config *base,
		     struct eval_point **points, char *why, size_t len)
{
	unsigned int axis, number, all = 1;
	int n = 0, err;

	for (axis = 0; axis < EVAL_AXES; axis++) {
		all *= grid->axis[axis].n ? grid->axis[axis].n : 1;
		if (all > EVAL_POINTS)
			return softpt_refuse(why, len, "more than %d configurations",
					     EVAL_POINTS);
	}
	*points = calloc(all, sizeof(**points));
	if (!*points)
		return -ENOMEM;
	for (number = 0; number < all; number++) {
		struct softpt_config cfg = *base;

		err = combine(grid, number, &cfg, why, len);
		if (err)
			return err;
		if (!is_known(*points, n, &cfg))
			(*points)[n++].cfg = cfg;
	}
	return n;
}
