// Schema of what operators see of dispatch (docs/reference/dispatch-delivery.md).
import Type, { type Static } from 'typebox';
import { QueueFigures, serviceStatusFields } from '#lib/metrics/service-status.ts';

export const DispatchStatus = Type.Object(
  {
    ...serviceStatusFields,
    deliveries: {
      ...QueueFigures,
      description: 'Webhooks: those that are queued or wait for another attempt, and dead letters',
    },
    results: {
      ...QueueFigures,
      description: 'Reports with results: those that the engine has not stored, and those that it refused',
    },
    mails: QueueFigures,
  },
  { title: 'ServiceStatus' },
);
export type DispatchStatus = Static<typeof DispatchStatus>;
