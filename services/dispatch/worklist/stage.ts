// The stages of the worklist (docs/adr/0096). The console shows the same ones.

/** Where a request is, for the planner. Each request is in one. */
export const STAGES = [
  'draft',
  'to_send',
  'unanswered',
  'refused',
  'in_work',
  'on_hold',
  'completed',
  'revoked',
] as const;
export type Stage = (typeof STAGES)[number];
