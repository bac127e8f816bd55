/* SPDX-License-Identifier: MIT */
/*
 * An Ethernet port as ethtool sees it: driver, link modes, features, interrupt pacing, VLAN, MTU.
 * Throughput is iperf's affair. Invariant: what is changed is put back, and nothing is changed that
 * would cut the link.
 */
#include "test.h"

#include "net.h"

#include <net/if.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/ethtool.h>
#include <linux/sockios.h>

#define MODE_WORDS 32 /* of 32 bits: the kernel has four of them (6.1) */
#define FEATURES   128

struct port {
	const char *name;
	int fd;
};

static int ask(const struct port *p, void *data)
{
	struct ifreq r = {0};

	snprintf(r.ifr_name, sizeof r.ifr_name, "%s", p->name);
	r.ifr_data = data;
	return ioctl(p->fd, SIOCETHTOOL, &r);
}

static void test_driver(const struct port *p)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
	struct ethtool_value link = {.cmd = ETHTOOL_GLINK};

	if (ask(p, &info) < 0) {
		test_refused("driver", "ETHTOOL_GDRVINFO", errno);
	} else {
		printf("# driver '%.32s', bus '%.32s'\n", info.driver, info.bus_info);
		test_check(*info.driver, "driver", "it has no name");
	}
	if (ask(p, &link) < 0)
		test_refused("link", "ETHTOOL_GLINK", errno);
	else if (link.data)
		test_pass("link");
	else
		test_skip("link", "no cable, or its other end is off");
}

/* The kernel tells how many words it has when it is asked with a wrong number (ethtool.h). */
static void test_modes(const struct port *p)
{
	struct {
		struct ethtool_link_settings s;
		uint32_t words[3 * MODE_WORDS];
	} r = {.s = {.cmd = ETHTOOL_GLINKSETTINGS}};
	unsigned modes = 0;

	if (ask(p, &r) < 0) {
		test_refused("link-modes", "ETHTOOL_GLINKSETTINGS", errno);
		return;
	}
	r.s.link_mode_masks_nwords = (int8_t)-r.s.link_mode_masks_nwords;
	if (r.s.link_mode_masks_nwords <= 0 || r.s.link_mode_masks_nwords > MODE_WORDS ||
		ask(p, &r) < 0) {
		test_fail("link-modes", "ETHTOOL_GLINKSETTINGS: %s", strerror(errno));
		return;
	}
	for (int i = 0; i < r.s.link_mode_masks_nwords; i++)
		modes += (unsigned)__builtin_popcount(r.words[i]);
	if (modes)
		test_pass("link-modes");
	else
		test_skip("link-modes", "the driver tells none (a virtual link)");
	if (modes)
		test_metric("ethernet.link_modes", modes, "count", "port=%s", p->name);
	if (r.s.speed != (uint32_t)SPEED_UNKNOWN && r.s.speed)
		test_metric("ethernet.link_speed", r.s.speed, "Mbit/s", "port=%s", p->name);
}

/* One that may be changed is, and is put back: checksums of what is received cut no link. */
static void test_features(const struct port *p)
{
	struct {
		struct ethtool_gfeatures head;
		struct ethtool_get_features_block block[FEATURES / 32];
	} r = {.head = {.cmd = ETHTOOL_GFEATURES, .size = FEATURES / 32}};
	struct ethtool_value rx = {.cmd = ETHTOOL_GRXCSUM}, other;
	unsigned active = 0;

	if (ask(p, &r) < 0) {
		test_refused("features", "ETHTOOL_GFEATURES", errno);
		return;
	}
	for (uint32_t i = 0; i < r.head.size && i < FEATURES / 32; i++)
		active += (unsigned)__builtin_popcount(r.block[i].active);
	test_pass("features");
	test_metric("ethernet.features", active, "count", "port=%s", p->name);
	if (ask(p, &rx) < 0) {
		test_refused("rx-checksum", "ETHTOOL_GRXCSUM", errno);
		return;
	}
	other = (struct ethtool_value){.cmd = ETHTOOL_SRXCSUM, .data = !rx.data};
	if (ask(p, &other) < 0) {
		test_skip("rx-checksum", "the driver does not change it: %s", strerror(errno));
		return;
	}
	other.cmd = ETHTOOL_GRXCSUM;
	ask(p, &other);
	test_check(!other.data == !!rx.data, "rx-checksum", "it was changed and reads as before");
	rx.cmd = ETHTOOL_SRXCSUM;
	if (ask(p, &rx) < 0)
		test_error("put-back", "ETHTOOL_SRXCSUM: %s", strerror(errno));
}

/* Interrupt pacing: the gap between two interrupts of received packets. */
static void test_pacing(const struct port *p)
{
	struct ethtool_coalesce was = {.cmd = ETHTOOL_GCOALESCE}, set, got = was;
	uint32_t want = (uint32_t)option_number("pacing");

	if (ask(p, &was) < 0) {
		test_refused("pacing", "ETHTOOL_GCOALESCE (interrupt pacing)", errno);
		return;
	}
	test_metric("ethernet.rx_usecs", was.rx_coalesce_usecs, "us", "port=%s", p->name);
	set = was;
	set.cmd = ETHTOOL_SCOALESCE;
	set.rx_coalesce_usecs = want;
	if (ask(p, &set) < 0) {
		if (errno == EINVAL || errno == EOPNOTSUPP)
			test_skip("pacing", "the driver does not take %u us", want);
		else
			test_refused("pacing", "ETHTOOL_SCOALESCE", errno);
		return;
	}
	ask(p, &got);
	test_check(got.rx_coalesce_usecs > 0, "pacing", "set to %u us, reads 0", want);
	was.cmd = ETHTOOL_SCOALESCE;
	if (ask(p, &was) < 0)
		test_error("put-back", "ETHTOOL_SCOALESCE: %s", strerror(errno));
}

static void test_vlan(const struct port *p)
{
	const char *name = "hilvlan";
	char path[TEST_PATH_BYTES];
	FILE *f;
	char line[128];
	bool tagged = false;
	int id = (int)option_number("vlan");

	net_delete(name);
	if (net_add_vlan(name, p->name, id) < 0) {
		if (errno == EOPNOTSUPP)
			test_skip("vlan", "the kernel has no 802.1Q");
		else
			test_refused("vlan", "a VLAN", errno);
		return;
	}
	path_make(path, "/proc/net/vlan/%s", name);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f)) {
		const char *vid = strstr(line, "VID: ");

		tagged |= vid && atoi(vid + 5) == id;
	}
	if (f)
		fclose(f);
	if (test_check(tagged, "vlan", "'%s' does not tell VLAN %d", path, id))
		test_check(net_up(name, true) == 0, "vlan-up", "%s", strerror(errno));
	net_delete(name);
}

static void test_mtu(const struct port *p)
{
	struct ifreq r = {0};
	int was, set = (int)option_number("mtu");

	snprintf(r.ifr_name, sizeof r.ifr_name, "%s", p->name);
	if (ioctl(p->fd, SIOCGIFMTU, &r) < 0) {
		test_refused("mtu", "SIOCGIFMTU", errno);
		return;
	}
	was = r.ifr_mtu;
	r.ifr_mtu = set;
	if (ioctl(p->fd, SIOCSIFMTU, &r) < 0) {
		test_skip("mtu", "the driver does not take %d: %s", set, strerror(errno));
		return;
	}
	ioctl(p->fd, SIOCGIFMTU, &r);
	test_check(r.ifr_mtu == set, "mtu", "set to %d, reads %d", set, r.ifr_mtu);
	r.ifr_mtu = was;
	if (ioctl(p->fd, SIOCSIFMTU, &r) < 0)
		test_error("put-back", "SIOCSIFMTU: %s", strerror(errno));
}

static void run(void)
{
	struct port p = {
		.name = option("device"), .fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};

	if (p.fd < 0) {
		test_skip("interface", "no socket: %s", strerror(errno));
		return;
	}
	if (!net_index(p.name)) {
		test_skip("interface", "no interface '%s'", p.name);
	} else {
		test_pass("interface");
		test_driver(&p);
		test_modes(&p);
		test_features(&p);
		test_pacing(&p);
		test_vlan(&p);
		test_mtu(&p);
	}
	close(p.fd);
}

const struct driver_test test_ethernet = {
	.name = "ethernet",
	.what = "Ethernet port: driver, link modes, features, interrupt pacing, VLAN, MTU",
	.needs = "a network interface",
	.options = {{"device", "eth0", "the interface"},
		{"pacing", "500", "microseconds between two interrupts"},
		{"vlan", "100", "VLAN that is made and removed"},
		{"mtu", "1400", "MTU that is set"}, {0}},
	.run = run,
};
