// The HTML of the receipt page for providers without a system (decision D13), for each state, in Swedish and English.
// It works without scripts. Only its forms have the token, never an address that a browser or a proxy stores
// (docs/adr/0030).
import { alertText, hiddenField, submitButton, textArea, textField } from '#lib/html/form.ts';
import { html, type Language, type Markup, type Page } from '#lib/html/html.ts';
import { other, renderLayout } from '#lib/html/layout.ts';
import { type Message, type Translate, translator } from '#lib/html/messages.ts';
import { momentOf } from '#lib/html/moment-text.ts';
import { type ReceiptPageModel, TEXT_LENGTH } from './page-model.ts';
import { fact, formsPart, planPart, requesterPart } from './page-plan.ts';
import { isReportable, reportPart } from './page-report.ts';
import { sentPart } from './page-sent.ts';
import type { PageState, ReceiptPage } from './page-service.ts';
import type { PatientContact, RequestedService } from './page-summary.ts';
import messages from './page-view.messages.json' with { type: 'json' };
import { errorAt, wrongSummary } from './page-wrong.ts';

/** The address of the page, relative to itself. */
export const ADDRESS = 'receipt';

/**
 * Where scripts run, the token is taken from the link's fragment, which no server sees, into a form, and removed from
 * the address. Each page is the response to a form, which browsers do not show again when somebody goes back or loads
 * it again. So its place in the history keeps what opens it: the token, and the form that is filled in (docs/adr/0030).
 */
export const OPEN_LINK = `var w=document.documentElement.lang;function p(d){var f=document.createElement('form');f.method='post';f.action='${ADDRESS}';Object.keys(d).forEach(function(n){var i=document.createElement('input');i.type='hidden';i.name=n;i.value=d[n];f.append(i)});document.body.append(f);f.submit()}function o(){var t=location.hash.slice(1);if(!/^[\\w-]{43}$/.test(t))return false;history.replaceState(null,'',location.pathname+location.search);p({token:t,lang:w});return true}function k(){var t=document.querySelector('input[type=hidden][name=token]'),f=document.getElementById('form'),s=history.state;if(t){var d={token:t.value,lang:w};if(f&&f.elements.form){d.action='form';d.form=f.elements.form.value;d.go='open'}history.replaceState({receipt:d},'',location.href)}else if(s&&s.receipt)p(s.receipt)}addEventListener('hashchange',o);o()||k()`;

const PRIORITIES: Readonly<Record<string, Message>> = messages.priorities;

type Text = Translate<keyof typeof messages.page>;

/** The page of a link: asks for its token, which a script takes from the link where scripts run. */
export function codePage(language: Language, isMissing: boolean): Page {
  const text = translator(messages.page, language);
  const error = isMissing ? text('codeMissing') : undefined;
  const content = html`<h1>${text('codeTitle')}</h1>
${codeForm(language, text, error)}`;
  return renderLayout({
    language,
    title: text('codeTitle'),
    content,
    otherLanguage: `?lang=${other(language)}`,
    hasErrors: isMissing,
    script: OPEN_LINK,
  });
}

/** The page for a token that was never sent. */
export function unknownPage(language: Language): Page {
  return retryPage(language, 'unknown', 'unknown');
}

/** The page of a link that was withdrawn or renewed: only who handed it over can give another. */
export function endedPage(language: Language, token: string): Page {
  return retryPage(language, 'ended', token);
}

function retryPage(language: Language, what: 'unknown' | 'ended', token: string): Page {
  const text = translator(messages.page, language);
  const title = text(`${what}Title`);
  const content = html`<h1>${title}</h1>
<p>${text(what)}</p>
${codeForm(language, text, undefined)}`;
  const otherLanguage = { action: ADDRESS, fields: html`${hiddenField('token', token)}` };
  return renderLayout({ language, title, content, otherLanguage, script: OPEN_LINK });
}

export function receiptPage(model: ReceiptPageModel): Page {
  const { language, token, page, timeZone, isRefused = false, isAsked = false, wrong } = model;
  const { state, askedFor, patient } = page;
  const text = translator(messages.page, language);
  const title = text(`${state}Title`, { provider: page.providerName });
  const content = html`${isRefused && alertText(text('notTaken'))}${wrongSummary(language, wrong)}${
    isAsked &&
    html`<p class="note" role="status">${text('asked')}</p>
`
  }<h1>${title}</h1>
<p>${text(state)}</p>
${page.isWithoutConsent && html`<p class="note">${text('noConsent')}</p>`}
${page.hasDrafts && page.forms.length === 0 && isReportable(state) && html`<p class="note">${text(model.isKept === true ? 'draftKept' : 'hasDraft')}</p>`}
${sentPart(model)}
${patient && patientPart(patient, text)}
${askedFor && html`${requesterPart(askedFor.requester, language)}${askedPart(askedFor, page, { text, language, timeZone })}${planPart(askedFor, language)}`}
${isReportable(state) && formsPart(model, ADDRESS)}
${state === 'open' && answerForm(model, text)}
${isReportable(state) && reportPart(model, ADDRESS)}
${(state === 'open' || isReportable(state)) && !page.isWithoutConsent && questionsPart(model, text)}`;
  return renderLayout({
    language,
    title,
    content,
    otherLanguage: { action: ADDRESS, fields: html`${hiddenField('token', token)}` },
    hasErrors: isRefused || wrong !== undefined,
    script: OPEN_LINK,
  });
}

/** Whether the state's page has the status 410 Gone. */
export function isGone(state: PageState): boolean {
  return state === 'withdrawn' || state === 'taken' || state === 'expired';
}

function codeForm(language: Language, text: Text, error: string | undefined): Markup {
  const field = textField({ name: 'token', label: text('code'), hint: text('codeHint'), autocomplete: 'off', error });
  return html`<form method="post" action="${ADDRESS}" novalidate>${hiddenField('lang', language)}
${field}
${submitButton(text('codeSubmit'))}
</form>`;
}

function answerForm({ token, language, wrong, page }: ReceiptPageModel, text: Text): Markup {
  const isWrong = wrong?.field === 'reason';
  const reason = textArea({
    name: 'reason',
    label: text('reason'),
    optional: text('optional'),
    hint: text('reasonHint'),
    maxLength: TEXT_LENGTH,
    value: isWrong ? wrong.text : undefined,
    error: errorAt('reason', { language, wrong }),
  });
  // Without consent the request is not shown, and cannot be accepted.
  const accept =
    !page.isWithoutConsent &&
    html`<button class="button" type="submit" name="decision" value="accepted">${text('accept')}</button>`;
  return html`<h2>${text('answerTitle')}</h2>
<form method="post" action="${ADDRESS}">${hiddenField('lang', language)}${hiddenField('token', token)}
${reason}
<p class="actions">${accept}<button class="button quiet" type="submit" name="decision" value="rejected">${text('reject')}</button></p>
</form>`;
}

function questionsPart({ token, language, wrong, page }: ReceiptPageModel, text: Text): Markup {
  const isWrong = wrong?.field === 'question';
  const field = textArea({
    name: 'question',
    label: text('question'),
    hint: text('questionHint'),
    maxLength: TEXT_LENGTH,
    value: isWrong ? wrong.text : undefined,
    error: errorAt('question', { language, wrong }),
  });
  const asked = page.questions.map(({ question, answer }) => fact(question, [answer ?? text('waiting')]));
  return html`<h2>${text('questionsTitle')}</h2>
${asked.length > 0 && html`<dl>${asked}</dl>`}
<form method="post" action="${ADDRESS}" novalidate>${hiddenField('lang', language)}${hiddenField('token', token)}${hiddenField('action', 'ask')}
${field}
<p class="actions"><button class="button quiet" type="submit">${text('send')}</button></p>
</form>`;
}

function askedPart(
  asked: RequestedService,
  { dispatchedAt, respondBy }: ReceiptPage,
  { text, language, timeZone }: { text: Text } & Pick<ReceiptPageModel, 'language' | 'timeZone'>,
): Markup {
  const priority = asked.priority === undefined ? undefined : PRIORITIES[asked.priority]?.[language];
  const shown = (moment: Date) => momentOf(moment, { language, timeZone });
  return html`<h2>${text('askedTitle')}</h2>
<dl>${fact(text('title'), [asked.title])}${fact(text('activities'), asked.activities)}${fact(text('forms'), asked.forms)}${fact(text('priority'), [priority])}${fact(text('from'), [asked.from])}${fact(text('until'), [asked.until])}${fact(text('sent'), [shown(dispatchedAt)])}${fact(text('respondBy'), [respondBy && shown(respondBy)])}</dl>`;
}

function patientPart(patient: PatientContact, text: Text): Markup {
  return html`<h2>${text('patientTitle')}</h2>
<dl>${fact(text('name'), [patient.name])}${fact(text('birthDate'), [patient.birthDate])}${fact(text('identifiers'), patient.identifiers)}${fact(text('contacts'), patient.contacts)}${fact(text('addresses'), patient.addresses)}${fact(text('notes'), patient.notes)}</dl>`;
}
