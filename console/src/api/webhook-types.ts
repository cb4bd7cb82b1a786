/** What webhooks are about, as in keys of texts, which have no points. */
export const WEBHOOK_KEYS = {
  'request.dispatched': 'dispatched',
  'request.withdrawn': 'withdrawn',
  'request.revoked': 'revoked',
  ping: 'ping',
} as const;
