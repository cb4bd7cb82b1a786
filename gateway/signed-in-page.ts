// `/signed-in`, to which identity redirects developers: exchanges the one-time code (decision I3), and shows the user
// and the token for the API reference pages. It accepts a code only in the browser that started the sign-in
// (./sign-in.ts), and stores nothing.
import Type from 'typebox';
import { Value } from 'typebox/value';
import { ServiceError } from '#lib/errors.ts';
import { alertText } from '#lib/html/form.ts';
import { chooseLanguage, html, type Language, type Markup, sendPage } from '#lib/html/html.ts';
import { other, renderLayout } from '#lib/html/layout.ts';
import { type Translate, translator } from '#lib/html/messages.ts';
import { phaseName, userKindName } from '#lib/html/people-words.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { expectJson, type ServiceFetch } from '#lib/http/upstream/service-fetch.ts';
import type { PendingSignIns } from '#lib/sign-in/pending-sign-ins.ts';
import { SIGNED_IN_PATH } from './sign-in.ts';
import messages from './signed-in-page.messages.json' with { type: 'json' };

const SignIn = Type.Object({ token: Type.String() });
const Me = Type.Object({
  email: Type.String(),
  user_type: Type.String(),
  is_su_admin: Type.Boolean(),
  effective_phases: Type.Optional(Type.Array(Type.String())),
});

type Text = Translate<keyof typeof messages>;

interface SignedInOptions {
  readonly identity: ServiceFetch;
  /** This page's own address in the browser. */
  readonly next: string;
  readonly signIns: PendingSignIns;
}

export function registerSignedInPage(app: HttpApp, options: SignedInOptions): void {
  const querystring = Type.Object({
    code: Type.Optional(Type.String({ maxLength: 256 })),
    state: Type.Optional(Type.String({ maxLength: 1024 })),
  });
  app.get(
    SIGNED_IN_PATH,
    { config: { permission: 'public' }, schema: { hide: true, querystring } },
    async (request, reply) => {
      const { code = '', state = '' } = request.query;
      const pending = options.signIns.read(request.headers.cookie, state);
      const chosen = new URLSearchParams(pending?.returnTo.split('?')[1]).get('lang');
      const language = chooseLanguage(chosen, request.headers['accept-language']);
      const text = translator(messages, language);
      const described = pending && (await describeSignIn({ code, verifier: pending.verifier }, options, language));
      // A redirect of another sign-in does not end the one in progress.
      if (pending !== undefined) reply.header('set-cookie', options.signIns.end(state));
      const isSignedIn = described !== undefined;
      const result = described ?? html`<h1>${text('failedTitle')}</h1>${alertText(text('failed'))}`;
      const signOut = html`<form method="post" action="/identity/sign-out"><input type="hidden" name="lang" value="${language}"><p class="actions"><button class="button" type="submit">${text('signOut')}</button></p></form>`;
      const content = html`${result}${isSignedIn && signOut}<p class="actions">${isSignedIn && html`<a class="button quiet" href="/identity/account?lang=${language}">${text('account')}</a>`}<a class="button quiet" href="/developer?lang=${language}">${text('again')}</a></p>`;
      const title = text(isSignedIn ? 'title' : 'failedTitle');
      // The code is used, so the link to the other language leads back.
      const otherLanguage = `/developer?lang=${other(language)}`;
      const page = renderLayout({ language, title, content, otherLanguage, hasErrors: !isSignedIn });
      return sendPage(reply.code(isSignedIn ? 200 : 400), page);
    },
  );
}

/** The signed-in user; undefined for an invalid code. */
async function describeSignIn(
  { code, verifier }: { code: string; verifier: string },
  { identity, next }: SignedInOptions,
  language: Language,
): Promise<Markup | undefined> {
  const text: Text = translator(messages, language);
  const json = { code, next, code_verifier: verifier };
  const answer = await identity('/api/auth/token', { method: 'POST', json });
  if (answer.status === 400 || answer.status === 401) return undefined;
  const signIn = await expectJson(answer, 200);
  if (!Value.Check(SignIn, signIn)) throw unreadable();
  const headers = { authorization: `Bearer ${signIn.token}` };
  const me = await expectJson(await identity('/api/auth/me', { headers }), 200);
  if (!Value.Check(Me, me)) throw unreadable();
  const kinds = [me.user_type, ...(me.is_su_admin ? ['administrator'] : [])].map((kind) =>
    userKindName(kind, language),
  );
  const phases = (me.effective_phases ?? []).map((phase) => phaseName(phase, language));
  const rights = [...kinds, ...phases].join(', ');
  return html`<h1>${text('title')}</h1>
<p>${text('as')} <strong>${me.email}</strong>.</p>
<p>${text('rights')}: ${rights}</p>
<p>${text('token')}</p>
<p><code>${signIn.token}</code></p>`;
}

function unreadable(): ServiceError {
  return new ServiceError('upstream_error', 'Identity answered what cannot be read');
}
