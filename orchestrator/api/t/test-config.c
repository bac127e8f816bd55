/* SPDX-License-Identifier: MIT */
/* hilab-server(5) against the rows of server.yaml. */
#include "api/server.h"
#include "base/t/tap.h"
#include "io/t/page.h"

int main(void)
{
	page_has_rows("orchestrator/api/doc/hilab-server.5", server_params, "the configuration");
	page_has_rows("orchestrator/api/doc/hilab-server.5", server_health_params, "a check");
	return tap_done();
}
