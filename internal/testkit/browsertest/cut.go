package browsertest

import "github.com/chromedp/chromedp"

// cut finds numbers that are broken into lines, cut off by an element that hides what does not fit, or outside of their
// own element; and words of tables, and names of fields, that are broken inside. A dot or a slash may end a line. What
// scrolls may be wider than its box. It finds labels of cards that are wider than their cell, too.
const cut = `(() => {
	const found = [];
	const about = (what, text, of) => {
		if (found.length < 10) found.push(what + ": " + text + " in " + of.outerHTML.slice(0, 160));
	};
	const folded = [...document.querySelectorAll("details:not([open])")];
	folded.forEach(of => of.open = true);
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	const lines = range => new Set([...range.getClientRects()].filter(of => of.width > .5).map(of => Math.round(of.bottom / 4))).size;
	const paper = matchMedia("print").matches; // which can't scroll, so a word may be broken
	const partOf = (node, at, length) => {
		const range = document.createRange();
		range.setStart(node, at);
		range.setEnd(node, at + length);
		return range;
	};
	// unseen reports whether only screen readers see an element.
	const unseen = of => of && (getComputedStyle(of).clipPath !== "none" && of.getBoundingClientRect().width <= 1 || unseen(of.parentElement));
	for (let node; (node = texts.nextNode());) {
		const of = node.parentElement;
		if (!node.data.trim() || !of.checkVisibility() || of.closest("script, style, pre, option, title") || unseen(of)) continue;
		if (!paper && of.closest("td, th, li code, dt code")) {
			for (const word of node.data.matchAll(/[\p{L}\d_]{2,40}/gu))
				if (lines(partOf(node, word.index, word[0].length)) > 1) about("a word is broken", word[0], of);
		}
		for (const token of node.data.matchAll(/[^ \n\t]+/g)) {
			if (!/^[(]?[+−-]?\d[\d.,:]*(\u00a0[^\u00a0]+)*[).,;:]*$/.test(token[0])) continue;
			const range = partOf(node, token.index, token[0].length), at = range.getBoundingClientRect();
			if (!at.width) continue;
			if (lines(range) > 1) about("a number is broken", token[0], of);
			let inside = true; // of an element that does not scroll
			for (let box = of; box && box !== document.body; box = box.parentElement) {
				const style = getComputedStyle(box), edge = box.getBoundingClientRect();
				if (style.display === "inline" || style.display === "contents" || box.namespaceURI.endsWith("svg") && box.tagName !== "svg") continue;
				const out = at.right > edge.right + 1 || at.left < edge.left - 1;
				if (["hidden", "clip"].includes(style.overflowX) && out) about("a number is cut off", token[0], of);
				if (["auto", "scroll"].includes(style.overflowX)) break;
				if (inside && out && box.tagName !== "svg") about("a number is outside of its element", token[0], of);
				inside = false;
			}
		}
	}
	for (const cell of document.querySelectorAll(".cards td")) {
		const label = parseFloat(getComputedStyle(cell, "::before").width); // of a table whose rows are cards
		if (cell.checkVisibility() && label > cell.clientWidth + 1) about("a label is wider than its cell", cell.dataset.label, cell);
	}
	folded.forEach(of => of.open = false);
	return found;
})()`

// cuts returns the numbers and words of the page that are cut or broken, at most ten.
func (b *Browser) cuts() []string {
	b.t.Helper()
	found, err := chromedp.Run(b.Ctx, chromedp.Evaluate[[]string](cut))
	b.must(err)
	return found
}
