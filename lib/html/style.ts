// The one style sheet of all server-rendered pages: light and dark, readable from 320 px on, system fonts, nothing from
// elsewhere. Text on its ground has a contrast of 4.5:1 or more, borders of fields 3:1 (WCAG 2.2 AA); what is clicked
// is 44 px high.

import { DARK, LIGHT, rules } from './tokens.ts';

export const PAGE_STYLE = `:root{color-scheme:light dark;${rules(LIGHT)}}
@media (prefers-color-scheme:dark){:root{${rules(DARK)}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;min-height:100vh;background:var(--ground);color:var(--ink);font:1.0625rem/1.5 system-ui,sans-serif;overflow-wrap:break-word}
.bar{display:flex;align-items:center;justify-content:space-between;gap:1rem;max-width:56rem;margin:0 auto;padding:.75rem 1.25rem}
.brand{display:flex;align-items:center;gap:.5rem;margin:0;color:var(--accent);font-weight:700;font-size:1.125rem;letter-spacing:.01em}
.brand svg{width:1.75rem;height:1.75rem}
.bar a{display:inline-flex;align-items:center;min-height:2.75rem}
main{margin:0 auto;padding:2rem;max-width:30rem;background:var(--card);border:1px solid var(--hair);border-radius:.75rem}
main.wide{max-width:56rem;padding:.5rem 1.25rem 3rem;background:none;border:0}
h1{margin:0 0 .5rem;font-size:1.75rem;line-height:1.2;letter-spacing:-.015em;text-wrap:balance}
h2{margin:2rem 0 .5rem;font-size:1.25rem;line-height:1.3}
h3{margin:1.5rem 0 .25rem;font-size:1.0625rem;line-height:1.3}
p{margin:.5rem 0}
a{color:var(--accent);text-underline-offset:.15em}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:.25rem}
.step,.note,.hint{color:var(--muted)}
.step{margin:0 0 .25rem;font-size:.9375rem}
.field{margin:1.25rem 0 0;padding:0;border:0;min-width:0}
label,legend{font-weight:600;padding:0}
.field>label:not(.option){display:block}
.optional{font-weight:400;color:var(--muted)}
.hint{display:block;margin:.125rem 0 0;font-size:.9375rem;font-weight:400}
.error{display:block;margin:.25rem 0 0;color:var(--bad);font-weight:600}
.text{display:block;width:100%;min-height:2.75rem;margin-top:.375rem;padding:.5rem .75rem;border:1px solid var(--line);border-radius:.375rem;background:var(--card);color:inherit;font:inherit}
.text[aria-invalid],[aria-invalid]>.option,.option:has([aria-invalid]){border-color:var(--bad);box-shadow:inset 0 0 0 1px var(--bad)}
.group,.rows{margin:1.75rem 0 0;padding:0 0 0 1rem;border:0;border-left:.25rem solid var(--hair);min-width:0}
.group>legend,.rows>legend{font-size:1.125rem}.rows>.group{margin-top:1rem}
.nested{margin-left:1rem}
.parts{display:flex;flex-wrap:wrap;align-items:flex-end;gap:0 1rem}.parts .field{flex:1 1 8rem;margin-top:.75rem}
.forms{margin:.5rem 0 0;padding:0;list-style:none}.forms li{padding:.75rem 0;border-bottom:1px solid var(--hair)}
.saving{align-items:center}.of-group{font-weight:600;color:inherit}dd.error{margin-top:0}
select.text{appearance:auto}
.option{display:flex;align-items:center;gap:.75rem;min-height:2.75rem;margin-top:.375rem;padding:.5rem .75rem;border:1px solid var(--line);border-radius:.375rem;font-weight:400;cursor:pointer}
.in-row{display:grid;grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));gap:0 .75rem}
.option input{flex:none;width:1.25rem;height:1.25rem;margin:0;accent-color:var(--accent)}
.option:has(:checked){background:var(--tint);border-color:var(--accent)}
.button{display:inline-flex;align-items:center;justify-content:center;min-height:2.75rem;padding:.5rem 1.25rem;border:2px solid transparent;border-radius:.375rem;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
.button:hover{text-decoration:underline}
.button.full{width:100%;margin-top:1.75rem}
.link{display:inline-flex;align-items:center;min-height:2.75rem;padding:0;border:0;background:none;color:var(--accent);font:inherit;text-decoration:underline;text-underline-offset:.15em;cursor:pointer}
textarea.text{min-height:6rem;resize:vertical}
dl{margin:1rem 0}dt{margin-top:.75rem;color:var(--muted);font-size:.9375rem}dd{margin:0}dd:has(+dd:not(.error)),dd:not(.error)+dd:not(.error){display:list-item;margin-left:1.25rem}
.button.quiet{background:none;border-color:var(--accent);color:var(--accent)}
.alert{margin:1rem 0;padding:.75rem 1rem;border-left:.25rem solid var(--bad);border-radius:.25rem;background:var(--bad-ground);color:var(--bad)}
.alert h2{margin:0;font-size:1.0625rem}
.alert ul{margin:.25rem 0 0;padding-left:1.25rem}
.alert a{color:inherit}
.chosen{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;column-gap:1rem;margin:1rem 0 0;padding:.375rem 1rem;border-radius:.375rem;background:var(--tint)}
.chosen p{flex:1 1 10rem;margin:.25rem 0}.chosen small{display:block;color:var(--muted);font-size:.9375rem}
.chosen a,.links a{display:inline-flex;align-items:center;min-height:2.75rem}
details{margin:1.75rem 0 0;padding:.5rem 0 0;border-top:1px solid var(--hair)}
summary{padding:.625rem 0;color:var(--accent);cursor:pointer}
.qr{display:block;max-width:100%;height:auto;border-radius:.375rem;background:#fff}
.codes{margin:1rem 0;padding:.75rem 1rem;border-radius:.375rem;background:var(--tint);list-style:none;columns:12rem}
.links{margin:1.75rem 0 0;padding:.75rem 0 0;border-top:1px solid var(--hair);list-style:none}
.search{display:flex;flex-wrap:wrap;gap:.5rem;align-items:flex-end;margin-top:1.25rem}
.search .field{flex:1 1 9rem;margin:0}
.choices{margin:.5rem 0 0;padding:0;list-style:none}
.choices li{border-bottom:1px solid var(--hair)}.choices li:last-child{border:0}
.choices a{display:flex;align-items:center;justify-content:space-between;gap:1rem;min-height:3rem;padding:.5rem;text-decoration:none}
.choices a:hover{background:var(--tint);text-decoration:underline}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.25rem 0 0}
.ways{display:flex;flex-wrap:wrap;column-gap:1.5rem;margin:.5rem 0 0;padding:0;list-style:none}
.ways a{display:inline-flex;align-items:center;min-height:2.75rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{padding:.6rem .9rem .6rem 0;border-bottom:1px solid var(--hair);text-align:left;vertical-align:top}
pre{margin:.5rem 0;padding:.75rem 1rem;border-radius:.375rem;background:var(--tint);font-size:.875rem;line-height:1.45}pre code{overflow-wrap:normal;white-space:pre}
code{font:.95em ui-monospace,monospace;overflow-wrap:anywhere}td code{overflow-wrap:normal}li{margin:.35rem 0}.choices li,.links li,.ways li{margin:0}
[hidden]{display:none!important}
@media (max-width:32rem){body{background:var(--card)}main{padding:.5rem 1.25rem 2.5rem;border:0;border-radius:0}.actions .button{width:100%}}
@media (min-width:32rem){main{margin-top:clamp(0rem,6vh,4rem);margin-bottom:3rem}main.wide{margin-top:0}}
@media print{.bar,.actions,.no-print{display:none}main{max-width:none;padding:0;border:0}dt,h2,h3{break-after:avoid}dd{break-inside:avoid}}
@media (forced-colors:active){.button{border-color:ButtonText}}
`;
