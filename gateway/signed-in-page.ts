// Where the start page's sign-in leads back to: the one-time code of the handshake (decision I3) is exchanged, and the page tells who
// has signed in, with the token that the API reference pages ask for. Nothing is kept.
import Type from 'typebox';
import { Value } from 'typebox/value';
import { ServiceError } from '#lib/errors.ts';
import { type Bilingual, type Speaker, speak } from '#lib/html/bilingual.ts';
import { alertText } from '#lib/html/form.ts';
import { chooseLanguage, html, type Language, type Markup, sendPage } from '#lib/html/html.ts';
import { framed, other } from '#lib/html/layout.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { expectJson, type ServiceFetch } from '#lib/http/service-fetch.ts';

export const SIGNED_IN_PATH = '/signed-in';

const SignIn = Type.Object({ token: Type.String() });
const Me = Type.Object({
  email: Type.String(),
  user_type: Type.String(),
  is_su_admin: Type.Boolean(),
  effective_phases: Type.Optional(Type.Array(Type.String())),
});

const TEXTS = {
  title: { sv: 'Inloggad', en: 'Signed in' },
  as: { sv: 'Du är inloggad som', en: 'You are signed in as' },
  rights: { sv: 'Behörighet', en: 'Access' },
  token: {
    sv: 'Din token, för knappen Authorize i API-referensen:',
    en: 'Your token, for the Authorize button of the API reference:',
  },
  failedTitle: { sv: 'Inte inloggad', en: 'Not signed in' },
  failed: {
    sv: 'Inloggningen kunde inte slutföras. Koden gäller en gång och i en minut.',
    en: 'The sign-in could not be completed. Its code is good once, for one minute.',
  },
  again: { sv: 'Till startsidan', en: 'To the start page' },
} as const satisfies Record<string, Bilingual>;

type Text = Speaker<keyof typeof TEXTS>;

/** `next` is this page's own address as the browser sees it. */
export function registerSignedInPage(app: HttpApp, options: { identity: ServiceFetch; next: string }): void {
  const querystring = Type.Object({
    code: Type.Optional(Type.String({ maxLength: 256 })),
    state: Type.Optional(Type.String({ maxLength: 2048 })),
  });
  app.get(
    SIGNED_IN_PATH,
    { config: { permission: 'public' }, schema: { hide: true, querystring } },
    async (request, reply) => {
      const language = chooseLanguage(request.query.state, request.headers['accept-language']);
      const text = speak(TEXTS, language);
      const { isSignedIn, told } = await describeSignIn(request.query.code ?? '', options, text);
      const content = html`${told}<p class="actions"><a class="button quiet" href="/?lang=${language}">${text('again')}</a></p>`;
      const title = text(isSignedIn ? 'title' : 'failedTitle');
      // The code is used up: in the other language there is nothing but the start page.
      const otherLanguage = `/?lang=${other(language)}`;
      return sendPage(reply, framed({ language, title, content, otherLanguage, hasErrors: !isSignedIn }));
    },
  );
}

/** The address of a page of identity's whose sign-in leads back to the start page; the language comes back as `state`. */
export function identityHref(page: string, next: string, language: Language): string {
  return `/identity/${page}?${new URLSearchParams({ next, state: language, response_mode: 'code', lang: language })}`;
}

async function describeSignIn(
  code: string,
  { identity, next }: { identity: ServiceFetch; next: string },
  text: Text,
): Promise<{ isSignedIn: boolean; told: Markup }> {
  const answer = await identity('/api/auth/token', { method: 'POST', json: { code, next } });
  if (answer.status !== 200) {
    return { isSignedIn: false, told: html`<h1>${text('failedTitle')}</h1>${alertText(text('failed'))}` };
  }
  const signIn = expectJson(answer, 200);
  if (!Value.Check(SignIn, signIn)) throw unreadable();
  const headers = { authorization: `Bearer ${signIn.token}` };
  const me = expectJson(await identity('/api/auth/me', { headers }), 200);
  if (!Value.Check(Me, me)) throw unreadable();
  const rights = [me.user_type, ...(me.is_su_admin ? ['SU admin'] : []), ...(me.effective_phases ?? [])].join(', ');
  const told = html`<h1>${text('title')}</h1>
<p>${text('as')} <strong>${me.email}</strong>.</p>
<p>${text('rights')}: ${rights}</p>
<p>${text('token')}</p>
<p><code>${signIn.token}</code></p>`;
  return { isSignedIn: true, told };
}

function unreadable(): ServiceError {
  return new ServiceError('upstream_error', 'Identity answered what cannot be read');
}
