// SPDX-License-Identifier: BSD-2-Clause
/* Which configuration a line is about */
#include "config/values.h"
#include "types.h"

void eval_axes_head(FILE *to, enum eval_format format, const struct eval_point *first)
{
	if (format == EVAL_CSV)
		fprintf(to, "cyc,mtc_freq,suppress,resume,burst,preroll");
	if (format != EVAL_TABLE)
		return;
	if (first->clock_permille >= 0)
		fprintf(to, "%6s ", "clocks");
	fprintf(to, "%3s %4s %4s %-11s %5s %4s", "cyc", "freq", "N", "resume", "burst", "pre");
}

void eval_axes(FILE *to, enum eval_format format, const struct eval_point *p)
{
	static const char *const formats[] = {
		[EVAL_TABLE] = "%3d %4u %4s %-11s %5s %4u",
		[EVAL_CSV] = "%d,%u,%s,%s,%s,%u",
		[EVAL_JSON] =
			"{\"cyc\":%d,\"mtc_freq\":%u,\"suppress\":\"%s\",\"resume\":\"%s\",\"burst\":\"%s\",\"preroll\":%u",
	};
	/* What suppression alone looks at */
	const bool off = format == EVAL_TABLE && !p->cfg.suppress;
	char suppress[SOFTPT_VALUE_MAX], resume[SOFTPT_VALUE_MAX], burst[SOFTPT_VALUE_MAX];

	softpt_print_suppress(&p->cfg, suppress);
	softpt_print_resume(&p->cfg, resume);
	softpt_print_burst(&p->cfg, burst);
	if (format == EVAL_TABLE && p->clock_permille >= 0)
		fprintf(to, "%6d ", p->clock_permille);
	fprintf(to, formats[format], !!(p->cfg.flags & SOFTPT_F_CYC), p->cfg.mtc_freq, suppress,
		off ? "-" : resume, off ? "-" : burst, p->cfg.preroll);
}

void eval_axes_head_end(FILE *to, enum eval_format format)
{
	fprintf(to, format == EVAL_CSV ? ",clock_permille\n" : "\n");
}

void eval_axes_end(FILE *to, enum eval_format format, const struct eval_point *p)
{
	if (format == EVAL_JSON)
		fprintf(to, ",\"clock_permille\":");
	if (format == EVAL_CSV)
		fputc(',', to);
	if (format != EVAL_TABLE && p->clock_permille >= 0)
		fprintf(to, "%d", p->clock_permille);
	else if (format == EVAL_JSON)
		fprintf(to, "null");
	fprintf(to, format == EVAL_JSON ? "}\n" : "\n");
}
