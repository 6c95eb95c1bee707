/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a call failed: the library fills it in, the caller says it */
#ifndef SOFTPT_BASE_ERROR_H
#define SOFTPT_BASE_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#define ERROR_TEXT	320	/* bytes of the longest text, and its end */

/**
 * struct error - why a call failed
 * @err: what the call returned: -errno, or minus one of enum softpt_error
 * @has_offset: @offset is known
 * @offset: where in the input, in bytes
 * @text: one line without a full stop, which does not name the input
 */
struct error {
	int err;
	bool has_offset;
	uint64_t offset;
	char text[ERROR_TEXT];
};

/**
 * error_set() - fill in why a call fails
 * @e: filled in; NULL where the caller does not want to know
 * @err: what the call is to return
 * @format: as printf() has it
 *
 * Return: @err.
 */
int error_set(struct error *e, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, with the place in the input */
int error_set_at(struct error *e, int err, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The same, with the C library's text of -@err */
int error_set_errno(struct error *e, int err);

/**
 * struct error_sink - who is told of errors: where work goes on behind them, or files are several
 * @tell: called with the name of the file and why; @err 0 of it: a note, nothing failed
 * @ctx: for @tell
 */
struct error_sink {
	void (*tell)(void *ctx, const char *file, const struct error *e);
	void *ctx;
};

/**
 * error_tell() - tell why a call fails
 * @to: who is told; NULL: nobody
 * @file: what it is about
 * @err: what the call is to return; 0: a note
 * @format: as printf() has it
 *
 * Return: @err.
 */
int error_tell(const struct error_sink *to, const char *file, int err, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The same, with the place in the file */
int error_tell_at(const struct error_sink *to, const char *file, int err, uint64_t offset,
		  const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The same, with the C library's text of -@err */
int error_tell_errno(const struct error_sink *to, const char *file, int err);

/* What a call has filled in. Return: its @err */
int error_pass(const struct error_sink *to, const char *file, const struct error *e);

#endif /* SOFTPT_BASE_ERROR_H */
