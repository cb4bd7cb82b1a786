// The controls of a question with options. They are radio buttons, a list that opens, or check boxes. There is a search
// where there are many options, and a text for an answer that is none of them.
import {
  checkboxField,
  hiddenField,
  type Option,
  radioField,
  selectField,
  textArea,
  textField,
} from '#lib/html/form.ts';
import { html, type Markup } from '#lib/html/html.ts';
import type { FilledItem } from '../filling.ts';
import type { RenderReadyItem } from '../render-ready-form.ts';
import { labelIn } from './answer-text.ts';
import { OTHER, optionIndex, optionValue, part, textIn } from './fields.ts';
import type { FieldText, Rendering } from './rendering.ts';

/** More options than these are in a list that opens. */
const MOST_RADIOS = 7;
/** More options than these are searched. */
const MOST_LISTED = 100;
const MOST_FOUND = 20;
const LONGEST_OTHER = 4000;

export function choiceField({ item, path }: FilledItem, field: FieldText, rendering: Rendering): Markup {
  const given = rendering.fields[path] ?? [];
  const chosen = given.filter((value) => value !== '');
  const { text } = rendering;
  if (item.options === undefined) return booleanField(item, path, field, rendering);
  const isSearched = item.options.length > MOST_LISTED;
  const options = isSearched ? foundOptions(item, path, chosen, rendering) : allOptions(item, rendering);
  const isOther = item.other_answers === 'any' || item.other_answers === 'text';
  const all = isOther ? [...options, { value: OTHER, label: text('other') }] : options;
  const search = isSearched && searchField(item, path, field, rendering);
  const control = all.length === 0 ? undefined : controlOf(item, path, { field, all, chosen, rendering });
  return html`${search}${marked(path, control)}${isOther && otherField(item, path, rendering)}`;
}

/** Yes or no. */
export function booleanField(item: RenderReadyItem, path: string, field: FieldText, rendering: Rendering): Markup {
  const { text, fields } = rendering;
  const options = [
    { value: 'true', label: text('yes') },
    { value: 'false', label: text('no') },
  ];
  const chosen = (fields[path] ?? []).filter((value) => value !== '');
  return marked(path, radioField({ ...field, name: path, options: withNone(item, options, rendering), chosen }));
}

/** A hidden text distinguishes a form without a choice from one that was not sent. */
function marked(path: string, control: Markup | undefined): Markup {
  return html`${hiddenField(path, '')}${control ?? html`<span id="${path}"></span>`}`;
}

interface Control {
  readonly field: FieldText;
  readonly all: readonly Option[];
  readonly chosen: readonly string[];
  readonly rendering: Rendering;
}

function controlOf(item: RenderReadyItem, path: string, { field, all, chosen, rendering }: Control): Markup {
  const isInRow = item.orientation === 'horizontal' || item.control === 'atable';
  if (item.repeats) return checkboxField({ ...field, name: path, options: all, chosen, isInRow });
  const isList = item.control === 'drop-down' || item.control === 'autocomplete' || all.length > MOST_RADIOS;
  if (isList && item.control !== 'radio-button' && (item.options?.length ?? 0) <= MOST_LISTED) {
    return selectField({ ...field, name: path, options: all, chosen, none: rendering.text('choose') });
  }
  return radioField({
    ...field,
    name: path,
    options: withNone(item, all, rendering),
    chosen: chosen.slice(0, 1),
    isInRow,
  });
}

/** A radio button cannot be taken back, so an optional question has one for no answer. */
function withNone(item: RenderReadyItem, options: readonly Option[], { text }: Rendering): readonly Option[] {
  return item.required ? options : [...options, { value: '', label: text('noAnswer') }];
}

function allOptions({ options = [] }: RenderReadyItem, { language }: Rendering): Option[] {
  return options.map((option, index) => ({ value: optionValue(index), label: labelIn(option, language) }));
}

/** Those that are chosen, and the first of those that have the searched text. */
function foundOptions(item: RenderReadyItem, path: string, chosen: readonly string[], rendering: Rendering): Option[] {
  const wanted = textIn(rendering.fields, part.find(path)).toLowerCase();
  const all = allOptions(item, rendering);
  const kept = chosen.flatMap((value) => all[optionIndex(value) ?? -1] ?? []);
  if (wanted === '') return kept;
  const found = all.filter(({ label }) => label.toLowerCase().includes(wanted)).slice(0, MOST_FOUND);
  return [...kept, ...found.filter((option) => !kept.includes(option))];
}

function searchField(item: RenderReadyItem, path: string, field: FieldText, rendering: Rendering): Markup {
  const { text, fields, language } = rendering;
  const wanted = textIn(fields, part.find(path)).toLowerCase();
  const count = (item.options ?? []).filter((option) =>
    labelIn(option, language).toLowerCase().includes(wanted),
  ).length;
  const note =
    wanted === '' ? undefined : count === 0 ? text('findNone') : count > MOST_FOUND ? text('findMore') : undefined;
  const search = textField({
    name: part.find(path),
    label: `${field.label}: ${text('find', { n: item.options?.length ?? 0 })}`,
    hint: text('findHint'),
    value: textIn(fields, part.find(path)),
    autocomplete: 'off',
    isOptional: true,
  });
  return html`<div class="search">${search}<button class="button quiet" type="submit" name="go" value="refresh">${text('findButton')}</button></div>
${note !== undefined && html`<p class="note" role="status">${note}</p>`}`;
}

function otherField(item: RenderReadyItem, path: string, rendering: Rendering): Markup {
  const { text, fields, errors } = rendering;
  const name = part.other(path);
  const shared = { name, error: errors.get(name), optional: text('optional') };
  const value = fields[name]?.[0];
  if (item.repeats) return textArea({ ...shared, label: text('otherLines'), value, maxLength: LONGEST_OTHER });
  return textField({ ...shared, label: text('otherText'), value, autocomplete: 'off', maxLength: LONGEST_OTHER });
}
