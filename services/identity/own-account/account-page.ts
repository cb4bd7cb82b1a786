// The page of the user's own account (decision L12): name, e-mail address, and where the rest is. Without scripts.
import { hiddenField, submitButton, textField } from '#lib/html/form.ts';
import { html, type Language, type Markup, type Page } from '#lib/html/html.ts';
import { other, renderLayout } from '#lib/html/layout.ts';
import { translator } from '#lib/html/messages.ts';
import { SWEDISH_TIME, timeOfDay } from '#lib/html/moment-text.ts';
import { type FieldTexts, type FormProblem, problemSummary } from '../shared/form-problem.ts';
import messages from './account-page.messages.json' with { type: 'json' };
import type { OwnAccount } from './service.ts';

/** In the order of the page. */
export const ACCOUNT_PAGE_FIELDS = messages.fields satisfies Record<string, FieldTexts>;

/** What has just been done. */
export const DONE = ['nameSaved', 'emailChanged'] as const;
export type Done = (typeof DONE)[number];

export interface AccountView {
  readonly language: Language;
  readonly account: OwnAccount;
  readonly hasMail: boolean;
  /** Further pages of patients and of SU admins. */
  readonly pages: readonly ('proxies' | 'guardians')[];
  /** The relative path to identity's root: empty, or a number of `../`. */
  readonly root: string;
  /** The console, or the engine of the tenant at whose address the page is. */
  readonly homeHref: string;
  readonly done?: Done | undefined;
  /** What was typed, by field. */
  readonly typed?: Readonly<Record<string, string>> | undefined;
  readonly problem?: FormProblem | undefined;
}

export function accountPage(view: AccountView): Page {
  const { language, account, root, done, problem } = view;
  const text = translator(messages.account, language);
  const { pending_email: pending, pending_until: until } = account;
  const content = html`<h1>${text('title')}</h1>
<p>${text('as')} <strong>${account.email}</strong>.</p>
${
  done &&
  html`<p role="status" class="note">${text(done)}</p>
`
}${problemSummary(language, problem)}<h2>${text('nameTitle')}</h2>
${nameForm(view)}
<h2>${text('emailTitle')}</h2>
${pending !== null && until !== null && confirmForm(view, { pending, until })}
${emailForm(view)}
<ul class="links"><li><a href="${root}account/second-factor?lang=${language}">${text('secondFactor')}</a></li>
${view.pages.map((page) => html`<li><a href="${root}${page}?lang=${language}">${text(page)}</a></li>`)}<li><a href="${root}change-password?lang=${language}">${text('changePassword')}</a></li>
<li><a href="${root}session?lang=${language}">${text('session')}</a></li>
<li><a href="${view.homeHref}">${text('home')}</a></li></ul>`;
  return renderLayout({
    language,
    title: text('title'),
    content,
    otherLanguage: `${root}account?lang=${other(language)}`,
    hasErrors: problem !== undefined,
  });
}

function nameForm({ language, account, root, typed, problem }: AccountView): Markup {
  const text = translator(messages.account, language);
  const errors = problem?.errors ?? {};
  const field = (name: 'first_name' | 'last_name', label: string, autocomplete: string) =>
    textField({ name, label, autocomplete, value: typed?.[name] ?? account[name] ?? '', error: errors[name] });
  return html`<form method="post" action="${root}account/name" novalidate>${hiddenField('lang', language)}
${field('first_name', text('firstName'), 'given-name')}
${field('last_name', text('lastName'), 'family-name')}
${submitButton(text('saveName'))}
</form>`;
}

function emailForm({ language, account, hasMail, root, typed, problem }: AccountView): Markup {
  const text = translator(messages.account, language);
  const { email } = account;
  if (!hasMail) return html`<p>${text('emailNoMail', { email })}</p>`;
  const errors = problem?.errors ?? {};
  const code = textField({
    name: 'code',
    label: text('code'),
    hint: text('codeHint'),
    autocomplete: 'one-time-code',
    error: errors['code'],
  });
  return html`<p>${text('emailLead', { email })}</p>
<form method="post" action="${root}account/email" novalidate>${hiddenField('lang', language)}
${textField({ name: 'new_email', type: 'email', label: text('newEmail'), autocomplete: 'email', value: typed?.['new_email'], error: errors['new_email'] })}
${textField({ name: 'current_password', type: 'password', label: text('password'), autocomplete: 'current-password', error: errors['current_password'] })}
${account.has_second_factor && code}
${submitButton(text('sendCode'))}
</form>`;
}

function confirmForm(
  { language, root, problem }: AccountView,
  { pending: email, until }: { readonly pending: string; readonly until: Date },
): Markup {
  const text = translator(messages.account, language);
  const error = problem?.errors['email_code'];
  const time = timeOfDay(until, { language, timeZone: SWEDISH_TIME });
  return html`<p role="status">${text('codeSent', { email, time })}</p>
<form method="post" action="${root}account/email/confirm" novalidate>${hiddenField('lang', language)}
${textField({ name: 'email_code', label: text('emailCode'), autocomplete: 'one-time-code', error })}
${submitButton(text('changeEmail'))}
</form>`;
}
