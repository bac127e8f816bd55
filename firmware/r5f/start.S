/* SPDX-License-Identifier: MIT */
/*
 * Where the cores begin: vectors, stacks, cycle counter, floating point. With ROM defined the
 * counter starts at zero; a firmware finds it running. Core 1 begins at start_1.
 */
	.syntax unified
	.arm
	.section .vectors, "ax"
	.global _vectors
_vectors:
	ldr pc, =_start
	ldr pc, =fault_1
	ldr pc, =fault_2
	ldr pc, =fault_3
	ldr pc, =fault_4
	nop
	ldr pc, =fault_6
	ldr pc, =fault_7
	.ltorg

	.text
	.global _start
_start:
	ldr sp, =_stack_top
	bl prepare
	ldr r0, =_bss_start
	ldr r1, =_bss_end
	mov r2, #0
1:	cmp r0, r1
	strlo r2, [r0], #4
	blo 1b
	ldr r0, =main
	blx r0
stop:	wfi
	b stop

	.global start_1
start_1:
	ldr sp, =_stack_1_top
	bl prepare
	ldr r0, =main_1
	blx r0
	b stop

/* CPACR: all of cp10 and cp11; FPEXC.EN; PMCR: on, without the divider. */
prepare:
	mrc p15, 0, r0, c1, c0, 2
	orr r0, r0, #(0xf << 20)
	mcr p15, 0, r0, c1, c0, 2
	isb
	mov r0, #0x40000000
	vmsr fpexc, r0
	mrc p15, 0, r0, c9, c12, 0
#ifdef ROM
	orr r0, r0, #4
#endif
	orr r0, r0, #1
	bic r0, r0, #8
	mcr p15, 0, r0, c9, c12, 0
	mov r0, #0x80000000
	mcr p15, 0, r0, c9, c12, 1
	bx lr

	.macro fault n
fault_\n:
	ldr sp, =_stack_top
	mov r1, lr
	mov r0, #\n
	ldr r2, =fault
	blx r2
	b stop
	.endm
	fault 1
	fault 2
	fault 3
	fault 4
	fault 6
	fault 7

#ifdef ROM
/*
 * What stands for the chip's management core: QEMU starts its first A53 here, at EL3. It makes the
 * lower levels 32-bit (SCR_EL3.RW), as the R5 is, releases R5 core 0 at the ROM through QEMU's PSCI
 * (CPU_ON 0x84000003) and waits for ever. A64 code, as words.
 */
	.section .a53, "ax"
	.word 0xD53E1100 /* mrs  x0, scr_el3 */
	.word 0x9275F800 /* bic  x0, x0, #0x400 */
	.word 0xD51E1100 /* msr  scr_el3, x0 */
	.word 0xD5033FDF /* isb */
	.word 0x52800060 /* mov  w0, #3 */
	.word 0x72B08000 /* movk w0, #0x8400, lsl #16 */
	.word 0xD2800081 /* mov  x1, #4 */
	.word 0x52BFFF82 /* mov  w2, #0xFFFC0000 */
	.word 0xD2800003 /* mov  x3, #0 */
	.word 0xD4000003 /* smc  #0 */
	.word 0xD503207F /* wfi */
	.word 0x17FFFFFF /* b    the wfi */
#endif
