// A service's calls to identity for its own sign-in (decisions G8, I3): exchanges a one-time code for a token, and ends
// it.
import Type from 'typebox';
import { Value } from 'typebox/value';
import { ServiceError } from '#lib/errors.ts';
import { expectJson, type ServiceFetch } from '#lib/http/upstream/service-fetch.ts';
import type { SignInSource } from '#lib/sign-in/sign-in.ts';

const Exchanged = Type.Object({ token: Type.String() });

export function createSignInClient(fetch: ServiceFetch): SignInSource {
  return {
    async exchange(code, next, verifier) {
      const answer = await fetch('/api/auth/token', { method: 'POST', json: { code, next, code_verifier: verifier } });
      // 400 is a malformed code.
      if (answer.status === 401 || answer.status === 400) return undefined;
      if (answer.status === 403) throw new ServiceError('forbidden', 'This account may not sign in here');
      const body = await expectJson(answer, 200);
      if (!Value.Check(Exchanged, body))
        throw new ServiceError('upstream_error', 'Identity answered what cannot be read');
      return body.token;
    },
    async end({ token, browser }) {
      if (token !== undefined) {
        const headers = { authorization: `Bearer ${token}` };
        const answer = await fetch('/api/auth/logout', { method: 'POST', headers });
        if (answer.status !== 401) await expectJson(answer, 200);
      }
      if (browser === undefined) return;
      await expectJson(
        await fetch('/api/auth/browser-session/end', { method: 'POST', json: { session: browser } }),
        200,
      );
    },
  };
}
