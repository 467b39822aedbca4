// Opens every page of the built book in a frame, as wide as a desk's window and as a phone, and writes down what a reader
// would see to be wrong: text or a table wider than the page, a picture that is not there, a link that leads nowhere. The
// page around this sets `root`, `pages` and `out`.
const widths = [1440, 390];

const opened = (address, width) => new Promise((done) => {
    const frame = document.createElement("iframe");
    frame.width = width;
    frame.height = 900;
    frame.onload = () => done(frame);
    frame.src = root + address;
    document.body.append(frame);
});

// Whether an element between this one and the page can be scrolled, or holds what is folded.
const scrolls = (element) => {
    for (let at = element; at && at.tagName !== "MAIN"; at = at.parentElement) {
        const style = getComputedStyle(at);
        if (["auto", "scroll", "hidden"].includes(style.overflowX) || at.tagName === "DETAILS") return true;
    }
    return false;
};

(async () => {
    const problems = [];
    const anchors = {};
    const links = [];
    for (const page of pages) for (const width of widths) {
        const frame = await opened(page, width);
        const book = frame.contentDocument;
        const say = (what) => problems.push(`${page} at ${width} pixels: ${what}`);
        const main = book.querySelector("main");
        if (!main) {
            say("has no text");
            frame.remove();
            continue;
        }
        const over = book.documentElement.scrollWidth - book.documentElement.clientWidth;
        if (over > 0) say(`is ${over} pixels wider than the window`);
        const edge = main.getBoundingClientRect().right + 1;
        for (const element of main.querySelectorAll("p, li, h1, h2, h3, h4, table, svg, img")) {
            const box = element.getBoundingClientRect();
            const text = element.textContent.trim().slice(0, 40);
            const name = element.tagName.toLowerCase();
            if (box.right > edge && !scrolls(element)) say(`<${name}> \`${text}\` ends ${Math.round(box.right - edge)} pixels too far right`);
            if (name === "p" && element.scrollWidth > element.clientWidth + 1) say(`the text \`${text}\` is wider than its paragraph`);
            if (["svg", "img"].includes(name) && box.width * box.height === 0 && !element.closest("details")) say(`<${name}> has no size`);
            if (name === "img" && element.naturalWidth === 0) say(`the picture ${element.getAttribute("src")} is not there`);
        }
        if (width === widths[0]) {
            anchors[page] = new Set([...book.querySelectorAll("[id]")].map((element) => element.id));
            for (const link of main.querySelectorAll("a[href]")) links.push([page, link.href]);
        }
        frame.remove();
    }
    for (const [page, link] of links) {
        if (!link.startsWith(root)) continue;
        const [address, anchor] = link.slice(root.length).split("#");
        if (!anchors[address]) {
            problems.push(`${page}: the link to ${address} leads nowhere`);
        } else if (anchor && !anchors[address].has(decodeURIComponent(anchor))) {
            problems.push(`${page}: ${address} has no #${anchor}`);
        }
    }
    out.textContent = JSON.stringify({ opened: Object.keys(anchors).length, links: links.length, problems });
})();
