// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "lines.h"
#include "tree.h"

/* A node whose turn comes: the last that was put is the first that is taken. */
struct turn {
	const struct report_link *link;
	size_t parent;
	unsigned int depth;
	bool hidden;		/* what is above it is not printed either */
};

struct tree {
	const struct view *view;
	struct links links;
	struct turn *turn;
	size_t turns;
	size_t printed;
};

/* There is room: each node has one turn. */
static void put_turns(struct tree *tree, uint32_t from, const struct turn *below)
{
	size_t begin, end;

	begin = links_of(&tree->links, false, from, &end);
	while (end-- > begin) {
		tree->turn[tree->turns] = *below;
		tree->turn[tree->turns++].link = tree->links.link[end];
	}
}

static bool is_begun(const struct tree *tree, const struct turn *turn)
{
	const struct view *v = tree->view;

	return turn->parent || lines_match(v, report_group(v->report, turn->link->group));
}

static void take_turn(struct tree *tree, tree_fn fn, void *context, struct tree_rest *rest)
{
	const struct turn turn = tree->turn[--tree->turns];
	const struct view *v = tree->view;
	const uint32_t number = turn.link - report_link(v->report, 0);
	struct turn below = turn;

	if (is_begun(tree, &turn)) {
		below.hidden |= view_share(v, turn.link->total) < v->percent ||
				tree->printed >= v->limit;
		if (below.hidden) {
			below.parent = turn.parent ? turn.parent : SIZE_MAX;
			rest->nodes++;
		} else {
			below.parent = ++tree->printed;
			below.depth = turn.depth + 1;
			fn(context, &(struct tree_node){
				.link = turn.link, .node = tree->printed, .parent = turn.parent,
				.depth = turn.depth,
			});
		}
	}
	put_turns(tree, number, &below);
}

int tree_walk(const struct view *v, tree_fn fn, void *context, struct tree_rest *rest)
{
	struct tree tree = { .view = v };
	int err;

	*rest = (struct tree_rest){ 0 };
	err = links_sort(v, false, &tree.links);
	tree.turn = calloc(tree.links.n + 1, sizeof(*tree.turn));
	if (!tree.turn)
		err = -ENOMEM;
	if (!err)
		put_turns(&tree, REPORT_ROOT, &(struct turn){ 0 });
	while (!err && tree.turns)
		take_turn(&tree, fn, context, rest);
	free(tree.turn);
	links_done(&tree.links);
	return err;
}
