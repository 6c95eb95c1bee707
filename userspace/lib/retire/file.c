// SPDX-License-Identifier: BSD-2-Clause
/* Records of retired instructions from a file that may be anything */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/number.h"
#include "retire/text.h"

#define COLUMNS_MAX	64
#define RECORDS_MAX	65536

static const char *const names[EAR_NR] = {
#define X(id, name) \
	[EAR_##id] = name,
	EAR_COLUMNS(X)
#undef X
};

/* Largest value of each column */
static const uint64_t most[EAR_NR] = {
	[EAR_INDEX] = RECORDS_MAX, [EAR_IP] = UINT64_MAX, [EAR_CYCLES] = UINT64_MAX,
	[EAR_VALID] = 1, [EAR_FLUSHED] = 1, [EAR_EARLY] = 1,
	[EAR_COUNT] = UINT32_MAX, [EAR_SQUASHED] = 1,
	[EAR_STAGES] = SOFTPT_STAGES_MAX, [EAR_MIN] = SOFTPT_DELAY_MAX,
	[EAR_DELAY] = SOFTPT_DELAY_MAX, [EAR_WRITE] = SOFTPT_DELAY_MAX,
	[EAR_EVENTS] = UINT64_MAX, [EAR_STAGE] = UINT8_MAX,
	[EAR_OCCUPIED] = SOFTPT_STAGES_MAX - 1, [EAR_AVAILABLE] = UINT64_MAX,
	[EAR_DATA] = UINT64_MAX,
};

struct reader {
	struct lines lines;
	unsigned int columns;		/* of the file */
	int at[EAR_NR];			/* where each is, -1: it is not there */
	uint64_t value[EAR_NR];		/* of the row */
	bool given[EAR_NR];		/* it has a value there */
	uint32_t capacity[SOFTPT_STAGES_MAX];
};

/* Cut at commas. Return: fields, one more than fit at most */
static unsigned int split(char *text, char **field)
{
	unsigned int n = 0;

	for (;;) {
		if (n < COLUMNS_MAX)
			field[n] = text;
		if (++n > COLUMNS_MAX)
			return n;
		text = strchr(text, ',');
		if (!text)
			return n;
		*text++ = '\0';
	}
}

static int read_header(struct reader *r, struct ear_file *file)
{
	char *field[COLUMNS_MAX];
	unsigned int i, c;
	int more = lines_next(&r->lines);

	if (more <= 0)
		return more ? more : error_set(&r->lines.error, -EINVAL, "empty: not even a header");
	r->columns = split(r->lines.text, field);
	if (r->columns > COLUMNS_MAX)
		return lines_bad(&r->lines, "too many columns");
	for (c = 0; c < EAR_NR; c++) {
		r->at[c] = -1;
		for (i = 0; i < r->columns; i++) {
			if (strcmp(field[i], names[c]))
				continue;
			if (r->at[c] >= 0)
				return lines_bad(&r->lines, "two columns of the name %s", names[c]);
			r->at[c] = i;
		}
		if (r->at[c] < 0 && c <= EAR_EARLY)
			return lines_bad(&r->lines, "no column %s", names[c]);
	}
	for (c = EAR_STAGES, i = 0; c <= EAR_WRITE; c++)
		i += r->at[c] >= 0;
	file->has_pipeline = i;
	if (i && i != EAR_WRITE - EAR_STAGES + 1)
		return lines_bad(&r->lines, "the pipeline takes all of stages, min, delay, write");
	return 0;
}

/* Values of a row that all rows share */
static int take_shared(struct reader *r, struct ear_file *file)
{
	const uint64_t *v = r->value;
	struct softpt_frozen shared = {
		.pipeline = {
			.stages = v[EAR_STAGES], .min = v[EAR_MIN], .delay = v[EAR_DELAY],
			.write = v[EAR_WRITE],
		},
		.freeze = {
			.events = v[EAR_EVENTS], .stage = v[EAR_STAGE],
			.occupied = v[EAR_OCCUPIED], .occupied_known = r->given[EAR_OCCUPIED],
			.available = r->given[EAR_AVAILABLE] ? v[EAR_AVAILABLE] : 1,
			.data = v[EAR_DATA], .data_known = r->given[EAR_DATA],
		},
	};

	if (file->has_pipeline && !v[EAR_STAGES])
		return lines_bad(&r->lines, "a pipeline without stages");
	if (!file->frozen.n) {
		file->frozen.pipeline = shared.pipeline;
		file->frozen.freeze = shared.freeze;
		memcpy(file->capacity, r->capacity, sizeof(file->capacity));
		file->frozen.capacity = file->capacity;
	} else if (memcmp(&file->frozen.pipeline, &shared.pipeline, sizeof(shared.pipeline)) ||
		   memcmp(&file->frozen.freeze, &shared.freeze, sizeof(shared.freeze)) ||
		   memcmp(file->capacity, r->capacity, sizeof(file->capacity))) {
		return lines_bad(&r->lines, "another pipeline or event than the lines before");
	}
	return 0;
}

static int take_record(struct reader *r, struct ear_file *file)
{
	size_t n = file->frozen.n;
	const uint64_t *v = r->value;

	if (v[EAR_INDEX] != n)
		return lines_bad(&r->lines, "the index is not one more than before");
	if (n == RECORDS_MAX)
		return lines_bad(&r->lines, "more records than any FIFO has");
	if (!(n & (n - 1))) {
		struct softpt_retirement *more = realloc(file->record,
							 (n ? 2 * n : 1) * sizeof(*more));

		if (!more)
			return error_set_errno(&r->lines.error, -ENOMEM);
		file->record = more;
		file->frozen.record = more;
	}
	file->record[n] = (struct softpt_retirement){
		.ip = v[EAR_IP], .cycles = v[EAR_CYCLES],
		.count = r->given[EAR_COUNT] ? v[EAR_COUNT] : v[EAR_VALID],
		.flags = (v[EAR_VALID] ? SOFTPT_RETIRED : 0) |
			 (v[EAR_FLUSHED] ? SOFTPT_RETIRED_FLUSHED : 0) |
			 (v[EAR_EARLY] ? SOFTPT_RETIRED_EARLY : 0) |
			 (v[EAR_SQUASHED] ? SOFTPT_RETIRED_SQUASHED : 0),
	};
	file->frozen.n++;
	return 0;
}

static int read_row(struct reader *r, struct ear_file *file)
{
	char *field[COLUMNS_MAX];
	int err, told = 1;
	unsigned int c;

	if (split(r->lines.text, field) != r->columns)
		return lines_bad(&r->lines, "not as many columns as the header has");
	memset(r->capacity, 0, sizeof(r->capacity));
	for (c = 0; c < EAR_NR; c++) {
		const char *text = r->at[c] < 0 ? "" : field[r->at[c]];
		bool optional = r->at[c] < 0 || c == EAR_STAGE || c == EAR_OCCUPIED ||
				c == EAR_DATA || c == EAR_CAPACITY;

		r->value[c] = 0;
		r->given[c] = *text;
		if (!*text && optional)
			continue;
		if (c == EAR_CAPACITY) {
			told = ear_parse_capacity(r->capacity, field[r->at[c]]);
			if (told < 0)
				return lines_bad(&r->lines, "a value that does not fit: %s",
						 names[c]);
			continue;
		}
		if (!softpt_number_within(text, 0, most[c], &r->value[c]))
			return lines_bad(&r->lines, "a value that does not fit: %s", names[c]);
	}
	if (told != 1 && (unsigned int)told != r->value[EAR_STAGES])
		return lines_bad(&r->lines, "the capacity is not that of each stage");
	err = take_shared(r, file);
	return err ? err : take_record(r, file);
}

static int read_rows(struct reader *r, struct ear_file *file)
{
	int err = read_header(r, file), more = 0;

	while (!err && (more = lines_next(&r->lines)) > 0)
		err = read_row(r, file);
	return err ? err : more;
}

int ear_read(struct ear_file *file, const char *path, struct error *e)
{
	struct reader r = { 0 };
	int err = lines_open(&r.lines, path);

	*file = (struct ear_file){ 0 };
	if (!err) {
		err = read_rows(&r, file);
		lines_close(&r.lines);
	}
	if (err) {
		ear_free(file);
		if (e)
			*e = r.lines.error;
	}
	return err;
}

void ear_free(struct ear_file *file)
{
	free(file->record);
	*file = (struct ear_file){ 0 };
}
