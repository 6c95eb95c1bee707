/* SPDX-License-Identifier: BSD-2-Clause */
/* A temporary file */
#ifndef SOFTPT_KIT_FILE_H
#define SOFTPT_KIT_FILE_H

#include <stddef.h>
#include <stdint.h>

struct file {
	int fd;
	uint8_t *buf;		/* file_load() */
	size_t len;
	char path[32];
};

void file_open(struct file *f);
/* The same, with something in it */
void file_of(struct file *f, const void *bytes, size_t len);
/* What is in the file now, on the heap, so that a sanitizer sees its end */
void file_load(struct file *f);
void file_close(struct file *f);

#endif
