// The overview of the API reference and the pages of its groups: lists of operations, each a link.
import { html, type Markup } from '../../../html/html.ts';
import type { DocumentedOperation } from '../described-api.ts';
import { plainText } from './schema-view.ts';

/** Operations by their tag. */
export type Groups = ReadonlyMap<string, readonly DocumentedOperation[]>;

/** Groups that are named after a FHIR type are listed apart: there are more than a hundred. */
const FHIR_TYPE = /^[A-Z][A-Za-z]+$/;
const MAX_FOUND = 100;

/** `words`: what the reader searches for; empty for the overview. */
export function renderOverview(service: string, groups: Groups, words: string): Markup {
  const [types, others] = [[...groups.keys()].filter(isType), [...groups.keys()].filter((name) => !isType(name))];
  const count = [...groups.values()].reduce((sum, operations) => sum + operations.length, 0);
  const found = words.trim() === '' ? undefined : search([...groups.values()].flat(), words);
  return html`<h1>API reference of ${service}</h1>
<p>${count} operations. The same as a document for programs: <a href="../openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
<form class="search" method="get" role="search"><div class="field"><label for="q">Search operations</label><input class="text" id="q" name="q" type="search" value="${words}" maxlength="100"></div><button class="button" type="submit">Search</button></form>
${found === undefined ? renderGroups(others, types, groups) : renderFound(found, words)}`;
}

function isType(name: string): boolean {
  return FHIR_TYPE.test(name);
}

function renderGroups(others: readonly string[], types: readonly string[], groups: Groups): Markup {
  const listed = (names: readonly string[]) =>
    names.map((name) => html`<li>${linkToGroup(name)} <span class="note">${groups.get(name)?.length ?? 0}</span></li>`);
  return html`<h2>Groups</h2>
<ul>${listed(others)}</ul>
${types.length === 0 ? undefined : html`<h2>FHIR resource types</h2><ul class="codes">${listed(types.toSorted())}</ul>`}`;
}

function linkToGroup(name: string): Markup {
  return html`<a href="${encodeURIComponent(name)}">${name}</a>`;
}

/** Operations whose summary, method, address or group has all the words. */
function search(operations: readonly DocumentedOperation[], words: string): readonly DocumentedOperation[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter(({ method, path, summary, tag }) => {
    const text = `${method} ${path} ${summary} ${tag}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

function renderFound(found: readonly DocumentedOperation[], words: string): Markup {
  const shown = found.slice(0, MAX_FOUND);
  const rest = found.length > shown.length ? `, the first ${shown.length} of them` : '';
  return html`<h2>Found</h2>
<p role="status">${found.length} operations for “${words}”${rest}</p>
${renderTable(shown)}
<p><a href="./">All groups</a></p>`;
}

/** The operations of one group. */
export function renderGroup(group: string, operations: readonly DocumentedOperation[]): Markup {
  return html`<nav aria-label="Breadcrumb"><a href="./">API reference</a></nav>
<h1>${group}</h1>
${renderTable(operations)}`;
}

function renderTable(operations: readonly DocumentedOperation[]): Markup {
  const rows = operations.map(
    (operation) =>
      html`<li><a href="${addressOf(operation)}"><span>${plainText(operation.summary)}</span><code>${operation.method.toUpperCase()} ${operation.path}</code></a></li>`,
  );
  return html`<ul class="choices">${rows}</ul>`;
}

/** Relative to the overview and to the pages of groups, which are on one level. */
function addressOf({ tag, id }: DocumentedOperation): string {
  return `${encodeURIComponent(tag)}/${encodeURIComponent(id)}`;
}
