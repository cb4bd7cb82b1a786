// GET and POST /recovery-codes: the page on which a user with a second factor renews the recovery codes. It needs no
// session.
import type { HttpApp } from '#lib/http/http-app.ts';
import { registerRenewalPage } from '#lib/second-factor/renewal-form.ts';
import { originOf } from '../actor.ts';
import type { LoginRoutesDeps } from './login-deps.ts';
import messages from './recovery-codes-routes.messages.json' with { type: 'json' };

/** `scope` parses forms. */
export function registerRecoveryCodesPage(scope: HttpApp, { auth, limiter }: LoginRoutesDeps): void {
  registerRenewalPage(scope, {
    path: '/recovery-codes',
    lead: messages.lead,
    limiter,
    renew: (proof, request) => auth.renewOwnCodes({ ...proof, origin: originOf(request) }),
  });
}
