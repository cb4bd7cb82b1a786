// Renders items of a form as HTML that works without scripts (WCAG 2.2 AA). Groups are shown as fieldsets. Rows of
// repeating items have buttons to add and remove them. Questions have their help, limits and errors. Every text is
// escaped.
import { html, type Markup } from '#lib/html/html.ts';
import { limitText, unitOfLimit } from '../answer-issues.ts';
import type { FilledItem, Occurrence } from '../filling.ts';
import { decimalText } from '../issue-text.ts';
import { isFixed } from '../response-items.ts';
import { isRecord } from '../values.ts';
import { answerText, type FormTextName, fullLabel, labelIn, linesOf } from './answer-text.ts';
import { MOST_ROWS, part } from './fields.ts';
import { isChoice } from './read-form.ts';
import { choiceField } from './render-choice.ts';
import { answerField } from './render-question.ts';
import type { FieldText, Rendering } from './rendering.ts';

/** The buttons that change rows are named `go`; their values begin with these words. */
export const ADD = 'add:';
const REMOVE = 'remove:';

/** How displayed text is bound to its question (hl7.org/fhir/R5/valueset-questionnaire-item-control.html). */
const HELP = new Set(['help', 'prompt', 'flyover', 'security', 'lower', 'upper', 'unit']);

export function renderItems(items: readonly FilledItem[], rendering: Rendering): Markup {
  return html`${items.map((each) => renderItem(each, rendering))}`;
}

function renderItem(each: FilledItem, rendering: Rendering): Markup | undefined {
  const { item } = each;
  if (item.hidden === true) return undefined;
  if (!rendering.enabling.isEnabled(each)) return notEnabled(each, rendering);
  switch (item.type) {
    case 'display':
      return html`<p class="display">${linesOf(fullLabel(item, rendering.language))}</p>
${linksOf(item, rendering)}`;
    case 'group':
      return renderGroup(each, rendering);
    default:
      return html`${renderQuestion(each, rendering)}${linksOf(item, rendering)}`;
  }
}

/** Pages that help to answer, each in a window of its own, so that nothing that was typed is lost. */
function linksOf({ links = [] }: FilledItem['item'], { text }: Rendering): Markup[] {
  return links.map((link) => {
    const place = new URL(link).hostname.replace(/^www\./, '');
    return html`<p class="hint"><a href="${link}" target="_blank" rel="noopener noreferrer">${text('readMore', { place })}</a></p>
`;
  });
}

/** An item that is protected while it is not enabled is shown without a field. */
function notEnabled({ item }: FilledItem, { language, text }: Rendering): Markup | undefined {
  if (item.conditions?.when_disabled !== 'protected') return undefined;
  const label = fullLabel(item, language);
  return html`<div class="field protected"><p><strong>${label}</strong> <span class="hint">${text('protected')}</span></p></div>
`;
}

function renderGroup(each: FilledItem, rendering: Rendering): Markup {
  const { item, path, occurrences } = each;
  const label = fullLabel(item, rendering.language) || rendering.text('group');
  if (item.repeats) return repeated(each, rendering, (occurrence) => renderItems(occurrence.items, rendering));
  const inner = occurrences.map(({ items }) => renderItems(items, rendering));
  return html`<fieldset class="group" id="${path}" tabindex="-1"><legend>${label}</legend>${noteOf(item, rendering).map((note) => html`<p class="hint">${note}</p>`)}${errorAt(path, rendering)}${linksOf(item, rendering)}${inner}</fieldset>
`;
}

function renderQuestion(each: FilledItem, rendering: Rendering): Markup {
  const { item, path, occurrences } = each;
  if (isFixed(item)) return fixed(each, rendering);
  const nested = (occurrence: Occurrence) => nestedItems(occurrence, rendering);
  if (isChoice(item)) {
    return html`${choiceField(each, fieldOf(each, path, rendering), rendering)}
${occurrences.map(nested)}`;
  }
  if (!item.repeats) {
    return html`${answerField(item, path, fieldOf(each, path, rendering), rendering)}
${occurrences.map(nested)}`;
  }
  return repeated(each, rendering, (occurrence, index) => {
    const label = rendering.text('nth', { label: labelOf(each, rendering), n: index + 1 });
    const field = { label, optional: undefined, hint: undefined, error: rendering.errors.get(occurrence.path) };
    return html`${answerField(item, occurrence.path, field, rendering)}${nested(occurrence)}`;
  });
}

/** Items within an answer, but for texts that are shown as its help. */
function nestedItems({ items }: Occurrence, rendering: Rendering): Markup | undefined {
  const shown = items.filter(({ item }) => !isHelp(item));
  return shown.length === 0 ? undefined : html`<div class="nested">${renderItems(shown, rendering)}</div>`;
}

function fieldOf(each: FilledItem, path: string, rendering: Rendering): FieldText {
  const { item } = each;
  return {
    label: labelOf(each, rendering),
    optional:
      item.required && !rendering.enabling.isExcused(each)
        ? undefined
        : item.asked === true
          ? ''
          : rendering.text('optional'),
    hint: hintOf(item, rendering),
    error: rendering.errors.get(path),
  };
}

function labelOf({ item }: FilledItem, { language, text }: Rendering): string {
  return fullLabel(item, language) || text('question');
}

/** Help texts within the question, the limits, and an example of the format. */
function hintOf(item: FilledItem['item'], rendering: Rendering): string | undefined {
  const helps = (item.items ?? []).filter(isHelp).map((help) => labelIn(help, rendering.language));
  const { placeholder } = item;
  const hints = [
    ...helps,
    ...(placeholder === undefined ? [] : [placeholder]),
    ...limitsIn(item, rendering),
    ...noteOf(item, rendering),
  ];
  return hints.length === 0 ? undefined : hints.join(' ');
}

/** What the form's expressions leave to the person who fills it in. */
function noteOf({ link_id: name }: FilledItem['item'], { notes, text }: Rendering): string[] {
  const note = notes.get(name);
  return note === undefined ? [] : [text(`unevaluated_${note}`)];
}

function limitsIn({ limits = {}, expected = {} }: FilledItem['item'], rendering: Rendering): string[] {
  const hard = rangeText(limits.min_value, limits.max_value, { ...rendering, names: ['between', 'atLeast', 'atMost'] });
  const usual = rangeText(expected.low, expected.high, {
    ...rendering,
    names: ['expected', 'expectedLow', 'expectedHigh'],
  });
  return [hard, usual].filter((each) => each !== undefined);
}

function rangeText(
  low: unknown,
  high: unknown,
  { language, text, names }: Rendering & { readonly names: readonly [FormTextName, FormTextName, FormTextName] },
): string | undefined {
  const shown = (limit: unknown) => decimalText(limitText(limit), language);
  const [both, least, most] = names;
  if (low !== undefined && high !== undefined) {
    // `5–8 mmol/L`: the unit once, where it is that of both.
    const isOneUnit = isRecord(low) && isRecord(high) && unitOfLimit(low) === unitOfLimit(high);
    return text(both, { low: isOneUnit ? shown(low['value']) : shown(low), high: shown(high) });
  }
  if (low !== undefined) return text(least, { limit: shown(low) });
  return high === undefined ? undefined : text(most, { limit: shown(high) });
}

function isHelp({ type, control = '' }: FilledItem['item']): boolean {
  return type === 'display' && HELP.has(control);
}

function fixed({ item, path, occurrences }: FilledItem, rendering: Rendering): Markup {
  const answers = occurrences.flatMap(({ answer }) =>
    answer === undefined ? [] : [answerText(item, answer, rendering)],
  );
  const texts = answers.length === 0 ? [rendering.text('notAnswered')] : answers;
  const values = texts.map((answer) => html`<dd>${linesOf(answer)}</dd>`);
  const note = noteOf(item, rendering).map(
    (text) => html`<p class="hint">${text}</p>
`,
  );
  return html`<dl id="${path}"><dt>${fullLabel(item, rendering.language)}</dt>${values}</dl>
${note}${occurrences.map((occurrence) => nestedItems(occurrence, rendering))}`;
}

function repeated(
  each: FilledItem,
  rendering: Rendering,
  row: (occurrence: Occurrence, index: number) => Markup,
): Markup {
  const { item, path, occurrences } = each;
  const { text } = rendering;
  const label = labelOf(each, rendering);
  const most = Math.min(item.limits?.max_answers ?? MOST_ROWS, MOST_ROWS);
  const rows = occurrences.map((occurrence, index) => {
    const remove = html`<p class="actions"><button class="button quiet" type="submit" name="go" value="${`${REMOVE}${path}:${index}`}">${text('remove', { n: index + 1, label })}</button></p>`;
    const inner = html`${row(occurrence, index)}${occurrences.length > 1 && remove}`;
    if (item.type !== 'group') return inner;
    return html`<fieldset class="group" id="${occurrence.path}"><legend>${text('nth', { label, n: index + 1 })}</legend>${inner}</fieldset>`;
  });
  const add = html`<p class="actions"><button class="button quiet" type="submit" name="go" value="${ADD}${path}">${text('add', { label })}</button></p>`;
  const optional = !item.required && item.type !== 'group' && html` <span class="optional">${text('optional')}</span>`;
  const hint = hintOf(item, rendering);
  return html`<fieldset class="rows" id="${path}" tabindex="-1"><legend>${label}${optional}</legend>${hint !== undefined && html`<span class="hint">${hint}</span>`}${errorAt(path, rendering)}<input type="hidden" name="${part.rows(path)}" value="${occurrences.length}">${rows}${occurrences.length < most && add}</fieldset>
`;
}

function errorAt(path: string, { errors }: Rendering): Markup | undefined {
  const error = errors.get(path);
  return error === undefined ? undefined : html`<span class="error">${error}</span>`;
}
