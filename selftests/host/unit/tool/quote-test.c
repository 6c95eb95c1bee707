// SPDX-License-Identifier: BSD-2-Clause
/* Names that came with the input, as a terminal and as JSON get them */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/tool/cli/tool.h"
#include "selftests/kit/kit.h"

static const struct row {
	const char *name, *plain, *json;
} rows[] = {
	{ "", "", "\"\"" },
	{ "main", "main", "\"main\"" },
	{ "operator\"\\", "operator\"\\", "\"operator\\\"\\\\\"" },
	{ "\033[2J\n\t\x7f", "?[2J???", "\"\\u001b[2J\\u000a\\u0009\\u007f\"" },
	{ "\302\23331m", "?31m", "\"\\u009b31m\"" },			/* CSI of C1 */
	{ "\xc2\xa0\xc3\xbc", "\xc2\xa0\xc3\xbc", "\"\xc2\xa0\xc3\xbc\"" },
	{ "\xe2\x82\xac\xf0\x9f\x98\x80", "\xe2\x82\xac\xf0\x9f\x98\x80",
	  "\"\xe2\x82\xac\xf0\x9f\x98\x80\"" },
	{ "\xee\x80\x80\xf4\x8f\xbf\xbf", "\xee\x80\x80\xf4\x8f\xbf\xbf",
	  "\"\xee\x80\x80\xf4\x8f\xbf\xbf\"" },
	{ "a\200b", "a?b", "\"a\\ufffdb\"" },			/* begins in the middle */
	{ "a\xe2\x82", "a??", "\"a\\ufffd\\ufffd\"" },			/* is cut, as comm is */
	{ "\xf0\x9f", "??", "\"\\ufffd\\ufffd\"" },
	{ "\xc1\xbf", "??", "\"\\ufffd\\ufffd\"" },			/* longer than needed */
	{ "\xe0\x9f\xbf", "???", "\"\\ufffd\\ufffd\\ufffd\"" },
	{ "\xf0\x8f\xbf\xbf", "????", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" },
	{ "\xed\xa0\x80", "???", "\"\\ufffd\\ufffd\\ufffd\"" },		/* a surrogate */
	{ "\xf4\x90\x80\x80", "????", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" },
	{ "\xf5\xff", "??", "\"\\ufffd\\ufffd\"" },
};

/* On the heap: ASan sees its end. */
static bool is_printed(const char *name, size_t len, bool json, const char *want)
{
	char *copy = strdup(name), *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	bool same;

	if (json)
		print_json_string(to, copy);
	else
		print_plain(to, copy, len);
	fclose(to);
	same = !strcmp(text, want);
	if (!same)
		kit_note("'%s', not '%s'", text, want);
	free(text);
	free(copy);
	return same;
}

int main(void)
{
	const struct row *row;

	for (row = rows; row < rows + sizeof(rows) / sizeof(rows[0]); row++) {
		kit_ok(is_printed(row->name, SIZE_MAX, false, row->plain), "plain: %s", row->json);
		kit_ok(is_printed(row->name, 0, true, row->json), "JSON: %s", row->json);
	}
	kit_ok(is_printed("printf@@GLIBC", 6, false, "printf"), "plain, of 6 bytes");
	kit_ok(is_printed("\xc3\xbc", 0, false, ""), "plain, of none");
	return kit_done();
}
