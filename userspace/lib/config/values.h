/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt_set_KEY() and softpt_print_KEY() for each SOFTPT_PARAM_TEXTS row */
#ifndef SOFTPT_LIB_VALUES_H
#define SOFTPT_LIB_VALUES_H

#include <softpt/params.h>
#include <softpt/softpt.h>

/* Bytes that any value fits as text, four ranges included */
#define SOFTPT_VALUE_MAX	256

#define TEXT(key, values, def, what) \
	bool softpt_set_##key(struct softpt_config *cfg, const char *value); \
	void softpt_print_##key(const struct softpt_config *cfg, char *buf);
SOFTPT_PARAM_TEXTS(TEXT)
#undef TEXT

/* Say in @why, of @len bytes, what is wrong. Return: -EINVAL */
int softpt_refuse(char *why, size_t len, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* SOFTPT_LIB_VALUES_H */
