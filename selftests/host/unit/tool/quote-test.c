// SPDX-License-Identifier: BSD-2-Clause
/* Names that came with the input, as a terminal, JSON and XML get them */
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

static void print_json(FILE *to, const char *text, size_t len)
{
	(void)len;
	print_json_string(to, text);
}

/* On the heap: ASan sees its end. */
static bool is_printed(const char *name, size_t len,
		       void (*print)(FILE *to, const char *text, size_t len), const char *want)
{
	char *copy = strdup(name), *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	bool same;

	print(to, copy, len);
	fclose(to);
	same = !strcmp(text, want);
	if (!same)
		kit_note("'%s', not '%s'", text, want);
	free(text);
	free(copy);
	return same;
}

static void test_xml(void)
{
	kit_ok(is_printed("a<b>&\"c'", SIZE_MAX, print_xml, "a&#60;b&#62;&#38;&#34;c'"),
	       "XML: marks");
	kit_ok(is_printed("\033\xc2\x9b\xff\xe2\x82\xac", SIZE_MAX, print_xml, "???\xe2\x82\xac"),
	       "XML: what commands a terminal, and what is no UTF-8");
	kit_ok(is_printed("\xef\xbf\xbd\xef\xbf\xbe", SIZE_MAX, print_xml, "\xef\xbf\xbd?"),
	       "XML: U+FFFE");
	kit_ok(is_printed("folder/file", 6, print_xml, "folder"), "XML, of 6 bytes");
}

static bool is_copied(const char *text, size_t length, const char *want)
{
	char *copy = utf8_copy(text);
	bool same = copy && !strcmp(copy, want) && utf8_length(text) == length;

	if (!same)
		kit_note("'%s', %zu", copy, utf8_length(text));
	free(copy);
	return same;
}

static void test_copy(void)
{
	kit_ok(is_copied("", 0, "") && is_copied("a\xc3\xbc\n", 4, "a\xc3\xbc\n"), "copy: UTF-8");
	kit_ok(is_copied("a\xff\xc3\xbc\xe2", 1, "a\xef\xbf\xbd\xc3\xbc\xef\xbf\xbd"),
	       "copy: what is no UTF-8");
	kit_ok(is_copied("\xe2\x82", 0, "\xef\xbf\xbd\xef\xbf\xbd"), "copy: nothing else");
}

int main(void)
{
	const struct row *row;

	for (row = rows; row < rows + sizeof(rows) / sizeof(rows[0]); row++) {
		kit_ok(is_printed(row->name, SIZE_MAX, print_plain, row->plain), "plain: %s",
		       row->json);
		kit_ok(is_printed(row->name, 0, print_json, row->json), "JSON: %s", row->json);
	}
	kit_ok(is_printed("printf@@GLIBC", 6, print_plain, "printf"), "plain, of 6 bytes");
	kit_ok(is_printed("\xc3\xbc", 0, print_plain, ""), "plain, of none");
	test_xml();
	test_copy();
	return kit_done();
}
