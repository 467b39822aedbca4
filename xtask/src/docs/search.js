// Searches the built book as its page does: `node -e SCRIPT BOOK QUERY..` prints the address of the first page found
// for each query, or an empty line.
const fs = require("fs");
const path = require("path");
const [folder, ...queries] = process.argv.slice(1);
const file = (start) => path.join(folder, fs.readdirSync(folder).find((name) => name.startsWith(start) && name.endsWith(".js")));
const elasticlunr = require(file("elasticlunr"));
global.window = { search: {} };
eval(fs.readFileSync(file("searchindex"), "utf8"));
const { index, doc_urls, search_options } = window.search;
const loaded = elasticlunr.Index.load(index);
for (const query of queries) {
    const [first] = loaded.search(query, search_options);
    console.log(first ? doc_urls[Number(first.ref)] : "");
}
