// Where the start page's sign-in leads back to: the one-time code of the handshake (decision I3) is exchanged, and the page tells who
// has signed in, with the token that the API reference pages ask for. Nothing is kept.
import Type from 'typebox';
import { Value } from 'typebox/value';
import { ServiceError } from '#lib/errors.ts';
import { chooseLanguage, html, type Language, type Markup, sendPage } from '#lib/html/html.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { expectJson, type ServiceFetch } from '#lib/http/service-fetch.ts';
import { PAGE_STYLE } from './style.ts';

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
  failed: {
    sv: 'Inloggningen kunde inte slutföras. Koden gäller en gång och i en minut.',
    en: 'The sign-in could not be completed. Its code is good once, for one minute.',
  },
  again: { sv: 'Till startsidan', en: 'To the start page' },
} as const;

type Text = (name: keyof typeof TEXTS) => string;

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
      const text: Text = (name) => TEXTS[name][language];
      const content = await describeSignIn(request.query.code ?? '', options, text);
      const body = html`<main>${content}<p><a href="/?lang=${language}">${text('again')}</a></p></main>`;
      return sendPage(reply, { language, title: text('title'), style: PAGE_STYLE, body });
    },
  );
}

/** The parameters by which the start page asks identity to sign somebody in; the language comes back as `state`. */
export function signInHref(next: string, language: Language): string {
  return `/identity/login?${new URLSearchParams({ next, state: language, response_mode: 'code', lang: language })}`;
}

async function describeSignIn(
  code: string,
  { identity, next }: { identity: ServiceFetch; next: string },
  text: Text,
): Promise<Markup> {
  const answer = await identity('/api/auth/token', { method: 'POST', json: { code, next } });
  if (answer.status !== 200) return html`<h1>Kedja</h1><p role="alert">${text('failed')}</p>`;
  const signIn = expectJson(answer, 200);
  if (!Value.Check(SignIn, signIn)) throw unreadable();
  const headers = { authorization: `Bearer ${signIn.token}` };
  const me = expectJson(await identity('/api/auth/me', { headers }), 200);
  if (!Value.Check(Me, me)) throw unreadable();
  const rights = [me.user_type, ...(me.is_su_admin ? ['SU admin'] : []), ...(me.effective_phases ?? [])].join(', ');
  return html`<h1>${text('title')}</h1>
<p>${text('as')} <strong>${me.email}</strong>.</p>
<p>${text('rights')}: ${rights}</p>
<p>${text('token')}</p>
<p><code>${signIn.token}</code></p>`;
}

function unreadable(): ServiceError {
  return new ServiceError('upstream_error', 'Identity answered what cannot be read');
}
