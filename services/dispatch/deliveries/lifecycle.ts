// The state machine of a delivery (decision D3), as a table. The SQL takes its `from` states from here, so both agree.

export const DELIVERY_STATUSES = ['queued', 'sending', 'delivered', 'waiting', 'dead', 'held', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const DELIVERY_EVENTS = [
  'claim',
  'succeed',
  'fail',
  'give_up',
  'lease_expired',
  'hold',
  'release',
  'cancel',
  'replay',
  'discard',
  'resend',
] as const;
export type DeliveryEvent = (typeof DELIVERY_EVENTS)[number];

interface DeliveryTransition {
  readonly from: readonly DeliveryStatus[];
  readonly to: DeliveryStatus;
}

export const DELIVERY_TRANSITIONS: Readonly<Record<DeliveryEvent, DeliveryTransition>> = {
  claim: { from: ['queued', 'waiting'], to: 'sending' },
  succeed: { from: ['sending'], to: 'delivered' },
  fail: { from: ['sending'], to: 'waiting' },
  give_up: { from: ['sending'], to: 'dead' },
  lease_expired: { from: ['sending'], to: 'waiting' },
  /** The endpoint was disabled. A failed attempt is held too when the worker finds the endpoint disabled. */
  hold: { from: ['queued', 'waiting', 'sending'], to: 'held' },
  release: { from: ['held'], to: 'queued' },
  /** A dead delivery is cancelled too, so that nobody replays it to a provider whom it no longer concerns. */
  cancel: { from: ['queued', 'waiting', 'sending', 'held', 'dead'], to: 'cancelled' },
  replay: { from: ['dead'], to: 'queued' },
  /** By an administrator: nobody sends it again. The request stays in the feed. */
  discard: { from: ['dead'], to: 'cancelled' },
  /** By the provider, also of what it has received: the receiver knows it by its webhook-id. */
  resend: { from: ['waiting', 'delivered', 'dead'], to: 'queued' },
};

/** The next state, or undefined when the event is refused in this state. */
export function moveDelivery(status: DeliveryStatus, event: DeliveryEvent): DeliveryStatus | undefined {
  const { from, to } = DELIVERY_TRANSITIONS[event];
  return from.includes(status) ? to : undefined;
}
