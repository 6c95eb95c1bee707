// SPDX-License-Identifier: BSD-2-Clause
#include "export/tables/rows.h"

#include <errno.h>
#include <stdlib.h>

#include "base/quote.h"

int tables_fail(struct table_writer *w, int err)
{
	if (!w->err)
		w->err = error_tell_errno(w->e->errors, w->e->output, err);
	return w->err;
}

/* Of another text readers say that the file is damaged. */
void rows_text(struct rows *r, const char *text)
{
	const struct table_format *format = r->to->format;
	char *copy;

	if (!text) {
		format->null(r);
		return;
	}
	if (!text[utf8_length(text)]) {
		format->text(r, text);
		return;
	}
	copy = utf8_copy(text);
	if (!copy)
		tables_fail(r->to, -ENOMEM);
	format->text(r, copy ? copy : "");
	free(copy);
}
