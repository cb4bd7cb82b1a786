// The gateway's configuration: the public origin in front of the services.
import { defineSection } from '#lib/config/section.ts';
import { servicePort } from '#lib/config/shared.ts';

export const gatewaySection = defineSection({
  title: 'Gateway and console',
  variables: {
    port: servicePort('the gateway, which serves the console', { env: 'KEDJA_CONSOLE_PORT', port: 8080 }),
  },
});
