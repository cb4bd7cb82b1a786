// The part of the receipt page by which providers without a system report (decision D13; docs/adr/0036): the work has
// begun, is done, or cannot be done. It uses the statuses of the status callback.
import { type Bilingual, speak } from '#lib/html/bilingual.ts';
import { hiddenField, radioField, textArea } from '#lib/html/form.ts';
import { html, type Markup } from '#lib/html/html.ts';
import type { ProgressStatus } from '../../shared/match-lifecycle.ts';
import { type ReceiptPageModel, TEXT_LENGTH } from './page-model.ts';
import type { PageState } from './page-service.ts';

/** What can be reported on the page. Opening it is no acknowledgement. */
export type PageReport = Exclude<ProgressStatus, 'acknowledged'>;

const NEXT = {
  accepted: ['in_progress', 'completed', 'rejected'],
  in_progress: ['completed', 'rejected'],
} as const satisfies Partial<Record<PageState, readonly PageReport[]>>;

const TEXTS = {
  title: { sv: 'Rapportera', en: 'Report' },
  progress: { sv: 'Hur går det?', en: 'How is it going?' },
  progressHint: {
    sv: 'Att uppdraget är slutfört, eller inte kan utföras, kan inte ändras i efterhand.',
    en: 'That the task is completed, or cannot be done, cannot be changed afterwards.',
  },
  progressMissing: { sv: 'Välj vad ni vill rapportera.', en: 'Choose what to report.' },
  in_progress: { sv: 'Vi har börjat', en: 'We have begun' },
  completed: { sv: 'Uppdraget är slutfört', en: 'The task is completed' },
  rejected: { sv: 'Vi kan inte utföra uppdraget', en: 'We cannot do the task' },
  note: { sv: 'Meddelande till beställaren', en: 'Message to the requester' },
  optional: { sv: '(valfritt)', en: '(optional)' },
  noteHint: {
    sv: 'Skriv inget om patienten som inte behövs.',
    en: 'Write nothing about the patient that is not needed.',
  },
  noteWrong: {
    sv: 'Högst 2000 tecken, och inga styrtecken.',
    en: 'At most 2000 characters, and no control characters.',
  },
  send: { sv: 'Skicka rapporten', en: 'Send the report' },
} as const satisfies Record<string, Bilingual>;

export function isReportable(state: PageState): state is keyof typeof NEXT {
  return Object.hasOwn(NEXT, state);
}

/** Whether it is a report that the form may send, in any state. */
export function isPageReport(text: string): text is PageReport {
  return NEXT.accepted.some((report) => report === text);
}

/** Empty when nothing can be reported. */
export function reportPart({ token, language, wrong, page }: ReceiptPageModel, action: string): Markup {
  const text = speak(TEXTS, language);
  const reports = isReportable(page.state) ? NEXT[page.state] : [];
  const isWrong = wrong?.field === 'note' || wrong?.field === 'progress';
  const progress = radioField({
    name: 'progress',
    label: text('progress'),
    hint: text('progressHint'),
    options: reports.map((value) => ({ value, label: text(value) })),
    chosen: isWrong && wrong.chosen !== undefined ? [wrong.chosen] : [],
    error: wrong?.field === 'progress' ? text('progressMissing') : undefined,
  });
  const note = textArea({
    name: 'note',
    label: text('note'),
    optional: text('optional'),
    hint: text('noteHint'),
    maxLength: TEXT_LENGTH,
    value: isWrong ? wrong.text : undefined,
    error: wrong?.field === 'note' ? text('noteWrong') : undefined,
  });
  return html`<h2>${text('title')}</h2>
<form method="post" action="${action}" novalidate>${hiddenField('lang', language)}${hiddenField('token', token)}${hiddenField('action', 'report')}
${progress}
${note}
<p class="actions"><button class="button" type="submit">${text('send')}</button></p>
</form>`;
}
