/* SPDX-License-Identifier: MIT */
/*
 * Requests to rtnetlink. Invariant: one socket a request, which asks for an acknowledgement and
 * returns what the kernel answers.
 */
#include "test.h"

#include "net.h"

#include <net/if.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/can/netlink.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#define REQUEST_BYTES 1024
#define ANSWER_BYTES  16384
#define ANSWER_S      5

struct request {
	struct nlmsghdr head;
	struct ifinfomsg link;
	char attributes[REQUEST_BYTES];
};

unsigned net_index(const char *name)
{
	return if_nametoindex(name);
}

static struct request begin(uint16_t type, uint16_t flags)
{
	return (struct request){
		.head = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)),
			.nlmsg_type = type,
			.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags)},
		.link = {.ifi_family = AF_UNSPEC},
	};
}

static struct rtattr *put(struct request *r, uint16_t type, const void *value, size_t n)
{
	struct rtattr *a = (struct rtattr *)((char *)r + NLMSG_ALIGN(r->head.nlmsg_len));

	a->rta_type = type;
	a->rta_len = (uint16_t)RTA_LENGTH(n);
	if (n)
		memcpy(RTA_DATA(a), value, n);
	r->head.nlmsg_len = NLMSG_ALIGN(r->head.nlmsg_len) + RTA_ALIGN(a->rta_len);
	return a;
}

static void end(struct request *r, struct rtattr *nest)
{
	nest->rta_len = (uint16_t)((char *)r + r->head.nlmsg_len - (char *)nest);
}

/* The answer: an acknowledgement, or a message that is copied to answer. */
static int ask(struct request *r, void *answer, size_t size)
{
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	struct timeval limit = {.tv_sec = ANSWER_S};
	static char bytes[ANSWER_BYTES] __attribute__((aligned(8)));
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), sys = EBADMSG;
	const struct nlmsghdr *h = (const void *)bytes;
	ssize_t n;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
	if (sendto(fd, r, r->head.nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0) {
		sys = errno;
	} else {
		n = recv(fd, bytes, sizeof bytes, 0);
		if (n < 0)
			sys = errno;
		else if (NLMSG_OK(h, (size_t)n) && h->nlmsg_type == NLMSG_ERROR)
			sys = -((const struct nlmsgerr *)NLMSG_DATA(h))->error;
		else if (NLMSG_OK(h, (size_t)n) && answer) {
			memcpy(answer, bytes, (size_t)n < size ? (size_t)n : size);
			sys = 0;
		}
	}
	close(fd);
	errno = sys;
	return sys ? -1 : 0;
}

int net_up(const char *name, bool up)
{
	struct request r = begin(RTM_NEWLINK, 0);

	r.link.ifi_index = (int)net_index(name);
	r.link.ifi_change = IFF_UP;
	r.link.ifi_flags = up ? IFF_UP : 0;
	if (!r.link.ifi_index) {
		errno = ENODEV;
		return -1;
	}
	return ask(&r, NULL, 0);
}

int net_delete(const char *name)
{
	struct request r = begin(RTM_DELLINK, 0);

	r.link.ifi_index = (int)net_index(name);
	return r.link.ifi_index ? ask(&r, NULL, 0) : 0;
}

int net_add(const char *name, const char *kind)
{
	struct request r = begin(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	struct rtattr *info;

	put(&r, IFLA_IFNAME, name, strlen(name) + 1);
	info = put(&r, IFLA_LINKINFO, NULL, 0);
	put(&r, IFLA_INFO_KIND, kind, strlen(kind));
	end(&r, info);
	return ask(&r, NULL, 0);
}

int net_add_vlan(const char *name, const char *under, int id)
{
	struct request r = begin(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	uint32_t index = net_index(under);
	uint16_t vlan = (uint16_t)id;
	struct rtattr *info, *data;

	put(&r, IFLA_LINK, &index, sizeof index);
	put(&r, IFLA_IFNAME, name, strlen(name) + 1);
	info = put(&r, IFLA_LINKINFO, NULL, 0);
	put(&r, IFLA_INFO_KIND, "vlan", 4);
	data = put(&r, IFLA_INFO_DATA, NULL, 0);
	put(&r, IFLA_VLAN_ID, &vlan, sizeof vlan);
	end(&r, data);
	end(&r, info);
	return ask(&r, NULL, 0);
}

int net_can(const char *name, uint32_t bitrate, enum net_loopback loopback)
{
	struct request r = begin(RTM_NEWLINK, 0);
	struct can_bittiming timing = {.bitrate = bitrate};
	struct can_ctrlmode mode = {.mask = CAN_CTRLMODE_LOOPBACK,
		.flags = loopback == NET_CAN_LOOPBACK ? CAN_CTRLMODE_LOOPBACK : 0};
	struct rtattr *info, *data;

	r.link.ifi_index = (int)net_index(name);
	info = put(&r, IFLA_LINKINFO, NULL, 0);
	put(&r, IFLA_INFO_KIND, "can", 3);
	data = put(&r, IFLA_INFO_DATA, NULL, 0);
	put(&r, IFLA_CAN_BITTIMING, &timing, sizeof timing);
	if (loopback != NET_CAN_ANY)
		put(&r, IFLA_CAN_CTRLMODE, &mode, sizeof mode);
	end(&r, data);
	end(&r, info);
	return ask(&r, NULL, 0);
}

static const struct rtattr *find(const void *at, size_t n, uint16_t type)
{
	const struct rtattr *a;

	for (a = at; RTA_OK(a, n); a = RTA_NEXT(a, n))
		if ((a->rta_type & NLA_TYPE_MASK) == type)
			return a;
	return NULL;
}

uint32_t net_can_bitrate(const char *name)
{
	static char bytes[ANSWER_BYTES] __attribute__((aligned(8)));
	struct request r = begin(RTM_GETLINK, 0);
	const struct nlmsghdr *h = (const void *)bytes;
	const struct can_bittiming *timing;
	const struct rtattr *a;

	r.head.nlmsg_flags = NLM_F_REQUEST;
	r.link.ifi_index = (int)net_index(name);
	if (ask(&r, bytes, sizeof bytes) < 0)
		return 0;
	a = find((const char *)NLMSG_DATA(h) + NLMSG_ALIGN(sizeof(struct ifinfomsg)),
		NLMSG_PAYLOAD(h, sizeof(struct ifinfomsg)), IFLA_LINKINFO);
	a = a ? find(RTA_DATA(a), RTA_PAYLOAD(a), IFLA_INFO_DATA) : NULL;
	a = a ? find(RTA_DATA(a), RTA_PAYLOAD(a), IFLA_CAN_BITTIMING) : NULL;
	if (!a || RTA_PAYLOAD(a) < sizeof *timing)
		return 0;
	timing = RTA_DATA(a);
	return timing->bitrate;
}
