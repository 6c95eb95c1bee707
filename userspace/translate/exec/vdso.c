// SPDX-License-Identifier: BSD-2-Clause
/*
 * The kernel maps the vdso high. It goes below 2 GB, where its code is translated like any other,
 * with the data that is in front of it.
 */
#include <linux/mman.h>

#include "../code/pages.h"
#include "../layout.h"
#include "../maps.h"
#include "../sys.h"
#include "vdso.h"

#define DATA_MAX	(1ul << 20)	/* in front of it */

/* The mappings that belong together */
struct vdso {
	struct mapping parts[8];
	u32 n;
};

static void take(const struct mapping *m, void *arg)
{
	struct vdso *v = arg;

	if (v->n && v->parts[v->n - 1].to != m->from)
		v->n = 0;
	if (v->n < ARRAY_LEN(v->parts) &&
	    (str_behind(m->name, "[vvar") || str_behind(m->name, "[vdso]")))
		v->parts[v->n++] = *m;
}

u64 vdso_move(u64 at)
{
	const long how = MREMAP_MAYMOVE | MREMAP_FIXED;
	struct vdso v = { .n = 0 };
	const struct mapping *m;
	u64 to = 0, len;

	maps_each(at - DATA_MAX, at + 1, take, &v);
	if (!v.n || v.parts[v.n - 1].from != at || at + PAGE - v.parts[0].from > XL_ZONE - XL_VDSO)
		return 0;
	for (m = v.parts; m < v.parts + v.n; m++) {
		to = XL_VDSO + (m->from - v.parts[0].from);
		len = m->to - m->from;
		if ((u64)sys(__NR_mremap, m->from, len, len, how, to) != to)
			return 0;
		pages_set(to, len, m->prot);
		pages_set_made(to, len, true);
	}
	return to;
}
