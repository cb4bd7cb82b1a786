// Identity's configuration section: sign-in, tokens and rate limits.
import { LONGEST_TOKEN_SECONDS } from '#lib/auth/token-verifier.ts';
import { redirectTarget } from '#lib/config/network-types.ts';
import { defineSection, variable } from '#lib/config/section.ts';
import { integer, listOf, oneOf, secretText } from '#lib/config/types.ts';
import { passwordIssues } from '#lib/passwords/policy.ts';

const perMinute = integer({ min: 1, max: 1_000_000 });

export const identitySection = defineSection({
  title: 'Identity',
  variables: {
    port: variable('KEDJA_IDENTITY_PORT', integer({ min: 0, max: 65_535 }), {
      default: 8081,
      description: 'The port of identity; 0 takes a free one.',
    }),
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
    ssoRedirects: variable('KEDJA_SSO_REDIRECTS', listOf(redirectTarget()), {
      description: 'Where a sign-in may lead: origins with a path prefix.',
      whenUnset: "the gateway's own",
      example: 'https://kedja.example.org/,https://planning.example.org/sso/',
    }),
    importPassword: variable('KEDJA_IMPORT_PASSWORD', secretText(), {
      description: 'The temporary password of imported users.',
      whenUnset: 'none: an import answers an error; demo: that of the demo accounts',
    }),
    rateLimitLogin: variable('KEDJA_RATE_LIMIT_LOGIN', perMinute, {
      default: 20,
      demo: 600,
      description: 'Sign-ins per minute and address.',
    }),
    rateLimitClient: variable('KEDJA_RATE_LIMIT_CLIENT', perMinute, {
      default: 60,
      description:
        'Wrong client secrets per minute and address; over it, credentials are not checked until the minute ends.',
    }),
    rateLimitRegister: variable('KEDJA_RATE_LIMIT_REGISTER', perMinute, {
      default: 10,
      demo: 600,
      description: 'Registrations per minute and address.',
    }),
    rateLimitCatalogue: variable('KEDJA_RATE_LIMIT_CATALOGUE', perMinute, {
      default: 60,
      description: 'Requests to the public catalogues per minute and address.',
    }),
    rateLimitAccessRequest: variable('KEDJA_RATE_LIMIT_ACCESS_REQUEST', perMinute, {
      default: 5,
      demo: 600,
      description: 'Access requests per minute and address.',
    }),
    rateLimitPasswordReset: variable('KEDJA_RATE_LIMIT_PASSWORD_RESET', perMinute, {
      default: 5,
      demo: 600,
      description: 'Requests for a link to a new password per minute and address.',
    }),
    rateLimitLookup: variable('KEDJA_RATE_LIMIT_LOOKUP', perMinute, {
      default: 30,
      demo: 600,
      description: 'Look-ups of patients by personnummer per minute and user.',
    }),
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
