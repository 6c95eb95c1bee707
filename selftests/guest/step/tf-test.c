// SPDX-License-Identifier: BSD-2-Clause
/* Nothing of TF is seen by the program, wherever it looks, nor is left behind with it. */
#include "step.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_looks(void)
{
	char *const argv[] = { (char *)target_tf, NULL };
	struct softpt_config config = trace_config();
	struct trace plain, stepped;
	char *line, *at;

	trace_run(&plain, &config, argv, TRACE_OFF);
	trace_run(&stepped, &config, argv, 0);
	kit_ok(WEXITSTATUS(plain.wait_status) == 42, "it looks for TF untraced");
	kit_ok(stepped.wait_status == plain.wait_status, "and stepped (%#x)", stepped.wait_status);
	plain.out[plain.nout] = 0;
	stepped.out[stepped.nout] = 0;
	for (line = strtok_r(plain.out, "\n", &at); line; line = strtok_r(NULL, "\n", &at))
		kit_ok(strstr(stepped.out, line), "%s", line);
	kit_ok(!strstr(stepped.out, "TF 1"), "TF is nowhere");
	if (strstr(stepped.out, "TF 1"))
		kit_note("%s", strstr(stepped.out, "TF 1") - 60 > stepped.out ?
			 strstr(stepped.out, "TF 1") - 60 : stepped.out);
	trace_free(&plain);
	trace_free(&stepped);
}

/* The tracer goes between the PUSHF and the POPF. */
static void test_later(void)
{
	char *const argv[] = { (char *)target_tf, "later", NULL };
	struct softpt_config config = trace_config();
	struct trace_session s;
	int in[2], out[2], status = -1;
	char said[16] = "";
	pid_t pid;

	trace_open(&s, &config, 0);
	if (pipe(in) || pipe(out))
		kit_bail("no pipe");
	pid = fork();
	if (!pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		trace_exec(s.session, argv, 0);
	}
	close(out[1]);
	kit_ok(read(out[0], said, sizeof(said) - 1) > 0 && !strcmp(said, "pushed\n"),
	       "it has pushed its flags");
	trace_close(&s);
	kit_ok(write(in[1], "x", 1) == 1, "its tracer goes, and it loads them");
	waitpid(pid, &status, 0);
	kit_ok(WIFEXITED(status) && WEXITSTATUS(status) == 42, "it ends as ever (%#x)", status);
	close(in[0]);
	close(in[1]);
	close(out[0]);
}

void test_tf(void)
{
	test_looks();
	test_later();
}
