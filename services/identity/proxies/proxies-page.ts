// The page of one's proxies and of those for whom one acts (decision L5, docs/adr/0074). Without scripts.

import { lastDayBefore } from '#lib/age.ts';
import { alertText, hiddenField, radioField, submitButton, textField } from '#lib/html/form.ts';
import { html, type Language, type Markup, type Page } from '#lib/html/html.ts';
import { other, renderLayout } from '#lib/html/layout.ts';
import { translator } from '#lib/html/messages.ts';
import { SWEDISH_TIME } from '#lib/html/moment-text.ts';
import { type FieldTexts, type FormProblem, problemSummary } from '../shared/form-problem.ts';
import messages from './proxies-page.messages.json' with { type: 'json' };
import type { ProxyView } from './view.ts';

/** In the order of the page. */
export const PROXY_FIELDS = messages.fields satisfies Record<string, FieldTexts>;
/** What has just been done. */
export const PROXY_DONE = ['isNamed', 'isAccepted', 'isEnded'] as const;
/** What was not possible, and has no field. */
export type ProxyNotice = 'tooMany' | 'child' | 'withdrawn' | 'expired';

/** So many of those that have ended are shown. */
const ENDED_SHOWN = 10;

export interface ProxiesView {
  readonly language: Language;
  readonly given: readonly ProxyView[];
  readonly received: readonly ProxyView[];
  /** The relative path to identity's root. */
  readonly root: string;
  readonly done?: (typeof PROXY_DONE)[number] | undefined;
  readonly typed?: Readonly<Record<string, string>> | undefined;
  readonly problem?: FormProblem | undefined;
  readonly notice?: ProxyNotice | undefined;
}

export function proxiesPage(view: ProxiesView): Page {
  const { language, given, received, root, done, problem, notice } = view;
  const text = translator(messages.page, language);
  const content = html`<h1>${text('title')}</h1>
<p>${text('lead')}</p>
${
  done &&
  html`<p role="status" class="note">${text(done)}</p>
`
}${notice && alertText(text(notice))}${problemSummary(language, problem)}<h2>${text('givenTitle')}</h2>
${listOf(given, text('givenNone'), (proxy) => givenItem(view, proxy))}
<h2>${text('receivedTitle')}</h2>
${listOf(received, text('receivedNone'), (proxy) => receivedItem(view, proxy))}
<h2>${text('nameTitle')}</h2>
<p>${text('nameLead')}</p>
${nameForm(view)}
<ul class="links"><li><a href="${root}account?lang=${language}">${text('account')}</a></li></ul>`;
  return renderLayout({
    language,
    title: text('title'),
    content,
    otherLanguage: `${root}proxies?lang=${other(language)}`,
    hasErrors: problem !== undefined || notice !== undefined,
  });
}

/** Those in force first, then the latest that have ended. */
function listOf(proxies: readonly ProxyView[], none: string, item: (proxy: ProxyView) => Markup): Markup {
  const open = proxies.filter(({ status }) => status !== 'ended');
  const ended = proxies.filter(({ status }) => status === 'ended').slice(0, ENDED_SHOWN);
  return html`${open.length === 0 && html`<p>${none}</p>`}${
    (open.length > 0 || ended.length > 0) && html`<ul class="forms">${[...open, ...ended].map(item)}</ul>`
  }`;
}

function givenItem(view: ProxiesView, proxy: ProxyView): Markup {
  const text = translator(messages.page, view.language);
  const { status, kind } = proxy;
  const name = proxy.delegate_name ?? proxy.named ?? '';
  const facts = [
    kind === 'guardian' ? text('guardianOfYou') : text(`may_${proxy.may}`),
    ...(status === 'invited' ? [text('waits')] : []),
    untilText(view.language, proxy),
  ];
  const label = text(status === 'invited' ? 'withdraw' : 'end');
  const button = status !== 'ended' && kind === 'proxy' && deed(view, proxy, { to: 'end', label, name });
  return html`<li><strong>${name}</strong><br>${facts.join(', ')}${button}</li>
`;
}

function receivedItem(view: ProxiesView, proxy: ProxyView): Markup {
  const text = translator(messages.page, view.language);
  const { status, kind } = proxy;
  const name = proxy.patient_name ?? '';
  const facts = [
    ...(status === 'invited' ? [text('invites')] : []),
    ...(kind === 'guardian' ? [text('guardian')] : []),
    text(`may_${proxy.may}`),
    untilText(view.language, proxy),
  ];
  const accept = status === 'invited' && deed(view, proxy, { to: 'accept', label: text('accept'), name });
  const label = text(status === 'invited' ? 'decline' : 'end');
  const end = status !== 'ended' && deed(view, proxy, { to: 'end', label, name });
  return html`<li><strong>${name}</strong><br>${facts.join(', ')}${accept}${end}</li>
`;
}

function untilText(language: Language, { status, ends_at: endsAt, ended_at: endedAt }: ProxyView): string {
  const text = translator(messages.page, language);
  const lastDay = lastDayBefore(new Date(endsAt ?? 0));
  if (status !== 'ended') return text('upTo', { day: dayText(language, lastDay) });
  return text('ended', { day: dayText(language, endedAt === null ? lastDay : new Date(endedAt)) });
}

/** The day in Sweden. */
export function dayText(language: Language, moment: Date): string {
  const locale = language === 'sv' ? 'sv-SE' : 'en-GB';
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: SWEDISH_TIME }).format(moment);
}

function deed(
  { language, root }: ProxiesView,
  { proxy_guid: guid }: ProxyView,
  { to, label, name }: { readonly to: 'accept' | 'end'; readonly label: string; readonly name: string },
): Markup {
  return html`
<form method="post" action="${root}proxies/${to}">${hiddenField('lang', language)}${hiddenField('proxy_guid', guid)}<button class="link" type="submit" aria-label="${label}: ${name}">${label}</button></form>`;
}

function nameForm({ language, root, typed, problem }: ProxiesView): Markup {
  const text = translator(messages.page, language);
  const errors = problem?.errors ?? {};
  const rights = { read: text('mayRead'), act: text('mayAct') };
  return html`<form method="post" action="${root}proxies" novalidate>${hiddenField('lang', language)}
${textField({ name: 'whom', label: text('whom'), autocomplete: 'off', value: typed?.['whom'], error: errors['whom'] })}
${radioField({
  name: 'may',
  label: text('mayTitle'),
  options: Object.entries(rights).map(([value, label]) => ({ value, label })),
  chosen: [typed?.['may'] ?? 'read'],
  error: errors['may'],
})}
${textField({ name: 'until', type: 'date', label: text('until'), hint: text('untilHint'), autocomplete: 'off', value: typed?.['until'], error: errors['until'] })}
${submitButton(text('name'))}
</form>`;
}
