// The style sheet of identity's own pages: light and dark, readable at any size, nothing from elsewhere.

export const PAGE_STYLE = `:root{color-scheme:light dark;--ink:#14212b;--muted:#52616d;--paper:#fff;--ground:#eef2f5;--line:#74838f;--accent:#005f73;--on-accent:#fff;--bad:#a3180c;--bad-ground:#fdeceb}
@media (prefers-color-scheme:dark){:root{--ink:#e8eef2;--muted:#a9b8c3;--paper:#18232c;--ground:#0e161c;--line:#7d8d99;--accent:#6fd3e3;--on-accent:#06262d;--bad:#ffaba3;--bad-ground:#3a1714}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
main{width:100%;max-width:25rem;background:var(--paper);border-radius:.75rem;padding:2rem;box-shadow:0 .5rem 2rem rgb(0 0 0/.12)}
h1{margin:0 0 1.25rem;font-size:1.5rem;line-height:1.25}
.brand{display:block;margin-bottom:.25rem;color:var(--accent);font-weight:700;letter-spacing:.04em}
label{display:block;margin-top:1rem;font-weight:600}
input{width:100%;margin-top:.25rem;padding:.625rem .75rem;border:1px solid var(--line);border-radius:.375rem;background:var(--paper);color:inherit;font:inherit}
input[aria-invalid]{border-color:var(--bad);border-width:2px}
button{width:100%;margin-top:1.5rem;padding:.75rem;border:0;border-radius:.375rem;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:700;cursor:pointer}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.error{margin:.25rem 0 0;color:var(--bad)}
.alert{margin:0 0 1rem;padding:.75rem 1rem;border-left:4px solid var(--bad);border-radius:.25rem;background:var(--bad-ground);color:var(--bad)}
.note{color:var(--muted)}
footer{margin-top:1.5rem;text-align:center}
a{color:var(--accent)}
`;
