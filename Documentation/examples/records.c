// SPDX-License-Identifier: BSD-2-Clause
/* records FILE: what happened, by a raw trace, and between which times */
#include <softpt/decoder.h>

#include <errno.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	static unsigned char trace[1 << 20];
	struct softpt_decoder *d = softpt_decoder_new(NULL);
	const struct softpt_record *rec;
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	int err;

	if (!file || !d)
		return 2;
	softpt_decoder_set_buffer(d, trace, fread(trace, 1, sizeof(trace), file));
	while ((err = softpt_decoder_next(d, &rec)) != 0) {
		if (err == -ENOMEM)
			return 2;
		if (err < 0) {			/* damage: it goes on behind the next PSB */
			fprintf(stderr, "%s\n", softpt_strerror(err));
			continue;
		}
		printf("%s between %llu and %llu\n", softpt_record_kind_name(rec->kind),
		       (unsigned long long)rec->tsc_min, (unsigned long long)rec->tsc_max);
	}
	softpt_decoder_free(d);
	fclose(file);
	return 0;
}
