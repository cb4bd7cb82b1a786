// The parts of the receipt page about the plan (decision L8). They are who asks, the goals, the timing in words, what
// to measure, and the forms that are filled in here.

import { linesOf } from '#fhir/forms/html/answer-text.ts';
import type { Requester } from '#fhir/reports/requester.ts';
import { hiddenField } from '#lib/html/form.ts';
import { html, type Language, type Markup } from '#lib/html/html.ts';
import { type Translate, translator } from '#lib/html/messages.ts';
import { momentOf } from '#lib/html/moment-text.ts';
import type { ReceiptPageModel } from './page-model.ts';
import messages from './page-plan.messages.json' with { type: 'json' };
import type { FormOnPage } from './page-service.ts';
import type { AskedMeasure, RequestedService } from './page-summary.ts';
import { timingText } from './timing-text.ts';

type Text = Translate<keyof typeof messages>;

/** Nothing when the request does not say. */
export function requesterPart({ person, unit, contacts }: Requester, language: Language): Markup | undefined {
  const text = translator(messages, language);
  const reached = contacts.map(({ value }) => value);
  const facts = [fact(text('person'), [person]), fact(text('unit'), [unit]), fact(text('contacts'), reached)];
  if (facts.every((each) => each === undefined)) return undefined;
  return html`<h2>${text('requesterTitle')}</h2>
<dl>${facts}</dl>
`;
}

export function planPart({ goals, timing, measures }: RequestedService, language: Language): Markup {
  const text = translator(messages, language);
  const shown = timing.flatMap(({ title, repeat, words }) => {
    const when = timingText(repeat, language) ?? words;
    return when === undefined ? [] : [title === undefined ? when : `${title}: ${when}`];
  });
  const facts = [
    fact(
      text('goals'),
      goals.map(({ text: words, targets }) => [words, ...targets].filter((part) => part !== '').join(': ')),
    ),
    fact(text('timing'), shown),
    fact(
      text('measures'),
      measures.map((measure) => measureText(measure, language, text)),
    ),
  ];
  return html`<dl>${facts}</dl>
`;
}

function measureText({ title, unit, timing, isRequired }: AskedMeasure, language: Language, text: Text): string {
  const when = timing && timingText(timing, language);
  const named = unit === undefined ? title : `${title} (${unit})`;
  return [named, ...(when === undefined ? [] : [when.toLowerCase()]), ...(isRequired ? [text('required')] : [])].join(
    ', ',
  );
}

/** The forms with their states, each with a button that opens it. */
export function formsPart(model: ReceiptPageModel, action: string): Markup | undefined {
  const { language, token, page } = model;
  if (page.forms.length === 0) return undefined;
  const text = translator(messages, language);
  const forms = page.forms.map((form) => {
    const title = titleOf(form, language);
    const fields = html`${hiddenField('lang', language)}${hiddenField('token', token)}${hiddenField('action', 'form')}${hiddenField('form', form.key)}`;
    const label = form.savedAt !== undefined ? 'goOn' : form.sentAt !== undefined ? 'again' : 'fillIn';
    return html`<li><form method="post" action="${action}">${fields}<p><strong>${title}</strong><span class="hint">${stateText(form, model, text)}</span></p><button class="button" type="submit" name="go" value="open">${text(label, { title })}</button></form></li>`;
  });
  return html`<h2>${text('formsTitle')}</h2>
<p>${text('formsHint')}</p>
<ul class="forms">${forms}</ul>
`;
}

function titleOf({ title, translations }: FormOnPage, language: Language): string {
  const tag = Object.keys(translations).find((each) => each.toLowerCase().split('-')[0] === language);
  return (tag === undefined ? undefined : translations[tag]) || title;
}

function stateText({ savedAt, sentAt }: FormOnPage, model: ReceiptPageModel, text: Text): string {
  const sent = sentAt === undefined ? [] : [text('sent', { at: momentOf(sentAt, model) })];
  const saved = savedAt === undefined ? [] : [text('saved', { at: momentOf(savedAt, model) })];
  return [...sent, ...saved].join(' ') || text('untouched');
}

/** A name with its values; nothing without values. */
/** What people have written keeps its lines. */
export function fact(name: string, values: readonly (string | undefined)[]): Markup | undefined {
  const shown = values.filter((value): value is string => value !== undefined && value !== '');
  return shown.length === 0
    ? undefined
    : html`<dt>${linesOf(name)}</dt>${shown.map((value) => html`<dd>${linesOf(value)}</dd>`)}`;
}
