// The answers of a form as they will be sent, to be read before that, with the issues at their items; and the same
// without markup, to be kept when they are sent.
import { html, type Markup } from '#lib/html/html.ts';
import type { FormIssue } from '../check-form.ts';
import type { Enabling } from '../enabling.ts';
import type { FilledItem } from '../filling.ts';
import { issueText } from '../issue-text.ts';
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
${errorsOn(divided, summary).map((issue) => html`<p class="error">${issueText(issue, language)}</p>`)}<dl>${facts}</dl>
<p class="actions"><button class="button quiet" type="submit" name="go" value="${`${PAGE}${index}`}">${text('change', { label: title })}</button></p>
`;
  });
  const whole = summary.issues.filter(({ path }) => path === '');
  return html`${whole.map((issue) => html`<p class="${issue.severity === 'error' ? 'error' : 'note'}">${issueText(issue, language)}</p>`)}${parts}`;
}

function factsOf(items: readonly FilledItem[], summary: Summary): Markup[] {
  const { enabling, language } = summary;
  return items.flatMap((each) => {
    const { item, occurrences } = each;
    if (item.type === 'display' || item.hidden === true || !enabling.isEnabled(each)) return [];
    const label = fullLabel(item, language);
    if (item.type === 'group') {
      const inner = occurrences.flatMap(({ items: children }) => factsOf(children, summary));
      const own = issuesAt(each, summary);
      const isNamed = own.length > 0 || (inner.length > 0 && label !== '');
      return isNamed ? [html`<dt class="of-group">${label || summary.text('group')}</dt>`, ...own, ...inner] : inner;
    }
    const answers = occurrences.flatMap(({ answer }) =>
      answer === undefined ? [] : [answerText(item, answer, summary)],
    );
    const shown = answers.length === 0 ? [summary.text('notAnswered')] : answers;
    const values = shown.map(
      (answer) => html`<dd${answers.length === 0 && html` class="hint"`}>${linesOf(answer)}</dd>`,
    );
    const nested = occurrences.flatMap(({ items: children }) => factsOf(children, summary));
    return [html`<dt>${label}</dt>${values}`, ...issuesAt(each, summary), ...nested];
  });
}

/** The issues of the item and of its own answers. */
function issuesAt({ path, occurrences }: FilledItem, summary: Summary): Markup[] {
  return issuesOn([path, ...occurrences.map((occurrence) => occurrence.path)], summary);
}

function issuesOn(paths: readonly string[], summary: Summary): Markup[] {
  return errorsOn(paths, summary).map(
    (issue) =>
      html`<dd class="${issue.severity === 'error' ? 'error' : 'hint'}">${issueText(issue, summary.language)}</dd>`,
  );
}

function errorsOn(paths: readonly string[], { issues }: Summary): readonly FormIssue[] {
  return issues.filter(({ path }) => path !== '' && paths.includes(path));
}

/** A question or group with its answers in words. */
export interface AnswerFact {
  readonly label: string;
  readonly isGroup: boolean;
  /** Empty for a group, and for a question that was not answered. */
  readonly values: readonly string[];
}

/** What `summaryOf` shows, without pages and issues. */
export function answerFacts(
  items: readonly FilledItem[],
  reader: Pick<Summary, 'enabling' | keyof Reader>,
): AnswerFact[] {
  const { enabling, language } = reader;
  return items.flatMap((each): AnswerFact[] => {
    const { item, occurrences } = each;
    if (item.type === 'display' || item.hidden === true || !enabling.isEnabled(each)) return [];
    const label = fullLabel(item, language);
    const nested = occurrences.flatMap(({ items: children }) => answerFacts(children, reader));
    if (item.type === 'group') {
      const isNamed = nested.length > 0 && label !== '';
      return isNamed ? [{ label, isGroup: true, values: [] }, ...nested] : nested;
    }
    const values = occurrences.flatMap(({ answer }) =>
      answer === undefined ? [] : [answerText(item, answer, reader)],
    );
    return [{ label, isGroup: false, values }, ...nested];
  });
}
