// SPDX-License-Identifier: BSD-2-Clause
/* A grid of configurations: the values of some keys, each with each */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include <softpt/softpt.h>
#include "config/values.h"
#include "types.h"

/* The slowest first. That of the events is no key of a configuration. */
enum { AXIS_CLOCKS };

static const char *const axes[EVAL_AXES] = {
	[AXIS_CLOCKS] = "clock_permille",
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

/* @point is what it was where this value isn't good. */
static int set_value(struct eval_point *point, int axis, const char *text, char *why, size_t len)
{
	char item[128];
	uint64_t v;

	if (axis != AXIS_CLOCKS) {
		snprintf(item, sizeof(item), "%s=%s", axes[axis], text);
		return softpt_config_parse(&point->cfg, item, why, len);
	}
	if (!softpt_number_within(text, 0, 1000, &v))
		return softpt_refuse(why, len, "%s=%s: range is 0..1000", axes[axis], text);
	point->clock_permille = v;
	return 0;
}

/* One value of an axis, as -c takes it */
static int add_value(struct eval_grid *grid, int axis, const char *before, const char *value,
		     char *why, size_t len)
{
	unsigned int *n = &grid->axis[axis].n;
	struct eval_point point;
	char *text;
	int err;

	if (*n == EVAL_VALUES)
		return softpt_refuse(why, len, "%s: at most %d values", axes[axis], EVAL_VALUES);
	if (strlen(value) > 12)
		return softpt_refuse(why, len, "%s=%.12s...: too long", axes[axis], value);
	text = grid->axis[axis].text[*n];
	snprintf(text, sizeof(grid->axis[axis].text[0]), "%s%s", before, value);
	softpt_config_init(&point.cfg);
	err = set_value(&point, axis, text, why, len);
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
				     "%s: keys are cyc, mtc_freq, suppress (N), resume (M: count, V: payload), burst (B), preroll (K), clock_permille",
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
static int combine(const struct eval_grid *grid, unsigned int number, struct eval_point *point,
		   char *why, size_t len)
{
	struct softpt_config *cfg = &point->cfg;
	unsigned int axis;
	int err;

	for (axis = EVAL_AXES; axis--; ) {
		unsigned int n = grid->axis[axis].n;

		if (!n)
			continue;
		err = set_value(point, axis, grid->axis[axis].text[number % n], why, len);
		number /= n;
		if (err)
			return err;
	}
	if (!cfg->suppress)
		softpt_config_parse(cfg, "resume=count:254,burst=N,preroll=0", NULL, 0);
	return softpt_config_validate(cfg, why, len);
}

static bool is_known(const struct eval_point *points, int n, const struct eval_point *point)
{
	while (n--)
		if (!memcmp(&points[n].cfg, &point->cfg, sizeof(point->cfg)) &&
		    points[n].clock_permille == point->clock_permille)
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
		struct eval_point point = { .cfg = *base, .clock_permille = -1 };

		err = combine(grid, number, &point, why, len);
		if (err)
			return err;
		if (!is_known(*points, n, &point))
			(*points)[n++] = point;
	}
	return n;
}
