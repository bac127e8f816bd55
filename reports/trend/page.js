"use strict";
/* Search, filter, values under the pointer, weeks of folded series. The page is whole without. */
(() => {
	const NS = "http://www.w3.org/2000/svg", W = 600, H = 150;
	const $ = (q, e) => [...(e || document).querySelectorAll(q)];
	const make = (tag, more, text) => {
		const e = Object.assign(document.createElement(tag), more);
		if (text) e.textContent = text;
		return e;
	};
	const axes = JSON.parse((document.getElementById("axes") || {textContent: "[]"}).textContent);
	const types = $("section.type");

	/* ---- search and filter ---- */
	const tools = make("form", {className: "tools"});
	const find = make("input", {type: "search", placeholder: "Search figures, boards, jobs"});
	find.setAttribute("aria-label", "Search");
	const choose = (label, values) => {
		const s = make("select");
		s.setAttribute("aria-label", label);
		for (const [v, t] of values) s.append(make("option", {value: v}, t));
		tools.append(s);
		s.addEventListener("change", apply);
		return s;
	};
	const named = (all, list) => [["", all], ...[...new Set(list)].sort().map(x => [x, x])];
	tools.append(find);
	const type = choose("Board type", named("All board types", types.map(e => e.dataset.type)));
	const area = choose("Area", named("All areas", $("section.area").map(e => e.dataset.area)));
	const state = choose("State", [["", "All series"], ["worse", "Worse"], ["better", "Better"], ["moved", "Moved"], ["steady", "Steady"]]);
	const told = make("output");
	tools.append(told);
	tools.addEventListener("submit", e => e.preventDefault());

	let items = null;
	const collect = () => items || (items = types.map(t => ({
		e: t, areas: $("section.area", t).map(a => ({
			e: a, quiet: $("details.quiet", a)[0],
			series: $("figure, .rows tbody tr", a).map(e => ({
				e, state: e.className || "steady",
				text: (e.tagName === "TR" ? e.cells[0].textContent + " " + e.cells[1].textContent
					: e.firstElementChild.textContent).toLowerCase()
			}))
		}))
	})));
	function apply() {
		const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
		const on = words.length || type.value || area.value || state.value;
		let n = 0;
		for (const t of collect()) {
			let inType = 0;
			for (const a of t.areas) {
				let inArea = 0, inQuiet = 0;
				const out = (type.value && t.e.dataset.type !== type.value) || (area.value && a.e.dataset.area !== area.value);
				for (const s of a.series) {
					const show = !out && (!state.value || s.state === state.value) && words.every(w => s.text.includes(w));
					s.e.hidden = !show;
					if (show) { inArea++; if (s.state === "steady") inQuiet++; }
				}
				a.e.hidden = !inArea;
				if (a.quiet) {
					a.quiet.hidden = !inQuiet;
					if (words.length || state.value === "steady") a.quiet.open = inQuiet > 0 && inQuiet < 200;
				}
				inType += inArea;
			}
			t.e.hidden = !inType;
			n += inType;
		}
		told.textContent = on ? n + " series" : "";
	}
	let wait;
	find.addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(apply, 150); });
	if (types.length) types[0].before(tools);

	/* ---- weeks of series that are told in a row ---- */
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const draw = cell => {
		const svg = document.createElementNS(NS, "svg"), d = cell.dataset.w;
		const upper = [], lower = [], middle = [];
		let weeks = 0;
		for (let i = 0; i < d.length; weeks++) {
			if (d[i] === ".") { i++; continue; }
			const y = k => 66 - digits.indexOf(d[i + k]);
			lower.unshift(weeks + " " + y(0));
			middle.push(weeks + " " + y(1));
			upper.push(weeks + " " + y(2));
			i += 3;
		}
		svg.setAttribute("viewBox", "0 0 " + Math.max(weeks - 1, 1) + " 69");
		svg.setAttribute("preserveAspectRatio", "none");
		svg.setAttribute("fill", "none");
		svg.setAttribute("stroke", "currentColor");
		svg.setAttribute("aria-hidden", "true");
		const path = (c, points) => {
			const p = document.createElementNS(NS, "path");
			p.setAttribute("class", c);
			p.setAttribute("d", "M" + points.join("L"));
			svg.append(p);
			return p;
		};
		const band = path("a", upper.concat(lower));
		band.setAttribute("fill", "currentColor");
		band.setAttribute("fill-opacity", ".2");
		band.setAttribute("stroke", "none");
		path("p", middle);
		cell.textContent = "";
		cell.append(svg);
		delete cell.dataset.w;
	};
	const seen = new IntersectionObserver(list => {
		for (const i of list)
			if (i.isIntersecting) {
				seen.unobserve(i.target);
				draw(i.target);
			}
	}, {rootMargin: "300px"});
	for (const q of $("details.quiet")) {
		const watch = () => { for (const c of $("[data-w]", q)) seen.observe(c); };
		if (q.open) watch();
		else q.addEventListener("toggle", watch, {once: true});
	}

	/* ---- values under the pointer ---- */
	const tip = make("div", {className: "tip", hidden: true});
	tip.setAttribute("role", "status");
	document.body.append(tip);
	const points = svg => {
		if (svg.points) return svg.points;
		const n = svg.querySelector(".p").getAttribute("d").match(/-?\d+/g).map(Number);
		const list = [[n[0], n[1]]];
		for (let i = 2; i + 1 < n.length; i += 2)
			list.push([list[list.length - 1][0] + n[i], list[list.length - 1][1] + n[i + 1]]);
		return svg.points = list;
	};
	const words = (svg, i) => {
		const figure = svg.closest("figure"), rows = $("tbody tr", figure);
		if (!svg.dataset.low) {
			const c = [...rows[i].cells].map(x => x.textContent);
			const unit = $("thead th", figure)[3].textContent;
			return [c[1] + ", " + c[2] + ", " + c[0], c[3] + " " + unit + (c[4] ? " (" + c[4] + " to " + c[5] + ")" : "")];
		}
		const low = +svg.dataset.low, high = +svg.dataset.high;
		const value = "about " + (high - points(svg)[i][1] / H * (high - low)).toPrecision(3) +
			figure.querySelector("strong").textContent.replace(/^[^ ]*/, "");
		const run = svg.dataset.axis ? axes[svg.dataset.axis][i] : null;
		return run ? [(run[2] || "no build") + ", run " + run[0] + ", " + run[1], value] : ["median of the week", value];
	};
	const show = (svg, i) => {
		const box = svg.getBoundingClientRect(), p = points(svg)[i];
		let mark = svg.querySelector(".at");
		if (!mark) {
			mark = document.createElementNS(NS, "path");
			mark.setAttribute("class", "at");
			svg.append(mark);
		}
		mark.setAttribute("d", "M" + p[0] + " 0V" + H);
		svg.at = i;
		tip.replaceChildren(...words(svg, i).map(t => make("div", {}, t)));
		tip.hidden = false;
		const x = box.left + p[0] / W * box.width;
		tip.style.left = Math.max(4, Math.min(x + 10, innerWidth - tip.offsetWidth - 4)) + "px";
		tip.style.top = Math.max(4, box.top - tip.offsetHeight - 4) + "px";
	};
	const hide = svg => {
		tip.hidden = true;
		const mark = svg.querySelector(".at");
		if (mark) mark.remove();
	};
	const nearest = (svg, x) => points(svg).reduce((best, p, i, all) => Math.abs(p[0] - x) < Math.abs(all[best][0] - x) ? i : best, 0);
	const chart = e => e.target.closest && e.target.closest("figure svg");
	document.addEventListener("pointermove", e => {
		const svg = chart(e);
		if (!svg) return;
		const box = svg.getBoundingClientRect();
		show(svg, nearest(svg, (e.clientX - box.left) / box.width * W));
	});
	document.addEventListener("pointerout", e => { const svg = chart(e); if (svg && !svg.contains(e.relatedTarget)) hide(svg); });
	document.addEventListener("focusin", e => { const svg = chart(e); if (svg && svg.matches(":focus-visible")) show(svg, points(svg).length - 1); });
	document.addEventListener("focusout", e => { const svg = chart(e); if (svg) hide(svg); });
	document.addEventListener("keydown", e => {
		const svg = chart(e), step = {ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9}[e.key];
		if (!svg || !step) return;
		e.preventDefault();
		show(svg, Math.max(0, Math.min(points(svg).length - 1, (svg.at === undefined ? points(svg).length - 1 : svg.at) + step)));
	});

	/* A link into what is folded opens it. */
	const open = () => {
		const e = location.hash && document.getElementById(location.hash.slice(1));
		for (let d = e && e.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
		if (e) e.scrollIntoView();
	};
	addEventListener("hashchange", open);
	if (location.hash) open();
})();
