// Identity's configuration section: sign-in, tokens and rate limits.
import { LONGEST_TOKEN_SECONDS } from '#lib/auth/token-verifier.ts';
import { redirectTarget } from '#lib/config/network-types.ts';
import { defineSection, variable } from '#lib/config/section.ts';
import { servicePort } from '#lib/config/shared.ts';
import { integer, listOf, oneOf, secretText } from '#lib/config/types.ts';
import { passwordIssues } from '#lib/passwords/policy.ts';

/** A number of requests a minute. */
const rateLimit = (env: string, limit: { readonly default: number; readonly demo?: number }, description: string) =>
  variable(env, integer({ min: 1, max: 1_000_000 }), { ...limit, description });

export const identitySection = defineSection({
  title: 'Identity',
  variables: {
    port: servicePort('identity', { env: 'KEDJA_IDENTITY_PORT', port: 8081 }),
    tokenTtlSeconds: variable('KEDJA_TOKEN_TTL_SECONDS', integer({ min: 1, max: LONGEST_TOKEN_SECONDS }), {
      default: 3600,
      description: 'How long a token is valid, in seconds.',
    }),
    sessionIdleMinutes: variable('KEDJA_SESSION_IDLE_MINUTES', integer({ min: 1, max: 1440 }), {
      default: 30,
      description: 'After how many minutes without use the session of a browser ends.',
    }),
    sessionAbsoluteHours: variable('KEDJA_SESSION_ABSOLUTE_HOURS', integer({ min: 1, max: 720 }), {
      default: 12,
      description: 'After how many hours the session of a browser ends, however much it is used.',
    }),
    secondFactor: variable('KEDJA_SECOND_FACTOR', oneOf(['optional', 'su-admins']), {
      default: 'optional',
      description: 'Who must have a second factor: nobody, or every SU admin.',
    }),
    patientRegistration: variable('KEDJA_PATIENT_REGISTRATION', oneOf(['open', 'closed']), {
      default: 'open',
      description:
        'Whether patients register themselves. Nothing proves that a personnummer is theirs: where records of patients are real, ' +
        'close it, or ask for an e-identification in front of it.',
    }),
    ssoRedirects: variable('KEDJA_SSO_REDIRECTS', listOf(redirectTarget()), {
      description:
        'Where a sign-in may lead: origins with a path prefix. The host names of KEDJA_TENANTS_FILE do not need to be here.',
      whenUnset: "the gateway's own",
      example: 'https://kedja.example.org/,https://planning.example.org/sso/',
    }),
    importPassword: variable('KEDJA_IMPORT_PASSWORD', secretText(), {
      description: 'The temporary password of imported users.',
      whenUnset: 'none: an import answers an error; demo: that of the demo accounts',
    }),
    rateLimitLogin: rateLimit('KEDJA_RATE_LIMIT_LOGIN', { default: 20, demo: 600 }, 'Sign-ins per minute and address.'),
    rateLimitClient: rateLimit(
      'KEDJA_RATE_LIMIT_CLIENT',
      { default: 60 },
      'Wrong client secrets per minute and address; over it, credentials are not checked until the minute ends.',
    ),
    rateLimitRegister: rateLimit(
      'KEDJA_RATE_LIMIT_REGISTER',
      { default: 10, demo: 600 },
      'Registrations per minute and address.',
    ),
    rateLimitCatalogue: rateLimit(
      'KEDJA_RATE_LIMIT_CATALOGUE',
      { default: 60 },
      'Requests to the public catalogues per minute and address.',
    ),
    rateLimitAccessRequest: rateLimit(
      'KEDJA_RATE_LIMIT_ACCESS_REQUEST',
      { default: 5, demo: 600 },
      'Access requests per minute and address.',
    ),
    rateLimitPasswordReset: rateLimit(
      'KEDJA_RATE_LIMIT_PASSWORD_RESET',
      { default: 5, demo: 600 },
      'Requests for a link to a new password per minute and address.',
    ),
    rateLimitLookup: rateLimit(
      'KEDJA_RATE_LIMIT_LOOKUP',
      { default: 30, demo: 600 },
      'Look-ups of patients by personnummer per minute and user.',
    ),
  },
  check: ({ importPassword, secondFactor }, { mode }) => {
    const issues = importPassword === undefined ? [] : passwordIssues(importPassword.reveal());
    const isLockedOut = mode === 'demo' && secondFactor === 'su-admins';
    return [
      ...issues.map((issue) => `KEDJA_IMPORT_PASSWORD ${issue}`),
      // The demo's data is loaded through the API by its administrator, who has nothing but a password.
      ...(isLockedOut
        ? ['KEDJA_SECOND_FACTOR su-admins keeps the demo from loading its data: try it with kedja start']
        : []),
    ];
  },
});
