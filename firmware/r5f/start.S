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
 * lower levels 32-bit (SCR_EL3.RW), as the R5 is, and releases R5 core 0 through QEMU's PSCI
 * (CPU_ON 0x84000003) at what the word 0xffffff10 says, the ROM at first; and again whenever the
 * console's interrupt (UART0, 53) wakes it, which does nothing unless the core has switched itself
 * off to sleep (sleep.c). Addresses of the GIC-400: Xilinx UG1085. A64 code, as words.
 */
	.section .a53, "ax"
	.word 0xD53E1100 /* mrs  x0, scr_el3 */
	.word 0x9275F800 /* bic  x0, x0, #0x400 */
	.word 0xD51E1100 /* msr  scr_el3, x0 */
	.word 0xD5033FDF /* isb */
	.word 0x52BFFFE5 /* mov  w5, #0xffff0000 */
	.word 0x729FE005 /* movk w5, #0xff00 */
	.word 0x52BFFF80 /* mov  w0, #0xfffc0000 */
	.word 0xB90010A0 /* str  w0, [x5, #16]       where core 0 begins */
	.word 0x52BF2020 /* mov  w0, #0xf9010000     the distributor */
	.word 0x52800021 /* mov  w1, #1 */
	.word 0xB9000001 /* str  w1, [x0]            on */
	.word 0x52A00402 /* mov  w2, #0x200000 */
	.word 0xB9010402 /* str  w2, [x0, #0x104]    interrupt 53 on */
	.word 0x3920D401 /* strb w1, [x0, #0x835]    to this core */
	.word 0x52BF2040 /* mov  w0, #0xf9020000     the core's interface */
	.word 0x52801FE2 /* mov  w2, #0xff */
	.word 0xB9000402 /* str  w2, [x0, #4]        of any priority */
	.word 0xB9000001 /* str  w1, [x0]            on */
	.word 0x52800060 /* 1: mov w0, #3 */
	.word 0x72B08000 /* movk w0, #0x8400, lsl #16 */
	.word 0xD2800081 /* mov  x1, #4 */
	.word 0xB94010A2 /* ldr  w2, [x5, #16] */
	.word 0xD2800003 /* mov  x3, #0 */
	.word 0xD4000003 /* smc  #0 */
	.word 0xD503207F /* wfi                      also where interrupts are masked */
	.word 0x17FFFFF9 /* b    1b */
#else
/* Where core 0 goes on after its sleep. */
	.text
	.global resume
resume:
	ldr sp, =_stack_2_top
	bl prepare
	ldr r0, =board_awake
	blx r0
	b stop
#endif
