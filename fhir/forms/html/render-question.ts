// The control of a question without options, by its type.
import { selectField, textArea, textField } from '#lib/html/form.ts';
import { html, type Markup } from '#lib/html/html.ts';
import type { RenderReadyItem } from '../render-ready-form.ts';
import { part } from './fields.ts';
import { booleanField } from './render-choice.ts';
import type { FieldText, Rendering } from './rendering.ts';
import { unitsOf } from './typed-answer.ts';

/** The most characters of an answer that its form does not limit: a page's body has room for a few of these. */
const LONGEST_TEXT = 20_000;
const LONGEST_LINE = 4000;

export function answerField(item: RenderReadyItem, path: string, field: FieldText, rendering: Rendering): Markup {
  switch (item.type) {
    case 'boolean':
      return booleanField(item, path, field, rendering);
    case 'text':
      return textArea({ ...named(path, field, rendering), maxLength: longest(item, LONGEST_TEXT) });
    case 'dateTime':
      return dateTimeField(path, field, rendering);
    case 'quantity':
      return quantityField(item, path, field, rendering);
    case 'attachment':
      return attachmentField(item, path, field, rendering);
    default:
      return textField({
        ...named(path, withHint(field, formatHint(item, rendering)), rendering),
        autocomplete: 'off',
        maxLength: longest(item, LONGEST_LINE),
        ...modeOf(item),
      });
  }
}

function named(path: string, field: FieldText, { fields }: Rendering) {
  return { ...field, name: path, value: fields[path]?.[0] };
}

function longest({ limits = {} }: RenderReadyItem, most: number): number {
  return Math.min(limits.max_length ?? most, most);
}

function modeOf({ type }: RenderReadyItem): { inputmode?: 'numeric' | 'decimal' | 'url' } {
  if (type === 'integer') return { inputmode: 'numeric' };
  if (type === 'decimal') return { inputmode: 'decimal' };
  return type === 'url' ? { inputmode: 'url' } : {};
}

function withHint(field: FieldText, hint: string | undefined): FieldText {
  return hint === undefined ? field : { ...field, hint: field.hint === undefined ? hint : `${field.hint} ${hint}` };
}

function formatHint(item: RenderReadyItem, { text }: Rendering): string | undefined {
  switch (item.type) {
    case 'date':
      return item.placeholder === undefined ? text('dateHint') : undefined;
    case 'time':
      return item.placeholder === undefined ? text('timeHint') : undefined;
    case 'url':
      return text('linkHint');
    case 'coding':
      return text('codingHint');
    case 'reference':
      return text('referenceHint', { type: item.limits?.resource_types?.[0] ?? 'Practitioner' });
    default:
      return undefined;
  }
}

function dateTimeField(path: string, field: FieldText, rendering: Rendering): Markup {
  const { text, fields } = rendering;
  const day = textField({
    ...named(
      path,
      { label: text('day'), optional: field.optional, hint: text('dateHint'), error: field.error },
      rendering,
    ),
    autocomplete: 'off',
  });
  const clock = textField({
    name: part.time(path),
    label: text('clock'),
    optional: text('optional'),
    hint: text('timeHint'),
    value: fields[part.time(path)]?.[0],
    autocomplete: 'off',
  });
  return several(path, field, html`<div class="parts">${day}${clock}</div>`);
}

/** A fieldset around several controls of one answer. Its error is at the first. */
function several(path: string, field: FieldText, controls: Markup): Markup {
  const hint = field.hint !== undefined && html`<span class="hint" id="${`${path}.hint`}">${field.hint}</span>`;
  const described = field.hint !== undefined && html` aria-describedby="${`${path}.hint`}"`;
  return html`<fieldset class="field"${described}><legend>${field.label}</legend>${hint}${controls}</fieldset>`;
}

function quantityField(item: RenderReadyItem, path: string, field: FieldText, rendering: Rendering): Markup {
  const { text, fields } = rendering;
  const units = unitsOf(item);
  const [only] = units;
  if (units.length === 1 && only !== undefined) {
    const unit = only.label ?? only.code ?? '';
    const label = unit === '' ? field.label : `${field.label} (${unit})`;
    return textField({ ...named(path, { ...field, label }, rendering), autocomplete: 'off', inputmode: 'decimal' });
  }
  const value = textField({
    ...named(path, { label: text('value'), optional: field.optional, hint: undefined, error: field.error }, rendering),
    autocomplete: 'off',
    inputmode: 'decimal',
  });
  const unit = { name: part.unit(path), label: text('unit') };
  const chosen = fields[part.unit(path)]?.[0];
  const control =
    units.length === 0
      ? textField({ ...unit, value: chosen, optional: text('optional'), autocomplete: 'off', maxLength: 100 })
      : selectField({
          ...unit,
          options: units.map(({ label, code = '' }, index) => ({ value: `u${index}`, label: label ?? code })),
          chosen: chosen === undefined ? [] : [chosen],
          optional: field.optional,
          none: text('choose'),
        });
  return several(path, field, html`<div class="parts">${value}${control}</div>`);
}

function attachmentField(item: RenderReadyItem, path: string, field: FieldText, rendering: Rendering): Markup {
  const { text, fields } = rendering;
  const types = item.limits?.media_types ?? [];
  const url = textField({
    ...named(
      path,
      { label: text('url'), optional: field.optional, hint: text('urlHint'), error: field.error },
      rendering,
    ),
    autocomplete: 'off',
    inputmode: 'url',
    maxLength: LONGEST_LINE,
  });
  const [title, type] = [part.title(path), part.mediaType(path)];
  const name = textField({
    name: title,
    label: text('fileTitle'),
    optional: text('optional'),
    value: fields[title]?.[0],
    autocomplete: 'off',
    maxLength: 200,
  });
  const chosen = fields[type]?.[0];
  const choice =
    types.length > 1 &&
    selectField({
      name: type,
      label: text('fileType'),
      options: types.map((each) => ({ value: each, label: each })),
      chosen: chosen === undefined ? [] : [chosen],
      none: text('choose'),
    });
  return several(path, field, html`${url}${name}${choice}`);
}
