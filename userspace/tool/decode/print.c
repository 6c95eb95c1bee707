// SPDX-License-Identifier: BSD-2-Clause
/* A record as a line: text, CSV or JSON */
#include "print.h"

#include <stdio.h>
#include <string.h>

#include "../cli/line.h"
#include "../cli/tool.h"
#include "input/relative.h"
#include "truth/judge.h"

/* Bytes that any line needs */
#define LINE 512

static void put_line(const char *line, char *end)
{
	*end++ = '\n';
	fwrite(line, 1, end - line, stdout);
}

/* From the trigger event on, negative before */
static char *put_after(char *p, const struct decode_row *row)
{
	return put_signed(p, row->rec->tsc - row->te->rec.tsc);
}

/* A lower bound alone says nothing; the trigger event itself is where time begins. */
static bool has_after(const struct decode_row *row)
{
	const uint32_t both = SOFTPT_REC_HAS_MIN | SOFTPT_REC_HAS_MAX;
	const struct softpt_record *rec = row->rec, *te = &row->te->rec;

	if (rec->kind == te->kind && rec->offset == te->offset && row->cpu == row->te->cpu)
		return true;
	return (rec->flags & te->flags & both) == both;
}

/* ---- CSV: what is not known is empty ---- */

static void begin_csv(bool relative, bool truth, bool cycles)
{
	printf("offset,kind,ip,value,tsc,tsc_min,tsc_max,cpu,tid%s%s%s\n",
	       relative ? ",relative" : "", truth ? ",true,error,inside" : "",
	       cycles ? ",cycles,cycles_total" : "");
}

static char *csv_number(char *p, bool known, uint64_t v)
{
	*p++ = ',';
	return known ? put_dec(p, v) : p;
}

static char *csv_hex(char *p, bool known, uint64_t v)
{
	*p++ = ',';
	return known ? put_hex(p, v) : p;
}

static char *csv_truth(char *p, const struct truth_judged *j)
{
	p = csv_number(p, j->known, j->tsc);
	*p++ = ',';
	if (j->timed)
		p = put_signed(p, j->error);
	return csv_number(p, j->known, j->inside);
}

static void print_csv(const struct decode_row *row)
{
	const struct softpt_record *rec = row->rec;
	const bool min = rec->flags & SOFTPT_REC_HAS_MIN, max = rec->flags & SOFTPT_REC_HAS_MAX;
	char line[LINE], *p = put_dec(line, rec->offset);

	*p++ = ',';
	p = put_text(p, softpt_record_kind_name(rec->kind));
	p = csv_hex(p, rec->flags & SOFTPT_REC_HAS_IP, rec->ip);
	p = csv_hex(p, rec->flags & SOFTPT_REC_HAS_VALUE, rec->value);
	p = csv_number(p, min, rec->tsc);
	p = csv_number(p, min, rec->tsc_min);
	p = csv_number(p, max, rec->tsc_max);
	p = csv_number(p, row->cpu >= 0, row->cpu);
	p = csv_number(p, row->tid >= 0, row->tid);
	if (row->te) {
		*p++ = ',';
		p = has_after(row) ? put_after(p, row) : p;
	}
	if (row->truth)
		p = csv_truth(p, row->truth);
	if (row->cycles) {
		p = csv_number(p, rec->flags & SOFTPT_REC_HAS_CYCLES, rec->cycles);
		p = csv_number(p, rec->flags & SOFTPT_REC_HAS_TOTAL, rec->cycles_total);
	}
	put_line(line, p);
}

/* ---- JSON: what is not known is null ---- */

static char *json_key(char *p, const char *key)
{
	p = put_text(p, ",\"");
	p = put_text(p, key);
	return put_text(p, "\":");
}

static char *json_number(char *p, const char *key, bool known, uint64_t v)
{
	p = json_key(p, key);
	return known ? put_dec(p, v) : put_text(p, "null");
}

/* JSON numbers lose precision beyond 2^53: addresses and values are strings. */
static char *json_hex(char *p, const char *key, bool known, uint64_t v)
{
	p = json_key(p, key);
	if (!known)
		return put_text(p, "null");
	*p++ = '"';
	p = put_hex(p, v);
	*p++ = '"';
	return p;
}

static char *json_truth(char *p, const struct truth_judged *j)
{
	p = json_number(p, "true", j->known, j->tsc);
	p = json_key(p, "error");
	p = j->timed ? put_signed(p, j->error) : put_text(p, "null");
	p = json_key(p, "inside");
	return put_text(p, !j->known ? "null" : j->inside ? "true" : "false");
}

static void print_json(const struct decode_row *row)
{
	const struct softpt_record *rec = row->rec;
	const bool min = rec->flags & SOFTPT_REC_HAS_MIN, max = rec->flags & SOFTPT_REC_HAS_MAX;
	char line[LINE], *p = put_text(line, "{\"offset\":");

	p = put_dec(p, rec->offset);
	p = put_text(p, ",\"kind\":\"");
	p = put_text(p, softpt_record_kind_name(rec->kind));
	*p++ = '"';
	p = json_hex(p, "ip", rec->flags & SOFTPT_REC_HAS_IP, rec->ip);
	p = json_hex(p, "value", rec->flags & SOFTPT_REC_HAS_VALUE, rec->value);
	p = json_number(p, "tsc", min, rec->tsc);
	p = json_number(p, "tsc_min", min, rec->tsc_min);
	p = json_number(p, "tsc_max", max, rec->tsc_max);
	p = json_number(p, "cpu", row->cpu >= 0, row->cpu);
	p = json_number(p, "tid", row->tid >= 0, row->tid);
	if (row->te) {
		p = json_key(p, "relative");
		p = has_after(row) ? put_after(p, row) : put_text(p, "null");
	}
	if (row->truth)
		p = json_truth(p, row->truth);
	if (row->cycles) {
		p = json_number(p, "cycles", rec->flags & SOFTPT_REC_HAS_CYCLES, rec->cycles);
		p = json_number(p, "cycles_total", rec->flags & SOFTPT_REC_HAS_TOTAL,
				rec->cycles_total);
	}
	p = put_text(p, ",\"packet\":\"");
	p = put_text(p, softpt_packet_name(rec->packet));
	put_line(line, put_text(p, "\"}"));
}

/* ---- text: what is not known is left out ---- */

/* TSC, and how far off it may be */
static char *put_when(char *p, const struct softpt_record *rec)
{
	bool min = rec->flags & SOFTPT_REC_HAS_MIN, max = rec->flags & SOFTPT_REC_HAS_MAX;

	if (min && max) {
		p = put_dec(p, rec->tsc);
		p = put_dec(put_text(p, " -"), rec->tsc - rec->tsc_min);
		return put_dec(put_text(p, " +"), rec->tsc_max - rec->tsc);
	}
	if (min)
		return put_dec(put_text(p, ">= "), rec->tsc_min);
	if (max)
		return put_dec(put_text(p, "<= "), rec->tsc_max);
	return put_text(p, "?");
}

static char *put_truth(char *p, const struct truth_judged *j)
{
	if (j->known)
		p = put_dec(put_text(p, " true="), j->tsc);
	if (j->timed)
		p = put_signed(put_text(p, " error="), j->error);
	if (j->known && !j->inside) {
		*p++ = ' ';
		p = put_text(p, colour(stdout, COLOUR_WARN));
		p = put_text(p, "OUTSIDE");
		p = put_text(p, colour(stdout, COLOUR_PLAIN));
	}
	return p;
}

static char *put_cycles(char *p, const struct softpt_record *rec)
{
	if (rec->flags & SOFTPT_REC_HAS_CYCLES)
		p = put_dec(put_text(p, " cycles="), rec->cycles);
	if (rec->flags & SOFTPT_REC_HAS_TOTAL)
		p = put_dec(put_text(p, " cycles_total="), rec->cycles_total);
	return p;
}

static void print_text(const struct decode_row *row)
{
	const struct softpt_record *rec = row->rec;
	char line[LINE], *p = line, *begin;

	if (row->te) {
		p = has_after(row) ? put_after(p, row) : put_text(p, "-");
		p = put_right(line, p, 14);
		*p++ = ' ';
	}
	if (row->cpu >= 0) {
		begin = p;
		p = put_right(begin, put_dec(p, row->cpu), 3);
		*p++ = ' ';
	}
	p = put_text(p, colour(stdout, COLOUR_TIME));
	begin = p;
	p = put_left(begin, put_when(p, rec), 36);
	p = put_text(p, colour(stdout, COLOUR_PLAIN));
	*p++ = ' ';
	p = put_text(p, softpt_record_kind_name(rec->kind));
	if (rec->flags & SOFTPT_REC_HAS_IP)
		p = put_hex(put_text(p, " ip="), rec->ip);
	if (rec->flags & SOFTPT_REC_HAS_VALUE)
		p = put_hex(put_text(p, " value="), rec->value);
	if (row->cycles)
		p = put_cycles(p, rec);
	if (row->truth)
		p = put_truth(p, row->truth);
	put_line(line, p);
}

const struct decode_format *decode_format_find(const char *name)
{
	static const struct decode_format formats[] = {
		{ "text", NULL, print_text },
		{ "csv", begin_csv, print_csv },
		{ "json", NULL, print_json },
	};
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(name, formats[i].name))
			return &formats[i];
	return NULL;
}
