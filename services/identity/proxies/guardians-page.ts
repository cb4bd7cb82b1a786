// The page on which an administrator sets the guardians of a child (decision L5, docs/adr/0074). Without scripts.

import { lastDayBefore } from '#lib/age.ts';
import { alertText, hiddenField, selectField, submitButton, textField } from '#lib/html/form.ts';
import { html, type Language, type Markup, type Page } from '#lib/html/html.ts';
import { other, renderLayout } from '#lib/html/layout.ts';
import { translator } from '#lib/html/messages.ts';
import { type FieldTexts, type FormProblem, problemSummary } from '../shared/form-problem.ts';
import messages from './proxies-page.messages.json' with { type: 'json' };
import { dayText } from './proxies-page.ts';
import type { ProxyView } from './view.ts';

export const GUARDIAN_FIELDS = messages.guardianFields satisfies Record<string, FieldTexts>;
export const CHILD_FIELDS = messages.childFields satisfies Record<string, FieldTexts>;
export const GUARDIAN_DONE = ['isSet', 'isEnded', 'isRegistered'] as const;

export interface GuardiansView {
  readonly language: Language;
  readonly root: string;
  /** The child that was found. */
  readonly child?:
    | { readonly guid: string; readonly name: string; readonly guardians: readonly ProxyView[] }
    | undefined;
  /** A child without an account, and what was typed of it. */
  readonly unregistered?:
    | {
        readonly child: string;
        readonly firstName?: string;
        readonly lastName?: string;
        readonly organisation?: string;
        readonly organisations: readonly { readonly organisationGuid: string; readonly name: string }[];
      }
    | undefined;
  readonly done?: (typeof GUARDIAN_DONE)[number] | undefined;
  readonly problem?: FormProblem | undefined;
  readonly notice?: 'tooMany' | undefined;
}

export function guardiansPage(view: GuardiansView): Page {
  const { language, root, child, unregistered, done, problem, notice } = view;
  const text = translator(messages.guardians, language);
  const content = html`<h1>${text('title')}</h1>
<p>${text('lead')}</p>
${
  done &&
  html`<p role="status" class="note">${text(done)}</p>
`
}${notice && alertText(text(notice))}${problemSummary(language, problem)}${contentOf(view)}
<ul class="links">${(child ?? unregistered) && html`<li><a href="${root}guardians?lang=${language}">${text('another')}</a></li>`}<li><a href="${root}account?lang=${language}">${text('account')}</a></li></ul>`;
  const query = new URLSearchParams({ ...(child && { patient: child.guid }), lang: other(language) });
  return renderLayout({
    language,
    title: text('title'),
    content,
    otherLanguage: `${root}guardians?${query}`,
    hasErrors: problem !== undefined || notice !== undefined,
  });
}

function contentOf(view: GuardiansView): Markup {
  if (view.child !== undefined) return ofChild(view, view.child);
  return view.unregistered === undefined ? findForm(view) : registerForm(view, view.unregistered);
}

function registerForm(
  { language, root, problem }: GuardiansView,
  { child, firstName, lastName, organisation, organisations }: NonNullable<GuardiansView['unregistered']>,
): Markup {
  const text = translator(messages.guardians, language);
  const errorOf = (name: string) => problem?.errors[name];
  const options = organisations.map(({ organisationGuid, name }) => ({ value: organisationGuid, label: name }));
  return html`<h2>${text('registerTitle')}</h2>
<p>${text('registerLead', { number: child })}</p>
<form method="post" action="${root}guardians/register" novalidate>${hiddenField('lang', language)}${hiddenField('child', child)}
${textField({ name: 'first_name', label: text('firstName'), autocomplete: 'off', value: firstName, maxLength: 100, error: errorOf('first_name') })}
${textField({ name: 'last_name', label: text('lastName'), autocomplete: 'off', value: lastName, maxLength: 100, error: errorOf('last_name') })}
${selectField({ name: 'organisation_guid', label: text('unit'), none: text('chooseUnit'), options, chosen: organisation === undefined ? [] : [organisation], error: errorOf('organisation_guid') })}
${submitButton(text('register'))}
</form>`;
}

/** A number is never in an address. */
function findForm({ language, root, problem }: GuardiansView): Markup {
  const text = translator(messages.guardians, language);
  return html`<form method="post" action="${root}guardians/find" novalidate>${hiddenField('lang', language)}
${textField({ name: 'child', label: text('childNumber'), autocomplete: 'off', inputmode: 'numeric', error: problem?.errors['child'] })}
${submitButton(text('find'))}
</form>`;
}

function ofChild(view: GuardiansView, child: NonNullable<GuardiansView['child']>): Markup {
  const { language, root, problem } = view;
  const text = translator(messages.guardians, language);
  const { guid, name, guardians } = child;
  const isNone = guardians.every(({ status }) => status === 'ended');
  return html`<h2>${text('of', { name })}</h2>
${isNone && html`<p>${text('none')}</p>`}${guardians.length > 0 && html`<ul class="forms">${guardians.map((each) => guardianItem(view, each, guid))}</ul>`}
<form method="post" action="${root}guardians/set" novalidate>${hiddenField('lang', language)}${hiddenField('patient', guid)}
${textField({ name: 'guardian', label: text('guardianNumber'), autocomplete: 'off', inputmode: 'numeric', error: problem?.errors['guardian'] })}
${submitButton(text('set'))}
</form>`;
}

function guardianItem({ language, root }: GuardiansView, guardian: ProxyView, child: string): Markup {
  const text = translator(messages.guardians, language);
  const name = guardian.delegate_name ?? '';
  const lastDay = lastDayBefore(new Date(guardian.ends_at ?? 0));
  if (guardian.status === 'ended') {
    const day = dayText(language, guardian.ended_at === null ? lastDay : new Date(guardian.ended_at));
    return html`<li><strong>${name}</strong><br>${text('ended', { day })}</li>
`;
  }
  return html`<li><strong>${name}</strong><br>${text('upTo', { day: dayText(language, lastDay) })}
<form method="post" action="${root}guardians/end">${hiddenField('lang', language)}${hiddenField('patient', child)}${hiddenField('proxy_guid', guardian.proxy_guid)}<button class="link" type="submit" aria-label="${text('end')}: ${name}">${text('end')}</button></form></li>
`;
}
