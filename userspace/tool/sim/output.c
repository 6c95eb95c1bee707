// SPDX-License-Identifier: BSD-2-Clause
#include "output.h"

#include <errno.h>
#include <string.h>

#include "../cli/tool.h"
#include "sim/sim.h"

int output_open(struct output *o)
{
	if (!o->path)
		return 0;
	o->file = strcmp(o->path, "-") ? fopen(o->path, "wb") : stdout;
	return o->file ? 0 : refuse(o->path, "%s", strerror(errno));
}

int output_close(struct output *o)
{
	int err;

	if (!o->file || o->file == stdout)
		return 0;
	err = o->err || !ferror(o->file) ? o->err : EIO;
	if (fclose(o->file) && !err)
		err = errno;
	return err ? refuse(o->path, "%s", strerror(err)) : 0;
}

int output_failed(struct output *o, int err)
{
	o->err = err ? err : EIO;
	return SIM_REFUSED;
}
