// The pages of the browser session (decision L11). On them one can continue as the signed-in user or choose another
// account, who is signed in, and that one is signed out. They work without scripts.
import { hiddenField, submitButton } from '#lib/html/form.ts';
import { html, type Language, type Page } from '#lib/html/html.ts';
import { other, renderLayout } from '#lib/html/layout.ts';
import { translator } from '#lib/html/messages.ts';
import { formTargets, inOtherLanguage, type Journey, journeyHref, journeyInputs } from '../../shared/journey.ts';
import messages from './session-page.messages.json' with { type: 'json' };
import type { SignedInUser } from './single-sign-on.ts';

/** Asks before the first sign-in to a place; `root` is the relative path to identity's root. */
export function continuePage({
  journey,
  user,
  place,
  root,
}: {
  readonly journey: Journey;
  readonly user: SignedInUser;
  /** The name of the application, or its host. */
  readonly place: string;
  readonly root: string;
}): Page {
  const { language } = journey;
  const text = translator(messages.continue, language);
  const content = html`<h1>${text('title')}</h1>
<p>${text('as')} <strong>${user.email}</strong>. ${text('leads', { place })}</p>
<form method="post" action="${root}login/session">
${journeyInputs(journey)}${hiddenField('user', user.userGuid)}
${submitButton(text('continue'))}
</form>
<ul class="links"><li><a href="${journeyHref(`${root}login`, { ...journey, prompt: 'login' })}">${text('other')}</a></li></ul>`;
  return renderLayout({
    language,
    title: text('title'),
    content,
    otherLanguage: journeyHref(`${root}login`, inOtherLanguage(journey)),
    formTargets: formTargets(journey),
  });
}

/** Who is signed in with this browser. */
export function sessionPage(language: Language, user: SignedInUser | undefined): Page {
  const text = translator(messages.session, language);
  const title = text(user === undefined ? 'notTitle' : 'inTitle');
  const content =
    user === undefined
      ? html`<p>${text('not')}</p>`
      : html`<p>${text('as')} <strong>${user.email}</strong>.</p>
<p>${text('everywhere')}</p>
<form method="post" action="sign-out">${hiddenField('lang', language)}${submitButton(text('signOut'))}</form>
<ul class="links"><li><a href="account?lang=${language}">${text('account')}</a></li></ul>`;
  return page(language, { title, content, path: 'session' });
}

/** After a sign-out. */
export function signedOutPage(language: Language): Page {
  const text = translator(messages.session, language);
  return page(language, { title: text('outTitle'), content: html`<p>${text('out')}</p>`, path: 'done' });
}

function page(
  language: Language,
  {
    title,
    content,
    path,
  }: { readonly title: string; readonly content: ReturnType<typeof html>; readonly path: string },
): Page {
  const otherLanguage = `${path}?lang=${other(language)}`;
  return renderLayout({
    language,
    title,
    content: html`<h1>${title}</h1>
${content}`,
    otherLanguage,
  });
}
