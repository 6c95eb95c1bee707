/* SPDX-License-Identifier: BSD-2-Clause */
/* Indexes in the user's cache, of which those that were used longest ago go */
#ifndef SOFTPT_TOOL_FLOW_ROOM_H
#define SOFTPT_TOOL_FLOW_ROOM_H

#define INDEXES_MAX	(256 << 20)	/* bytes of all together */

/* An index of this name was used now. */
void room_used(const char *path);
/* Remove those that have no room beside the ones that were used later. Other files stay. */
void room_keep(const char *folder);

#endif /* SOFTPT_TOOL_FLOW_ROOM_H */
