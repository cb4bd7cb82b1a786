// GET and POST /auth/recovery-codes: the page on which a user of the engine renews recovery codes.
import { registerForms } from '#lib/html/form-post.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { registerRenewalPage } from '#lib/second-factor/renewal-form.ts';
import { originOf } from '../shared/actor.ts';
import messages from './recovery-codes-routes.messages.json' with { type: 'json' };
import type { SecondFactorService } from './second-factor-service.ts';

interface RecoveryPageDependencies {
  readonly secondFactor: Pick<SecondFactorService, 'renewByPassword'>;
  readonly limiter: RateLimiter;
}

export async function registerRecoveryPage(
  app: HttpApp,
  { secondFactor, limiter }: RecoveryPageDependencies,
): Promise<void> {
  await registerForms(app, (scope) =>
    registerRenewalPage(scope, {
      path: '/auth/recovery-codes',
      lead: messages.lead,
      limiter,
      renew: (proof, request) => secondFactor.renewByPassword(proof, originOf(request)),
    }),
  );
}
