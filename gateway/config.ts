// The gateway's configuration: the public origin in front of the services.
import { email } from '#lib/config/network-types.ts';
import { defineSection, variable } from '#lib/config/section.ts';
import { servicePort } from '#lib/config/shared.ts';

export const gatewaySection = defineSection({
  title: 'Gateway and console',
  variables: {
    accessibilityContact: variable('KEDJA_ACCESSIBILITY_CONTACT', email(), {
      description: 'Where people report obstacles: the address on the page `/accessibility`.',
      whenUnset: 'the page refers to the care provider',
      example: 'accessibility@example.org',
    }),
    port: servicePort('the gateway, which serves the console', { env: 'KEDJA_CONSOLE_PORT', port: 8080 }),
  },
});
