// The part of the receipt page that shows what was reported: when, the message, and each form with its answers as they
// were confirmed. Who opens the link again reads and prints it, without scripts.
import { linesOf } from '#fhir/forms/html/answer-text.ts';
import type { SentForm } from '#fhir/forms/html/form-steps.ts';
import { html, type Markup } from '#lib/html/html.ts';
import { translator } from '#lib/html/messages.ts';
import { momentOf } from '#lib/html/moment-text.ts';
import type { ReceiptPageModel } from './page-model.ts';
import { fact } from './page-plan.ts';
import messages from './page-sent.messages.json' with { type: 'json' };

/** Undefined while nothing was reported. */
export function sentPart(model: ReceiptPageModel): Markup | undefined {
  const { reported, state } = model.page;
  if (reported === undefined) return undefined;
  const text = translator(messages, model.language);
  const { at, note, forms, others } = reported;
  const status = text(state === 'completed' ? 'completed' : 'in_progress');
  const facts = [
    fact(text('status'), [at === undefined ? status : `${status}, ${momentOf(at, model)}`]),
    fact(text('note'), [note]),
    fact(text('others'), [others === 0 ? undefined : String(others)]),
  ];
  const sections = forms.map(({ answers, sentAt }) => {
    const moment = text('sentAt', { at: momentOf(sentAt, model) });
    if (answers === undefined)
      return html`<p>${moment}. ${text('notKept')}</p>
`;
    const { title, facts: given } = answers[model.language];
    return html`<h3>${title}</h3>
<p class="hint">${moment}</p>
<dl>${factsOf(given, text('notAnswered'))}</dl>
`;
  });
  return html`<section class="sent" aria-labelledby="sent"><h2 id="sent">${text('title')}</h2>
<p class="hint no-print">${text('print')}</p>
<dl>${facts}</dl>
${sections}</section>
`;
}

function factsOf(facts: SentForm['facts'], notAnswered: string): Markup[] {
  return facts.map(({ label, isGroup, values }) => {
    if (isGroup) return html`<dt class="of-group">${label}</dt>`;
    const shown = values.map((value) => html`<dd>${linesOf(value)}</dd>`);
    return html`<dt>${label}</dt>${shown.length === 0 ? html`<dd class="hint">${notAnswered}</dd>` : shown}`;
  });
}
