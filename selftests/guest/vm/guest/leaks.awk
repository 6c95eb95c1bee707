# SPDX-License-Identifier: GPL-2.0-only
# Reads what kmemleak has found; replaces what the kernel is known to lose by itself by one line, "kmemleak elsewhere: ...".
#
# That is one thing. When rb_alloc_aux() gets no page for a perf event's AUX area, __rb_free_aux() does not free the array of
# pages, for there is none in it (6.1, 6.12): an array of zeros.

function flush() {
	if (array && empty)
		print "kmemleak elsewhere: rb_alloc_aux"
	else
		printf "%s", object
	object = ""
	array = 0
	empty = 1
}

/^unreferenced object/ { flush() }
{ object = object $0 "\n" }
/^    [0-9a-f][0-9a-f] / && !/^    (00 )+ / { empty = 0 }
/\] rb_alloc_aux\+/ && before ~ /\] _*k[a-z_]*alloc[a-z_]*\+/ { array = 1 }
{ before = $0 }
END { flush() }
