// Parts of forms that work without scripts (WCAG 2.2 AA): every field is tied to its label, hint and error. A page with
// errors begins with a summary that has the focus and links to the fields. The id of a field is its name.
import messages from './form.messages.json' with { type: 'json' };
import { html, type Language, type Markup } from './html.ts';
import { translator } from './messages.ts';

/** The errors, by the name of the field. */
export type FieldErrors = Readonly<Record<string, string>>;

interface Common {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  /** The error of the typed value. */
  readonly error?: string | undefined;
}

export interface TextField extends Common {
  readonly type?: 'text' | 'email' | 'password' | 'search' | 'date';
  readonly value?: string | undefined;
  readonly autocomplete: string;
  readonly inputmode?: 'numeric' | 'decimal' | 'url';
  readonly isOptional?: boolean;
  /** Said behind the label of an optional field. */
  readonly optional?: string | undefined;
  readonly maxLength?: number | undefined;
  readonly isFocused?: boolean;
}

export interface Option {
  readonly value: string;
  readonly label: string;
}

export interface OptionField extends Common {
  readonly options: readonly Option[];
  readonly chosen: readonly string[];
  /** Shown after the label of an optional field; empty for one that is not called so. */
  readonly optional?: string | undefined;
  /** Beside each other, as far as there is room. */
  readonly isInRow?: boolean;
}

/** A line to type in; a password that was typed is never put back. */
export function textField(field: TextField): Markup {
  const { name, label, type = 'text', autocomplete, error } = field;
  const value = type === 'password' ? '' : (field.value ?? '');
  const mode = field.inputmode !== undefined && html` inputmode="${field.inputmode}"`;
  const plain = type !== 'text' && html` spellcheck="false" autocapitalize="none"`;
  const isRequired = field.isOptional !== true && field.optional === undefined;
  const flags = [
    isRequired && html` required`,
    field.maxLength !== undefined && html` maxlength="${field.maxLength}"`,
    field.isFocused === true && html` autofocus`,
  ];
  return html`<div class="field"><label for="${name}">${label}${optionalText(field)}</label>${explanation(field)}
<input class="text" id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}"${plain}${mode}${flags}${error !== undefined && html` aria-invalid="true"`}${describedBy(field)}></div>`;
}

export interface TextArea extends Common {
  readonly value?: string | undefined;
  readonly maxLength: number;
  /** Said behind the label when nothing needs to be written. */
  readonly optional?: string | undefined;
}

/** A text area of several lines. */
export function textArea(field: TextArea): Markup {
  const { name, label, value = '', maxLength, optional } = field;
  const flags = [optional === undefined && html` required`, field.error !== undefined && html` aria-invalid="true"`];
  return html`<div class="field"><label for="${name}">${label}${optionalText(field)}</label>${explanation(field)}
<textarea class="text" id="${name}" name="${name}" rows="4" maxlength="${maxLength}"${flags}${describedBy(field)}>
${value}</textarea></div>`;
}

/** One of several. */
export function radioField(field: OptionField): Markup {
  const invalid = field.error !== undefined && html` aria-invalid="true"`;
  const required = field.optional === undefined && html` aria-required="true"`;
  return html`<fieldset class="field" role="radiogroup"${required}${invalid}${describedBy(field)}><legend>${field.label}${optionalText(field)}</legend>${explanation(field)}
${optionsOf(field, 'radio')}</fieldset>`;
}

/** Any of several, or none. */
export function checkboxField(field: OptionField): Markup {
  return html`<fieldset class="field"${describedBy(field)}><legend>${field.label}${optionalText(field)}</legend>${explanation(field)}
${optionsOf(field, 'checkbox')}</fieldset>`;
}

/** One of many, in a list that opens. Its first option has no value and stands for no answer. */
export function selectField(field: OptionField & { readonly none: string }): Markup {
  const { name, label, options, chosen, none } = field;
  const required = field.optional === undefined && html` required`;
  const invalid = field.error !== undefined && html` aria-invalid="true"`;
  const choices = [{ value: '', label: none }, ...options].map(
    (option) =>
      html`<option value="${option.value}"${chosen.includes(option.value) && html` selected`}>${option.label}</option>`,
  );
  return html`<div class="field"><label for="${name}">${label}${optionalText(field)}</label>${explanation(field)}
<select class="text" id="${name}" name="${name}"${required}${invalid}${describedBy(field)}>${choices}</select></div>`;
}

/**
 * The errors in the order of the fields, each leading to its field; nothing when there are none. It has the focus when
 * the page opens.
 */
export function errorSummary(language: Language, errors: FieldErrors): Markup | undefined {
  const entries = Object.entries(errors);
  if (entries.length === 0) return undefined;
  const title = translator(messages, language)(entries.length === 1 ? 'one' : 'many', { n: entries.length });
  const items = entries.map(([name, message]) => html`<li><a href="#${name}">${message}</a></li>`);
  return html`<section class="alert" tabindex="-1" autofocus aria-labelledby="errors"><h2 id="errors">${title}</h2><ul>${items}</ul></section>
`;
}

/** Something that went wrong and has no field; it has the focus when the page opens. */
export function alertText(message: string): Markup {
  return html`<p class="alert" tabindex="-1" autofocus role="alert">${message}</p>
`;
}

/** A value that the form carries along; nothing when there is none. */
export function hiddenField(name: string, value: string | undefined): Markup | undefined {
  return value === undefined ? undefined : html`<input type="hidden" name="${name}" value="${value}">`;
}

/** The button that sends the form. */
export function submitButton(label: string): Markup {
  return html`<button class="button full" type="submit">${label}</button>`;
}

function optionsOf(field: OptionField, type: 'radio' | 'checkbox'): Markup {
  const all = field.options.map((option, index) => optionOf(field, option, { index, type }));
  return field.isInRow === true ? html`<div class="in-row">${all}</div>` : html`${all}`;
}

function optionOf(field: OptionField, option: Option, { index, type }: { index: number; type: 'radio' | 'checkbox' }) {
  const id = index === 0 ? field.name : `${field.name}-${index}`;
  const isChosen = field.chosen.includes(option.value) && html` checked`;
  const invalid = type === 'checkbox' && field.error !== undefined && html` aria-invalid="true"`;
  return html`<label class="option" for="${id}"><input id="${id}" name="${field.name}" type="${type}" value="${option.value}"${isChosen}${invalid}>${option.label}</label>
`;
}

function optionalText({ optional }: { readonly optional?: string | undefined }): Markup | undefined {
  return optional === undefined ? undefined : html` <span class="optional">${optional}</span>`;
}

function explanation({ name, hint, error }: Common): readonly (Markup | undefined)[] {
  return [
    hint === undefined ? undefined : html`<span class="hint" id="${name}-hint">${hint}</span>`,
    error === undefined ? undefined : html`<span class="error" id="${name}-error">${error}</span>`,
  ];
}

function describedBy({ name, hint, error }: Common): Markup | undefined {
  const ids = [hint !== undefined && `${name}-hint`, error !== undefined && `${name}-error`].filter(
    (id) => id !== false,
  );
  return ids.length === 0 ? undefined : html` aria-describedby="${ids.join(' ')}"`;
}
