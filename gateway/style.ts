// How the gateway's own pages look, by day and by night.

export const PAGE_STYLE = `
:root{color-scheme:light dark;--ink:#1c2b33;--paper:#fbfaf7;--line:#c9d3d8;--accent:#0b5c6b}
@media (prefers-color-scheme:dark){:root{--ink:#e8eef0;--paper:#12191d;--line:#3a474e;--accent:#7fd0de}}
body{margin:0;font:1.05rem/1.55 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
main{max-width:52rem;margin:0 auto;padding:2.5rem 1.25rem}
h1{font-size:2.4rem;margin:0 0 .25rem;letter-spacing:-.02em}h2{font-size:1.25rem;margin:2.25rem 0 .5rem}
a{color:var(--accent)}a:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.45rem .9rem .45rem 0;border-bottom:1px solid var(--line);vertical-align:top}
code{font:0.95em ui-monospace,monospace;overflow-wrap:anywhere}li{margin:.35rem 0}
.button{display:inline-block;padding:.5rem 1.1rem;border-radius:.4rem;background:var(--accent);color:var(--paper);text-decoration:none}
`;
