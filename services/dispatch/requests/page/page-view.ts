// The HTML of the receipt page for providers without a system (decision D13), for each state, in Swedish and English.
// It works without scripts. Only its forms have the token, never an address that a browser or a proxy stores
// (docs/adr/0030).
import { type Bilingual, type Speaker, speak } from '#lib/html/bilingual.ts';
import { alertText, hiddenField, submitButton, textArea, textField } from '#lib/html/form.ts';
import { html, type Language, type Markup, type Page } from '#lib/html/html.ts';
import { framed, other } from '#lib/html/layout.ts';
import { type ReceiptPageModel, TEXT_LENGTH } from './page-model.ts';
import { isReportable, reportPart } from './page-report.ts';
import type { PageState, ReceiptPage } from './page-service.ts';
import type { PatientContact, RequestedService } from './page-summary.ts';

/** The address of the page, relative to itself. */
const ADDRESS = 'receipt';

/**
 * Opens the request of a link, also of a second link in the same tab. It moves the token from the fragment, which no
 * server sees, into a form, and removes it from the address.
 */
const OPEN_LINK = `function o(){var t=location.hash.slice(1);if(!/^[\\w-]{43}$/.test(t))return;history.replaceState(null,'',location.pathname+location.search);var f=document.createElement('form');f.method='post';f.action='${ADDRESS}';[['token',t],['lang',document.documentElement.lang]].forEach(function(p){var i=document.createElement('input');i.type='hidden';i.name=p[0];i.value=p[1];f.append(i)});document.body.append(f);f.submit()}addEventListener('hashchange',o);o()`;

const TEXTS = {
  codeTitle: { sv: 'Öppna en förfrågan', en: 'Open a request' },
  code: { sv: 'Länk eller kod', en: 'Link or code' },
  codeHint: {
    sv: 'Klistra in hela länken som du har fått av beställaren.',
    en: 'Paste the whole link that the requester gave you.',
  },
  codeSubmit: { sv: 'Öppna', en: 'Open' },
  codeMissing: { sv: 'Fyll i länken eller koden.', en: 'Enter the link or the code.' },
  unknownTitle: { sv: 'Det finns ingen sådan förfrågan', en: 'There is no such request' },
  unknown: {
    sv: 'Kontrollera att du har fått med hela länken, eller fråga den som gav dig den.',
    en: 'Check that you have the whole link, or ask whoever gave it to you.',
  },
  openTitle: { sv: 'En förfrågan till {provider}', en: 'A request to {provider}' },
  open: {
    sv: 'Läs vad som efterfrågas och svara. Vem patienten är visas när ni har tackat ja.',
    en: 'Read what is asked for and answer. Who the patient is, is shown once you have accepted.',
  },
  acceptedTitle: { sv: 'Ni har tackat ja', en: 'You have accepted' },
  accepted: {
    sv: 'Uppdraget är ert. Här är det ni behöver för att utföra det.',
    en: 'The task is yours. Here is what you need to carry it out.',
  },
  in_progressTitle: { sv: 'Arbetet pågår', en: 'The work is under way' },
  in_progress: {
    sv: 'Ni har rapporterat att arbetet har börjat.',
    en: 'You have reported that the work has begun.',
  },
  completedTitle: { sv: 'Uppdraget är slutfört', en: 'The task is completed' },
  completed: { sv: 'Det är rapporterat som slutfört.', en: 'It has been reported as completed.' },
  rejectedTitle: { sv: 'Ni har tackat nej', en: 'You have declined' },
  rejected: {
    sv: 'Beställaren vet det. Ni behöver inte göra mer.',
    en: 'The requester knows. There is nothing more to do.',
  },
  stoppedTitle: { sv: 'Ni har lämnat tillbaka uppdraget', en: 'You have given the task back' },
  stopped: {
    sv: 'Beställaren vet att ni inte kunde slutföra det. Ni behöver inte göra mer.',
    en: 'The requester knows that you could not complete it. There is nothing more to do.',
  },
  withdrawnTitle: { sv: 'Förfrågan är återtagen', en: 'The request has been withdrawn' },
  withdrawn: {
    sv: 'Beställaren har tagit tillbaka den. Ni behöver inte göra något.',
    en: 'The requester has taken it back. There is nothing to do.',
  },
  takenTitle: { sv: 'En annan utförare har tackat ja', en: 'Another provider has accepted' },
  taken: {
    sv: 'Förfrågan gäller inte längre er. Ni behöver inte göra något.',
    en: 'The request no longer concerns you. There is nothing to do.',
  },
  expiredTitle: { sv: 'Svarstiden har gått ut', en: 'The time to respond has run out' },
  expired: { sv: 'Förfrågan kan inte längre besvaras.', en: 'The request can no longer be answered.' },
  noConsent: {
    sv: 'Uppgifterna visas inte: patientens samtycke medger det inte just nu.',
    en: 'The details are not shown: the patient’s consent does not allow it at the moment.',
  },
  notTaken: {
    sv: 'Ert svar kom inte med. Så här är läget nu:',
    en: 'Your answer was not taken. This is how matters stand:',
  },
  askedTitle: { sv: 'Vad som efterfrågas', en: 'What is asked for' },
  title: { sv: 'Uppdrag', en: 'Task' },
  activities: { sv: 'Innehåll', en: 'Contents' },
  forms: { sv: 'Formulär', en: 'Forms' },
  priority: { sv: 'Prioritet', en: 'Priority' },
  from: { sv: 'Från', en: 'From' },
  until: { sv: 'Till och med', en: 'Until' },
  sent: { sv: 'Skickad', en: 'Sent' },
  respondBy: { sv: 'Svara senast', en: 'Respond by' },
  patientTitle: { sv: 'Patienten', en: 'The patient' },
  name: { sv: 'Namn', en: 'Name' },
  birthDate: { sv: 'Född', en: 'Born' },
  identifiers: { sv: 'Personnummer eller annat id', en: 'Personal number or other id' },
  contacts: { sv: 'Kontakt', en: 'Contact' },
  addresses: { sv: 'Adress', en: 'Address' },
  notes: { sv: 'Anteckning', en: 'Note' },
  answerTitle: { sv: 'Ert svar', en: 'Your answer' },
  reason: { sv: 'Skäl, om ni tackar nej', en: 'Reason, if you decline' },
  optional: { sv: '(valfritt)', en: '(optional)' },
  reasonHint: { sv: 'Skriv inget om patienten.', en: 'Write nothing about the patient.' },
  reasonWrong: {
    sv: 'Högst 2000 tecken, och inga styrtecken.',
    en: 'At most 2000 characters, and no control characters.',
  },
  questionsTitle: { sv: 'Frågor och svar', en: 'Questions and answers' },
  waiting: { sv: 'Inte besvarad än.', en: 'Not answered yet.' },
  question: { sv: 'Fråga till beställaren', en: 'Question to the requester' },
  questionHint: {
    sv: 'Svaret visas här, på samma länk. Skriv inget om patienten som inte behövs.',
    en: 'The answer appears here, at the same link. Write nothing about the patient that is not needed.',
  },
  questionWrong: {
    sv: 'Skriv en fråga på högst 2000 tecken, utan styrtecken.',
    en: 'Write a question of at most 2000 characters, without control characters.',
  },
  send: { sv: 'Skicka frågan', en: 'Send the question' },
  accept: { sv: 'Tacka ja', en: 'Accept' },
  reject: { sv: 'Tacka nej', en: 'Decline' },
} as const satisfies Record<string, Bilingual>;

const PRIORITIES: Readonly<Record<string, Bilingual>> = {
  routine: { sv: 'Rutin', en: 'Routine' },
  urgent: { sv: 'Brådskande', en: 'Urgent' },
  asap: { sv: 'Så snart som möjligt', en: 'As soon as possible' },
  stat: { sv: 'Omedelbart', en: 'Immediately' },
};

type Text = Speaker<keyof typeof TEXTS>;

/** The page of a link: asks for its token, which a script takes from the link where scripts run. */
export function codePage(language: Language, isMissing: boolean): Page {
  const text = speak(TEXTS, language);
  const error = isMissing ? text('codeMissing') : undefined;
  const content = html`<h1>${text('codeTitle')}</h1>
${codeForm(language, text, error)}`;
  return framed({
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
  const text = speak(TEXTS, language);
  const content = html`<h1>${text('unknownTitle')}</h1>
<p>${text('unknown')}</p>
${codeForm(language, text, undefined)}`;
  const otherLanguage = { action: ADDRESS, fields: html`${hiddenField('token', 'unknown')}` };
  return framed({ language, title: text('unknownTitle'), content, otherLanguage, script: OPEN_LINK });
}

export function receiptPage(model: ReceiptPageModel): Page {
  const { language, token, page, timeZone, isRefused = false, wrong } = model;
  const { state, askedFor, patient } = page;
  const text = speak(TEXTS, language);
  const title = text(`${state}Title`, { provider: page.providerName });
  const content = html`${isRefused && alertText(text('notTaken'))}<h1>${title}</h1>
<p>${text(state)}</p>
${page.isWithoutConsent && html`<p class="note">${text('noConsent')}</p>`}
${patient && patientPart(patient, text)}
${askedFor && askedPart(askedFor, page, { text, language, timeZone })}
${state === 'open' && answerForm(model, text)}
${isReportable(state) && reportPart(model, ADDRESS)}
${(state === 'open' || isReportable(state)) && !page.isWithoutConsent && questionsPart(model, text)}`;
  return framed({
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
    error: isWrong ? text('reasonWrong') : undefined,
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
    error: isWrong ? text('questionWrong') : undefined,
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
  const told = (moment: Date) => momentText(moment, language, timeZone);
  return html`<h2>${text('askedTitle')}</h2>
<dl>${fact(text('title'), [asked.title])}${fact(text('activities'), asked.activities)}${fact(text('forms'), asked.forms)}${fact(text('priority'), [priority])}${fact(text('from'), [asked.from])}${fact(text('until'), [asked.until])}${fact(text('sent'), [told(dispatchedAt)])}${fact(text('respondBy'), [respondBy && told(respondBy)])}</dl>`;
}

function patientPart(patient: PatientContact, text: Text): Markup {
  return html`<h2>${text('patientTitle')}</h2>
<dl>${fact(text('name'), [patient.name])}${fact(text('birthDate'), [patient.birthDate])}${fact(text('identifiers'), patient.identifiers)}${fact(text('contacts'), patient.contacts)}${fact(text('addresses'), patient.addresses)}${fact(text('notes'), patient.notes)}</dl>`;
}

function fact(name: string, values: readonly (string | undefined)[]): Markup | undefined {
  const told = values.filter((value) => value !== undefined);
  return told.length === 0 ? undefined : html`<dt>${name}</dt>${told.map((value) => html`<dd>${value}</dd>`)}`;
}

/** In the deployment's time zone, which it names. */
function momentText(moment: Date, language: Language, timeZone: string): string {
  return new Intl.DateTimeFormat(language === 'sv' ? 'sv-SE' : 'en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  }).format(moment);
}
