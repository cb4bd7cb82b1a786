// Dispatch's configuration: the services it plans and matches with, the consent gate and where webhooks may go.
import { addressOrNetwork, clientCredentials, url } from '#lib/config/network-types.ts';
import { defineSection, variable } from '#lib/config/section.ts';
import { servicePort } from '#lib/config/shared.ts';
import { boolean, either, integer, listOf, oneOf, sequenceOf, timeZone } from '#lib/config/types.ts';
import { RETRY_SCHEDULE_SECONDS } from './deliveries/backoff.ts';

export const dispatchSection = defineSection({
  title: 'Dispatch',
  variables: {
    port: servicePort('dispatch', { env: 'KEDJA_DISPATCH_PORT', port: 8082 }),
    planUrl: variable('KEDJA_PLAN_URL', url(), {
      description: 'The FHIR base address of the plan service: plan definitions and forms.',
      whenUnset: 'the engine',
      example: 'https://plans.example.org/fhir',
    }),
    planClient: variable('KEDJA_PLAN_CLIENT', clientCredentials(), {
      description:
        'The credentials by which dispatch asks a plan service of another system, in X-SSO-Client-Id and X-SSO-Client-Secret.',
      whenUnset: 'none are sent there',
      example: 'kedja:a-long-random-text',
    }),
    contractUrl: variable('KEDJA_CONTRACT_URL', url(), {
      description: 'The address of the contract service, which answers `POST …/contracts/match`.',
      whenUnset: 'the engine',
      example: 'https://contracts.example.org',
    }),
    contractClient: variable('KEDJA_CONTRACT_CLIENT', clientCredentials(), {
      description: 'The same for a contract service of another system.',
      whenUnset: 'none are sent there',
      example: 'kedja:a-long-random-text',
    }),
    consentPolicy: variable('KEDJA_CONSENT_POLICY', oneOf(['required', 'implied']), {
      default: 'required',
      description:
        'Whether a patient without a consent on file counts as consenting (`implied`); a denial always counts.',
    }),
    timeZone: variable('KEDJA_TIME_ZONE', timeZone(), {
      default: 'Europe/Stockholm',
      description:
        'The time zone for the dates of consents, and for the current day when contracts are searched. It also counts for the times on the page for providers without a system. Instants are always stored and returned in UTC.',
      example: 'Europe/Helsinki',
    }),
    webhookAllowPrivate: variable('KEDJA_WEBHOOK_ALLOW_PRIVATE', either(boolean(), listOf(addressOrNetwork())), {
      default: false,
      demo: true,
      description:
        'Whether webhooks may go to private and loopback addresses. The same holds for calls to external servers that are registered in the engine. The engine itself is always reached. The metadata service of a cloud (`169.254.169.254`) stays closed. A list of networks opens only those, whatever they are. Where others than this machine reach the system, production takes such a list instead of `true`.',
      example: '10.20.0.0/16',
    }),
    webhookRetrySeconds: variable('KEDJA_WEBHOOK_RETRY_SECONDS', sequenceOf(integer({ min: 1, max: 604_800 })), {
      default: RETRY_SCHEDULE_SECONDS,
      demo: [1, 2],
      description:
        'How long to wait before each further attempt of a webhook, in seconds. After the last one it is a dead letter.',
    }),
    rateLimitReceipt: variable('KEDJA_RATE_LIMIT_RECEIPT', integer({ min: 1, max: 1_000_000 }), {
      default: 300,
      description:
        'Requests per minute with one receipt token, at dispatch and at the engine, and of one address with tokens that were never sent.',
    }),
    notificationDays: variable('KEDJA_NOTIFICATION_DAYS', integer({ min: 1, max: 3650 }), {
      default: 90,
      description: 'For how many days notifications to planners and providers are kept.',
    }),
    webhookTimeoutSeconds: variable('KEDJA_WEBHOOK_TIMEOUT_SECONDS', integer({ min: 1, max: 60 }), {
      default: 15,
      description:
        'How long a receiver of a webhook may take to respond, in seconds. An attempt whose process ended is repeated after four times as long.',
    }),
  },
});
