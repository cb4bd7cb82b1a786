// One step of filling in a form by its pages: takes what was sent, decides what is shown next, and renders it. Pure;
// the caller keeps the fields between the steps.
import { errorSummary, type FieldErrors } from '#lib/html/form.ts';
import { html, type Language, type Markup } from '#lib/html/html.ts';
import { checkForm, type FormIssue } from '../check-form.ts';
import type { Enabling } from '../enabling.ts';
import { begunInService, solveInService } from '../expressions/in-service.ts';
import type { Unknown } from '../expressions/solve.ts';
import { type Unevaluated, unevaluatedOf } from '../expressions/unevaluated.ts';
import type { FilledItem } from '../filling.ts';
import { issueText } from '../issue-text.ts';
import { labelled } from '../labelled.ts';
import type { RenderReadyForm, RenderReadyItem } from '../render-ready-form.ts';
import { isFixed, responseItems } from '../response-items.ts';
import { type FormTexts, formTexts, fullLabel, labelIn, linesOf, titleIn } from './answer-text.ts';
import type { Fields } from './fields.ts';
import { futureIssues } from './future-issues.ts';
import { type FormPage, itemsOfPage, pageOfIssue, pageOfPath, pagesOf } from './pages.ts';
import { isChoice, type ReadForm, readForm } from './read-form.ts';
import { ADD, renderItems } from './render-item.ts';
import { withoutRow, withRow } from './rows.ts';
import { type AnswerFact, answerFacts, PAGE, summaryOf } from './summary.ts';

export interface FormStep {
  readonly form: RenderReadyForm;
  /** All that was kept. */
  readonly kept: Fields;
  /** What the page sent; undefined when the form is opened. */
  readonly sent: Fields | undefined;
  /** The button: `open`, `save`, `next`, `skip`, `back`, `refresh`, `review`, or one of a page or a row. */
  readonly go: string;
  /** The page that was sent, counted from 0. */
  readonly page: number;
  readonly language: Language;
  /** The IANA name of the zone of times. */
  readonly timeZone: string;
  /** A question about what has been; none where left out. */
  readonly past?: { readonly linkId: string; readonly now: number };
}

export interface FormView {
  /** To be kept. */
  readonly fields: Fields;
  readonly shows: 'page' | 'review';
  readonly page: number;
  readonly pages: number;
  readonly title: string;
  /** What is within the form element, without its buttons for going on. */
  readonly content: Markup;
  readonly hasErrors: boolean;
  /** Whether some question's answer decides which other questions of this page are shown. */
  readonly hasConditions: boolean;
  readonly issues: readonly FormIssue[];
  /** The items of the QuestionnaireResponse; complete when there are no errors. */
  readonly items: readonly object[];
}

interface Filled extends ReadForm {
  readonly form: RenderReadyForm;
  readonly enabling: Enabling;
  /** What of an item is not evaluated, by its `link_id`. */
  readonly notes: ReadonlyMap<string, Unevaluated>;
  readonly pages: readonly FormPage[];
  readonly issues: readonly FormIssue[];
  readonly text: FormTexts;
}

export function takeFormStep(step: FormStep): FormView {
  const filled = fill(step, changedFields(step));
  const { shows, page, isChecked } = destination(step, filled);
  const errors = filled.issues.filter(({ severity }) => severity === 'error');
  const shared = {
    fields: filled.fields,
    shows,
    page,
    pages: filled.pages.length,
    title: titleIn(step.form, step.language),
    issues: filled.issues,
    items: errors.length === 0 ? responseItems(filled.items, filled.enabling) : [],
  };
  if (shows === 'review') {
    const summary = { ...step, ...filled };
    const content = summaryOf(filled.pages, filled.items, summary);
    return { ...shared, content, hasErrors: errors.length > 0, hasConditions: false };
  }
  const { content, hasErrors } = pageContent(step, filled, { page, isChecked });
  return { ...shared, content, hasErrors, hasConditions: hasConditions(filled, page) };
}

/** The form's title and its answers in words, as `review` shows them. */
export interface SentForm {
  readonly title: string;
  readonly facts: readonly AnswerFact[];
}

/** What a form with these fields says, in a language. */
export function sentFormOf(given: Pick<FormStep, 'form' | 'kept' | 'language' | 'timeZone'>): SentForm {
  const step = { ...given, sent: undefined, go: 'review', page: 0 };
  const filled = fill(step, given.kept);
  return { title: titleIn(given.form, given.language), facts: answerFacts(filled.items, { ...step, ...filled }) };
}

function fill({ form: given, language, timeZone, past }: FormStep, fields: Fields): Filled {
  const begun = begunInService(given);
  const typed = readForm(begun.form, fields, { timeZone });
  const { calculated, unknown } = solveInService(begun.form, typed.items, true);
  const unknownByName = new Map([...unknown].map(([{ item }, what]) => [item.link_id, what]));
  const form = unknown.size === 0 ? begun.form : typedInstead(begun.form, unknownByName);
  const values = new Map([...calculated].map(([{ path }, answers]) => [path, answers]));
  const isReadAgain = values.size > 0 || form !== begun.form;
  const read = isReadAgain ? readForm(form, fields, { timeZone, calculated: values }) : typed;
  const { enabling } = solveInService(form, read.items, true);
  const future = past === undefined ? [] : futureIssues(read.items, { ...past, timeZone });
  const issues = [...future, ...checkForm(form, read.items, enabling)];
  const notes = notesOf(form.items, unknownByName, begun.unknown);
  return { ...read, form, enabling, notes, pages: pagesOf(form), issues, text: formTexts(language) };
}

type UnknownByName = ReadonlyMap<string, Unknown>;

/** What cannot be calculated here is typed, where it may be changed. */
function typedInstead(form: RenderReadyForm, unknown: UnknownByName): RenderReadyForm {
  const within = (item: RenderReadyItem): RenderReadyItem => {
    const { calculated, items, ...rest } = item;
    const isTyped = unknown.get(item.link_id) === 'calculated' && !item.read_only && item.hidden !== true;
    return {
      ...rest,
      ...(calculated === undefined || isTyped ? {} : { calculated }),
      ...(items === undefined ? {} : { items: items.map(within) }),
    };
  };
  return { ...form, items: form.items.map(within) };
}

function notesOf(
  items: readonly RenderReadyItem[],
  unknown: UnknownByName,
  unknownAtStart: ReadonlySet<string>,
): Map<string, Unevaluated> {
  const found = new Map<string, Unevaluated>();
  const visit = (item: RenderReadyItem): void => {
    const note = unevaluatedOf({
      notRun: item.not_run,
      unknown: unknown.get(item.link_id),
      isUnknownAtStart: unknownAtStart.has(item.link_id),
      isFixed: isFixed(item),
    });
    if (note !== undefined) found.set(item.link_id, note);
    for (const inner of item.items ?? []) visit(inner);
  };
  for (const item of items) visit(item);
  return found;
}

/** What was kept, with what the page sent and what its button changes. */
function changedFields({ kept, sent = {}, go }: FormStep): Fields {
  const fields = { ...kept, ...sent };
  if (go.startsWith(ADD)) return withRow(fields, go.slice(ADD.length));
  const [, path, row] = /^remove:([\w.-]+):(\d{1,3})$/.exec(go) ?? [];
  return path === undefined ? fields : withoutRow(fields, path, Number(row));
}

interface Destination {
  readonly shows: FormView['shows'];
  readonly page: number;
  /** Whether the errors of the page are shown. */
  readonly isChecked: boolean;
}

function destination(step: FormStep, filled: Filled): Destination {
  const { go, sent } = step;
  const last = filled.pages.length - 1;
  const page = Math.max(0, Math.min(last, step.page));
  const at = (index: number, isChecked = false): Destination => ({ shows: 'page', page: index, isChecked });
  const named = /^\d{1,4}$/.exec(go.slice(PAGE.length))?.[0];
  if (go.startsWith(PAGE) && named !== undefined) return at(Math.min(last, Number(named)), true);
  if (go === 'back') return at(neighbour(filled, page, -1) ?? page);
  if (go !== 'next' && go !== 'skip' && go !== 'review') return at(page);
  if (sent !== undefined && go !== 'skip' && mustStay(sent, page, filled)) return at(page, true);
  const next = go === 'review' ? undefined : neighbour(filled, page, 1);
  return next === undefined ? { shows: 'review', page, isChecked: true } : at(next);
}

/** Whether the page has errors, or questions that were not on it when it was sent. */
function mustStay(sent: Fields, page: number, filled: Filled): boolean {
  const { pages, issues, items, enabling } = filled;
  const isHere = (path: string) => pageOfPath(pages, path) === page;
  if (issues.some(({ path, severity }) => severity === 'error' && isHere(path))) return true;
  const [here] = [pages[page]].filter((each) => each !== undefined);
  const shown = here === undefined ? [] : shownFields(itemsOfPage(here, items), enabling);
  return shown.some((path) => sent[path] === undefined);
}

/** The names of the fields that the items have. */
function shownFields(items: readonly FilledItem[], enabling: Enabling): string[] {
  return items.flatMap((each) => {
    const { item, path, occurrences } = each;
    if (item.hidden === true || item.type === 'display' || !enabling.isEnabled(each)) return [];
    const inner = occurrences.flatMap(({ items: children }) => shownFields(children, enabling));
    if (item.type === 'group' || isFixed(item)) return inner;
    const own = isChoice(item) ? [path] : occurrences.map((occurrence) => occurrence.path);
    return [...own, ...inner];
  });
}

/** The nearest page in that direction on which something is shown. */
function neighbour({ pages, items, enabling }: Filled, page: number, step: 1 | -1): number | undefined {
  for (let index = page + step; index >= 0 && index < pages.length; index += step) {
    const candidate = pages[index];
    if (candidate === undefined) return undefined;
    const isShown = itemsOfPage(candidate, items).some((each) => each.item.hidden !== true && enabling.isEnabled(each));
    if (isShown) return index;
  }
  return undefined;
}

function pageContent(
  step: FormStep,
  filled: Filled,
  { page, isChecked }: { readonly page: number; readonly isChecked: boolean },
): { content: Markup; hasErrors: boolean } {
  const { language } = step;
  const { pages, text, issues } = filled;
  const here = pages[page] ?? { groups: [], paths: [] };
  const shown = isChecked
    ? issues.filter(({ path, severity }) => severity === 'error' && pageOfIssue(pages, path) === page)
    : [];
  const errors = new Map(shown.map((issue) => [issue.path, issueText(issue, language)]));
  const rendering = { ...step, ...filled, errors };
  const groups = here.groups.map(
    ({ item, path }) => html`<h2 id="${path}" tabindex="-1">${fullLabel(item, language)}</h2>
${errors.has(path) && html`<span class="error">${errors.get(path)}</span>`}`,
  );
  const description =
    page === 0 && step.form.description !== undefined && html`<p>${linesOf(step.form.description)}</p>`;
  const position = pages.length > 1 && html`<p class="step">${text('pageOf', { n: page + 1, of: pages.length })}</p>`;
  return {
    content: html`${position}${errorSummary(language, summaryErrors(shown, language))}${description}${groups}${renderItems(itemsOfPage(here, filled.items), rendering)}`,
    hasErrors: errors.size > 0,
  };
}

/** Each error with the label of its question, as the summary is apart from it. */
function summaryErrors(issues: readonly FormIssue[], language: Language): FieldErrors {
  return Object.fromEntries(
    issues
      .filter(({ path }) => path !== '')
      .map((issue) => {
        const label = issue.item === undefined ? '' : labelIn(issue.item, language);
        const message = issueText(issue, language);
        return [issue.path, labelled(label, message)];
      }),
  );
}

function hasConditions({ pages, items }: Filled, page: number): boolean {
  const here = pages[page];
  return here !== undefined && itemsOfPage(here, items).some(isConditional);
}

/** Whether the item or one within it depends on answers, its own among them. */
function isConditional({ item, occurrences }: FilledItem): boolean {
  if (item.conditions !== undefined || item.enable_expression !== undefined) return true;
  if (item.calculated !== undefined) return true;
  if (item.type !== 'group' && (item.items ?? []).some(({ type }) => type !== 'display')) return true;
  return occurrences.some(({ items }) => items.some(isConditional));
}
