// The part of the receipt page by which providers without a system report (decision D13; docs/adr/0036). The work has
// begun, is done, or cannot be done. It uses the statuses of the status callback.
import { checkboxField, hiddenField, radioField, textArea } from '#lib/html/form.ts';
import { html, type Markup } from '#lib/html/html.ts';
import { translator } from '#lib/html/messages.ts';
import type { ProgressStatus } from '../../shared/match-lifecycle.ts';
import { type ReceiptPageModel, TEXT_LENGTH } from './page-model.ts';
import messages from './page-report.messages.json' with { type: 'json' };
import type { PageState } from './page-service.ts';
import { errorAt } from './page-wrong.ts';

/** What can be reported on the page. Opening it is no acknowledgement. */
export type PageReport = Exclude<ProgressStatus, 'acknowledged'>;

const NEXT = {
  accepted: ['in_progress', 'completed', 'rejected'],
  in_progress: ['completed', 'rejected'],
} as const satisfies Partial<Record<PageState, readonly PageReport[]>>;

export function isReportable(state: PageState): state is keyof typeof NEXT {
  return Object.hasOwn(NEXT, state);
}

/** Whether it is a report that the form may send, in any state. */
export function isPageReport(text: string): text is PageReport {
  return NEXT.accepted.some((report) => report === text);
}

/** Empty when nothing can be reported. */
export function reportPart({ token, language, wrong, page }: ReceiptPageModel, action: string): Markup {
  const text = translator(messages, language);
  const reports = isReportable(page.state) ? NEXT[page.state] : [];
  const isWrong = wrong?.field === 'note' || wrong?.field === 'progress' || wrong?.field === 'discard';
  const progress = radioField({
    name: 'progress',
    label: text('progress'),
    hint: text('progressHint'),
    options: reports.map((value) => ({ value, label: text(value) })),
    chosen: isWrong && wrong.chosen !== undefined ? [wrong.chosen] : [],
    error: errorAt('progress', { language, wrong }),
  });
  const note = textArea({
    name: 'note',
    label: text('note'),
    optional: text('optional'),
    hint: text('noteHint'),
    maxLength: TEXT_LENGTH,
    value: isWrong ? wrong.text : undefined,
    error: errorAt('note', { language, wrong }),
  });
  const discard =
    page.hasDrafts &&
    checkboxField({
      name: 'discard',
      label: text('discard'),
      hint: text('discardHint'),
      options: [{ value: 'yes', label: text('discardYes') }],
      chosen: [],
      error: errorAt('discard', { language, wrong }),
    });
  return html`<h2>${text('title')}</h2>
<form method="post" action="${action}" novalidate>${hiddenField('lang', language)}${hiddenField('token', token)}${hiddenField('action', 'report')}
${progress}
${note}
${discard}
<p class="actions"><button class="button" type="submit">${text('send')}</button></p>
</form>`;
}
