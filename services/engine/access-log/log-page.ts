// The access log as a page to print or to keep as PDF, and as CSV (decision L4): no scripts, one table.
import { writeRecord } from '#lib/csv/csv-writer.ts';
import { html, type Language, type Markup, type Page } from '#lib/html/html.ts';
import { renderLayout } from '#lib/html/layout.ts';
import { type Translate, translator } from '#lib/html/messages.ts';
import messages from './log-page.messages.json' with { type: 'json' };
import type { LogRow } from './schema.ts';

const STYLE = `
.log{overflow-x:auto}
.log table{width:100%;border-collapse:collapse;font-size:.9375rem}
.log caption{text-align:left;font-weight:600;padding:.5rem 0}
.log th,.log td{padding:.5rem .75rem .5rem 0;border-bottom:1px solid var(--hair);text-align:left;vertical-align:top}
.log td:first-child{white-space:nowrap}
.log .refused{color:var(--bad);font-weight:600}
@media print{
@page{size:A4 landscape;margin:15mm}
:root{color-scheme:light}
body{background:#fff;color:#000;font-size:10pt}
nav{display:none}
main.wide,.bar{max-width:none;padding:0}
.log thead{display:table-header-group}
.log tr{break-inside:avoid}
}`;

export interface LogDocument {
  readonly language: Language;
  readonly timeZone: string;
  readonly patient: string;
  readonly hidesNames: boolean;
  readonly since: Date | null;
  readonly until: Date | null;
  readonly madeAt: Date;
  readonly otherLanguage: string;
}

type Text = Translate<keyof typeof messages.page>;

/** The rows of one piece, as they are in the page. */
export function tableRows(rows: readonly LogRow[], { language, timeZone }: LogDocument): Markup {
  const text = translator(messages.page, language);
  const time = timeFormat(language, timeZone);
  return html`${rows.map(
    ({
      at,
      who,
      what,
      why,
      outcome,
    }) => html`<tr><td><time datetime="${at}">${time.format(new Date(at))}</time></td><td>${whoText(who, text, '–')}</td><td>${who.role}</td><td>${who.unit ?? '–'}</td><td>${what}</td><td>${why === null ? '–' : text(why)}</td><td${outcome === 'refused' && html` class="refused"`}>${text(outcome)}</td></tr>
`,
  )}`;
}

export function logPage(document: LogDocument, pieces: readonly Markup[], count: number): Page {
  const { language, timeZone, patient, hidesNames, since, until, madeAt, otherLanguage } = document;
  const text = translator(messages.page, language);
  const time = timeFormat(language, timeZone);
  const period = {
    since: since === null ? text('begin') : time.format(since),
    until: until === null ? text('now') : time.format(until),
  };
  const content = html`<h1>${text('title')}</h1>
<p>${text('intro')}</p>
<p>${text('patient', { patient })}<br>${text('period', period)}<br>${text('made', { at: time.format(madeAt), n: count })}</p>
<p class="note">${text('kept')}${hidesNames && html` ${text('hiddenNames')}`}</p>
${count === 0 ? html`<p>${text('none')}</p>` : table(pieces, text)}`;
  const page = renderLayout({ language, title: text('title'), content, otherLanguage, width: 'wide' });
  return { ...page, style: `${page.style}${STYLE}` };
}

function table(pieces: readonly Markup[], text: Text): Markup {
  // The region scrolls on a narrow screen, so it can be reached by the keyboard.
  return html`<div class="log" role="region" aria-label="${text('table')}" tabindex="0"><table><caption>${text('table')}</caption><thead><tr>${HEADINGS.map((name) => html`<th scope="col">${text(name)}</th>`)}</tr></thead><tbody>
${pieces}</tbody></table></div>`;
}

const HEADINGS = ['at', 'who', 'role', 'unit', 'what', 'why', 'outcome'] as const;

export function csvHead(language: Language): string {
  const text = translator(messages.page, language);
  return writeRecord(HEADINGS.map((name) => text(name)));
}

export function csvRows(rows: readonly LogRow[], language: Language): string {
  const text = translator(messages.page, language);
  return rows
    .map(({ at, who, what, why, outcome }) =>
      writeRecord([
        at,
        whoText(who, text, ''),
        who.role,
        who.unit ?? '',
        what,
        why === null ? '' : text(why),
        text(outcome),
      ]),
    )
    .join('');
}

/** `Bertil Ek for Astrid Lind` of a proxy, else the name. */
function whoText(who: LogRow['who'], text: Text, unnamed: string): string {
  const name = who.name ?? unnamed;
  return who.for === undefined ? name : text('for', { who: name, patient: who.for }).trim();
}

function timeFormat(language: Language, timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(language === 'sv' ? 'sv-SE' : 'en-GB', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
}
