// The delivery machine of decision D3 as data: what may become of one outgoing webhook. The store's statements take
// their `from` states from here, so the table and the SQL cannot differ.

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
  /** The endpoint was disabled; a failed attempt comes here too, as the worker finds the endpoint disabled. */
  hold: { from: ['queued', 'waiting', 'sending'], to: 'held' },
  release: { from: ['held'], to: 'queued' },
  /** What is dead is cancelled too, so that it cannot be replayed to a provider whom it no longer concerns. */
  cancel: { from: ['queued', 'waiting', 'sending', 'held', 'dead'], to: 'cancelled' },
  replay: { from: ['dead'], to: 'queued' },
};

/** The next state, or undefined when the event is refused in this one. */
export function moveDelivery(status: DeliveryStatus, event: DeliveryEvent): DeliveryStatus | undefined {
  const { from, to } = DELIVERY_TRANSITIONS[event];
  return from.includes(status) ? to : undefined;
}
