// The answers of a form as they will be sent, to be read before that, with the faults at their items.
import { html, type Markup } from '#lib/html/html.ts';
import type { FormIssue } from '../check-form.ts';
import { faultText } from '../fault-text.ts';
import type { Enabling, FilledItem } from '../filling.ts';
import { answerText, type FormTexts, fullLabel, linesOf, type Reader } from './answer-text.ts';
import { type FormPage, itemsOfPage } from './pages.ts';

export interface Summary extends Reader {
  readonly enabling: Enabling;
  readonly text: FormTexts;
  readonly issues: readonly FormIssue[];
}

/** The button that opens the page of that index, counted from 0, is named `go`; its value begins with this word. */
export const PAGE = 'page:';

export function summaryOf(pages: readonly FormPage[], items: readonly FilledItem[], summary: Summary): Markup {
  const { text, language } = summary;
  const parts = pages.map((page, index) => {
    const isFirst = (path: string) =>
      pages.findIndex(({ groups }) => groups.some((each) => each.path === path)) === index;
    const divided = page.groups.filter(({ path }) => isFirst(path)).map(({ path }) => path);
    const facts = factsOf(itemsOfPage(page, items), summary);
    if (facts.length === 0) return undefined;
    const name = pages.length === 1 ? text('answers') : text('pageOf', { n: index + 1, of: pages.length });
    const group = page.groups.at(-1);
    const title = group === undefined ? name : `${name}: ${fullLabel(group.item, language)}`;
    return html`<h2>${title}</h2>
${errorsOn(divided, summary).map((issue) => html`<p class="error">${faultText(issue, language)}</p>`)}<dl>${facts}</dl>
<p class="actions"><button class="button quiet" type="submit" name="go" value="${`${PAGE}${index}`}">${text('change', { label: title })}</button></p>
`;
  });
  const whole = summary.issues.filter(({ path }) => path === '');
  return html`${whole.map((issue) => html`<p class="${issue.severity === 'error' ? 'error' : 'note'}">${faultText(issue, language)}</p>`)}${parts}`;
}

function factsOf(items: readonly FilledItem[], summary: Summary): Markup[] {
  const { enabling, language } = summary;
  return items.flatMap((each) => {
    const { item, occurrences } = each;
    if (item.type === 'display' || item.hidden === true || !enabling.isEnabled(each)) return [];
    const label = fullLabel(item, language);
    if (item.type === 'group') {
      const inner = occurrences.flatMap(({ items: children }) => factsOf(children, summary));
      const faults = faultsAt(each, summary);
      const isNamed = faults.length > 0 || (inner.length > 0 && label !== '');
      return isNamed ? [html`<dt class="of-group">${label || summary.text('group')}</dt>`, ...faults, ...inner] : inner;
    }
    const answers = occurrences.flatMap(({ answer }) =>
      answer === undefined ? [] : [answerText(item, answer, summary)],
    );
    const told = answers.length === 0 ? [summary.text('notAnswered')] : answers;
    const values = told.map(
      (answer) => html`<dd${answers.length === 0 && html` class="hint"`}>${linesOf(answer)}</dd>`,
    );
    const nested = occurrences.flatMap(({ items: children }) => factsOf(children, summary));
    return [html`<dt>${label}</dt>${values}`, ...faultsAt(each, summary), ...nested];
  });
}

/** The faults of the item and of its own answers. */
function faultsAt({ path, occurrences }: FilledItem, summary: Summary): Markup[] {
  return faultsOn([path, ...occurrences.map((occurrence) => occurrence.path)], summary);
}

function faultsOn(paths: readonly string[], summary: Summary): Markup[] {
  return errorsOn(paths, summary).map(
    (issue) =>
      html`<dd class="${issue.severity === 'error' ? 'error' : 'hint'}">${faultText(issue, summary.language)}</dd>`,
  );
}

function errorsOn(paths: readonly string[], { issues }: Summary): readonly FormIssue[] {
  return issues.filter(({ path }) => path !== '' && paths.includes(path));
}
