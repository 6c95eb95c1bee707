// SPDX-License-Identifier: BSD-2-Clause
/* softpt address: the instruction behind an event, or why it is not known */
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "retire/text.h"
#include "cli/tool.h"

enum {
	OPT_STAGE = 0x100,
	OPT_PIPELINE,
	OPT_FORMAT,
};

static const struct option_row options[] = {
	{ OPT_STAGE, "stage", "N",
	  "the event's stage, 1 is the first (where the file says it: that)" },
	{ OPT_PIPELINE, "pipeline", "KEY=VALUE,...",
	  "stages, min, delay, write, capacity, for a file that does not say them" },
	{ OPT_FORMAT, "format", "text|json", "text if left out" },
	{ 0 }
};

struct query {
	uint64_t stage;
	struct ear_pipeline pipeline;
	bool has_pipeline;
	bool json;
};

/* "unknown: record 3: REASON" */
static void print_reason(const struct softpt_address *a)
{
	printf("unknown: ");
	if (a->record >= 0)
		printf("record %ld: ", a->record);
	printf("%s\n", softpt_address_reason(a->status));
}

static void print_json(const struct softpt_address *a, uint64_t stage)
{
	printf("{\"address\":");
	if (a->status)
		printf("null");
	else
		printf("\"0x%" PRIx64 "\"", a->ip);
	printf(",\"data\":");
	if (a->data_known)
		printf("\"0x%" PRIx64 "\"", a->data);
	else
		printf("null");
	printf(",\"stage\":%" PRIu64 ",\"events\":%" PRIu64 ",\"available\":%" PRIu64 ",\"valid\":%s,\"status\":\"%s\",\"record\":",
	       stage, a->events, a->available, a->status ? "false" : "true",
	       softpt_address_reason(a->status));
	if (a->record >= 0)
		printf("%ld}\n", a->record);
	else
		printf("null}\n");
}

static int answer(const struct command *cmd, struct query *q, struct ear_file *file,
		  const char *path)
{
	struct softpt_address a;
	uint64_t stage = q->stage ? q->stage : file->frozen.freeze.stage;

	if (q->has_pipeline) {
		file->frozen.pipeline = q->pipeline.p;
		file->frozen.capacity = q->pipeline.capacity;
	} else if (!file->has_pipeline) {
		return misuse(cmd, "%s does not say the pipeline: --pipeline stages=S,min=A,delay=D,write=W",
			      path);
	}
	if (!stage && file->frozen.n)
		return misuse(cmd, "%s does not say the event's stage: --stage N", path);
	softpt_address_find(&file->frozen, stage, &a);
	if (q->json)
		print_json(&a, stage);
	else if (a.status)
		print_reason(&a);
	else
		printf("0x%" PRIx64 "\n", a.ip);
	return a.status ? EXIT_REFUSED : 0;
}

static int parse_options(const struct command *cmd, struct query *q, int argc, char **argv)
{
	struct error e;
	int id;

	while ((id = option_next(cmd, argc, argv)) != -1) {
		switch (id) {
		case OPT_STAGE:
			if (!softpt_number_within(optarg, 1, SOFTPT_STAGES_MAX, &q->stage))
				return misuse(cmd, "--stage is 1..%u, not '%s'",
					      SOFTPT_STAGES_MAX, optarg);
			break;
		case OPT_PIPELINE:
			q->has_pipeline = true;
			if (ear_parse_pipeline(&q->pipeline, optarg, &e))
				return misuse(cmd, "--pipeline: %s", e.text);
			break;
		case OPT_FORMAT:
			q->json = !strcmp(optarg, "json");
			if (!q->json && strcmp(optarg, "text"))
				return misuse(cmd, "--format is text or json, not '%s'", optarg);
			break;
		default:
			return EXIT_USAGE;
		}
	}
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct query q = { 0 };
	struct ear_file file;
	const char *path;
	struct error e;
	int status;

	if (parse_options(cmd, &q, argc, argv))
		return EXIT_USAGE;
	path = only_operand(cmd, argc, argv, "FILE");
	if (!path)
		return EXIT_USAGE;
	if (ear_read(&file, path, &e))
		return refuse_error(path, &e);
	status = answer(cmd, &q, &file, path);
	ear_free(&file);
	return close_stdout(status);
}

const struct command command_address = {
	.name = "address",
	.args = "FILE [--stage N]",
	.what = "print the address of the instruction behind an event",
	.more = "FILE is what `softpt sim --ear` or `softpt record --ear` wrote, - is stdin. Prints the\n"
		"address, or `unknown: REASON`, and exits with 1 where it is not known.",
	.options = options,
	.run = run,
};
