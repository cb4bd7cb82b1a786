// The confirmation page after a form was accepted, with a link to the sign-in.
import { html, type Page } from '#lib/html/html.ts';
import { renderLayout } from '#lib/html/layout.ts';
import { translator } from '#lib/html/messages.ts';
import messages from './done-page.messages.json' with { type: 'json' };
import { inOtherLanguage, type Journey, journeyHref } from './journey.ts';

interface DoneMessage {
  readonly title: string;
  readonly text: string;
  /** Where those sign in who came from nowhere, as by a link in a mail; without it they are asked to find it. */
  readonly signInHref?: string;
}

/**
 * Another user may have a session in this browser, so the link asks who signs in.
 * The page is one path segment below the form's, at `done`.
 */
export function donePage(journey: Journey, message: DoneMessage): Page {
  const { language, goal } = journey;
  const href = goal === undefined ? message.signInHref : journeyHref('../login', { ...journey, prompt: 'login' });
  const text = translator(messages, language);
  const nextLink =
    href === undefined
      ? html`<p>${text('elsewhere')}</p>`
      : html`<p class="actions"><a class="button" href="${href}">${text('signIn')}</a></p>`;
  const content = html`<h1>${message.title}</h1>
<p>${message.text}</p>
${nextLink}`;
  return renderLayout({
    language,
    title: message.title,
    content,
    otherLanguage: journeyHref('done', inOtherLanguage(journey)),
  });
}
