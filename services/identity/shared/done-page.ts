// The page after a form has been taken: what has happened, and the way to sign in.
import { type Bilingual, speak } from '#lib/html/bilingual.ts';
import { html, type Page } from '#lib/html/html.ts';
import { framed } from '#lib/html/layout.ts';
import { inOtherLanguage, type Journey, journeyHref } from './journey.ts';

const TEXTS = {
  signIn: { sv: 'Till inloggningen', en: 'Go to sign-in' },
  elsewhere: {
    sv: 'Logga in från programmet du vill använda.',
    en: 'Sign in from the application you want to use.',
  },
} as const satisfies Record<string, Bilingual>;

/** The page lies one level below the form's, at `done`. */
export function donePage(journey: Journey, told: { title: string; text: string }): Page {
  const { language, goal } = journey;
  const text = speak(TEXTS, language);
  const wayOn =
    goal === undefined
      ? html`<p>${text('elsewhere')}</p>`
      : html`<p class="actions"><a class="button" href="${journeyHref('../login', journey)}">${text('signIn')}</a></p>`;
  const content = html`<h1>${told.title}</h1>
<p>${told.text}</p>
${wayOn}`;
  return framed({ language, title: told.title, content, otherLanguage: journeyHref('done', inOtherLanguage(journey)) });
}
