/* SPDX-License-Identifier: MIT */
#ifndef DRIVERS_NET_H
#define DRIVERS_NET_H

/* Network interfaces through rtnetlink (rtnetlink(7)). All return 0, or -1 with errno. */
#include <stdbool.h>
#include <stdint.h>

unsigned net_index(const char *name); /* 0: there is none */
int net_up(const char *name, bool up);
int net_add(const char *name, const char *kind); /* "vcan", "dummy" */
int net_add_vlan(const char *name, const char *under, int id);
int net_delete(const char *name);

/* Of a CAN controller that is down. */
enum net_loopback { NET_CAN_ANY, NET_CAN_BUS, NET_CAN_LOOPBACK }; /* ANY: as it is */
int net_can(const char *name, uint32_t bitrate, enum net_loopback loopback);
/* What the controller made of it; 0: it has no bit timing (vcan). */
uint32_t net_can_bitrate(const char *name);

#endif
