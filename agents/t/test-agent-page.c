/* SPDX-License-Identifier: MIT */
#include "agents/agent.h"
#include "io/t/page.h"

int main(void)
{
	page_has_rows("agents/doc/hilab-agent.5", agent_params, "an agent");
	return tap_done();
}
