// The gateway's configuration: the public origin in front of the services.
import { defineSection, variable } from '#lib/config/section.ts';
import { integer } from '#lib/config/types.ts';

export const gatewaySection = defineSection({
  title: 'Gateway and console',
  variables: {
    port: variable('KEDJA_CONSOLE_PORT', integer({ min: 0, max: 65_535 }), {
      default: 8080,
      description: 'The port of the gateway, which serves the console; 0 takes a free one.',
    }),
  },
});
