// SPDX-License-Identifier: BSD-2-Clause
#include "json.h"

#include <errno.h>
#include <stdlib.h>

#include "base/quote.h"

/* JSON has another way to write '<'. */
int json_text(FILE *to, const char *text)
{
	char *json = NULL, *at;
	size_t len;
	FILE *memory = open_memstream(&json, &len);

	if (!memory)
		return -ENOMEM;
	print_json_string(memory, text);
	if (fclose(memory)) {
		free(json);
		return -ENOMEM;
	}
	for (at = json; *at; at++)
		if (*at == '<')
			fputs("\\u003c", to);
		else
			putc(*at, to);
	free(json);
	return 0;
}

struct base64 json_row_begin(FILE *to, const char *name)
{
	fprintf(to, ",\n\"%s\":\"", name);
	return (struct base64){ .to = to };
}

void json_row_end(struct base64 *row)
{
	base64_end(row);
	putc('"', row->to);
}
