// SPDX-License-Identifier: BSD-2-Clause
/* Medians of many values, beside the values sorted */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "selftests/kit/kit.h"
#include "userspace/lib/report/index.h"
#include "userspace/lib/report/spread.h"

#define MANY	20000

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Of all sizes: as many bits as chance will have */
static uint64_t any_value(unsigned int bits)
{
	uint64_t value = ((uint64_t)random() << 33) ^ ((uint64_t)random() << 11) ^ random();

	return value >> (64 - 1 - random() % bits);
}

/* The error of the median of @n values, relative to the value that is in the middle */
static double error_of(unsigned int n, unsigned int bits)
{
	static uint64_t values[MANY];
	struct spread s = { 0 };
	double error, middle;
	unsigned int i;

	for (i = 0; i < n; i++) {
		values[i] = any_value(bits);
		if (spread_add(&s, values[i]))
			kit_bail("no memory");
	}
	qsort(values, n, sizeof(*values), by_value);
	middle = values[(n - 1) / 2];
	error = fabs((double)spread_median(&s) - middle);
	if (s.n != n || s.min != values[0] || s.max != values[n - 1])
		error = INFINITY;
	spread_free(&s);
	return error / (middle ? middle : 1);
}

static void test_few(void)
{
	struct spread none = { 0 };
	double worst = 0;
	unsigned int n;

	kit_ok(!spread_median(&none), "no value has no median");
	for (n = 1; n <= SPREAD_EXACT; n++)
		worst = fmax(worst, error_of(n, 60));
	kit_ok(worst == 0, "the median of %d values and fewer is exact", SPREAD_EXACT);
}

static void test_many(void)
{
	double worst = 0, small = 0;
	unsigned int i;

	for (i = 0; i < 300; i++)
		worst = fmax(worst, error_of(SPREAD_EXACT + 1 + random() % (MANY / 10),
					     1 + i % 63));
	worst = fmax(worst, error_of(MANY, 63));
	kit_ok(worst > 0 && worst <= 1.0 / 64, "of more, it is off by 1/64 at most: %.5f", worst);
	for (i = 0; i < 50; i++)
		small = fmax(small, error_of(1000, 5));
	kit_ok(small == 0, "values below %d are told apart", SPREAD_PARTS);
}

/* Medians of lower and of upper bounds, of whatever lies between them */
static void test_order(void)
{
	struct spread low = { 0 }, value = { 0 }, high = { 0 };
	unsigned int i, good = 0;

	for (i = 0; i < 5000; i++) {
		uint64_t v = any_value(40), width = any_value(30);

		spread_add(&low, v > width ? v - width : 0);
		spread_add(&value, v);
		spread_add(&high, v + width);
		good += spread_median(&low) <= spread_median(&value) &&
			spread_median(&value) <= spread_median(&high);
	}
	kit_ok(good == i, "bounds of the median hold it");
	spread_free(&low);
	spread_free(&value);
	spread_free(&high);
}

static void test_ends(void)
{
	struct spread s = { 0 };
	unsigned int i;

	for (i = 0; i < 1000; i++)
		spread_add(&s, i % 2 ? UINT64_MAX : UINT64_MAX - 1);
	kit_ok(spread_median(&s) >= UINT64_MAX - 1, "the largest values");
	spread_free(&s);
}

/* Each pair keeps its number, whatever comes after it. */
static void test_index(void)
{
	struct report_index x = { 0 };
	unsigned int i, wrong = 0;
	uint32_t *number;

	for (i = 0; i < 2 * MANY; i++) {
		number = index_at(&x, i % MANY * 0x1000, i % 7 % 2 ? 0 : i % MANY % 3);
		if (!number)
			kit_bail("no memory");
		if (*number == INDEX_NEW)
			*number = x.n - 1;
		wrong += *number >= x.n;
	}
	for (i = 0; i < MANY; i++) {
		number = index_at(&x, i, UINT64_MAX);
		wrong += *number != INDEX_NEW;
		*number = i;
	}
	for (i = 0; i < MANY; i++)
		wrong += *index_at(&x, i, UINT64_MAX) != i;
	kit_ok(!wrong, "an index of %zu pairs", x.n);
	index_free(&x);
}

int main(void)
{
	srandom(1);
	test_few();
	test_many();
	test_order();
	test_ends();
	test_index();
	return kit_done();
}
