// SPDX-License-Identifier: BSD-2-Clause
/*
 * What libFuzzer does with files as arguments, for any compiler: gives each to the target. A name
 * is printed before its turn, so that the last of them is the culprit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "fuzz.h"

/* On the heap and no longer than it is, so that a sanitizer sees its end */
static uint8_t *load(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	struct stat st;

	if (file && !fstat(fileno(file), &st)) {
		*size = st.st_size;
		data = malloc(*size + !*size);
	}
	if (data && fread(data, 1, *size, file) != *size) {
		free(data);
		data = NULL;
	}
	if (file)
		fclose(file);
	return data;
}

int main(int argc, char **argv)
{
	uint8_t *data;
	size_t size;
	int i;

	for (i = 1; i < argc; i++) {
		fprintf(stderr, "Running: %s\n", argv[i]);
		data = load(argv[i], &size);
		if (!data) {
			perror(argv[i]);
			return 1;
		}
		LLVMFuzzerTestOneInput(data, size);
		free(data);
	}
	printf("%d\n", argc - 1);
	return 0;
}
