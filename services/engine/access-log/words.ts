// An access in words, in Swedish and English: what was done with what, by whom in which role, and why.
import type { Language } from '#lib/html/html.ts';
import { type Message, translator } from '#lib/html/messages.ts';
import type { LoggedEvent } from '../shared/logged-event.ts';
import messages from './words.messages.json' with { type: 'json' };

const INTERACTIONS: Readonly<Record<string, Message>> = messages.interactions;
const EVENTS: Readonly<Record<string, Message>> = messages.events;
const ROLES: Readonly<Record<string, Message>> = messages.roles;
const ONE: Readonly<Record<string, Message>> = messages.one;
const MANY: Readonly<Record<string, Message>> = messages.many;

export const LOG_ACTIONS = ['create', 'read', 'update', 'delete', 'execute'] as const;
export type LogAction = (typeof LOG_ACTIONS)[number];
const ACTIONS: Readonly<Record<LoggedEvent['action'], LogAction>> = {
  C: 'create',
  R: 'read',
  U: 'update',
  D: 'delete',
  E: 'execute',
};

export function actionOf({ action }: LoggedEvent): LogAction {
  return ACTIONS[action];
}

export const LOG_REASONS = ['plan', 'request'] as const;
export type LogReason = (typeof LOG_REASONS)[number];

const OF_REQUESTS = /^(?:service-request|request|delivery|provider-task|consent\.decision)(?:\.|$)/;
const OF_PLANS = /^(?:care-plan|goal)\./;

/** What the access was for, as far as the event says: Kedja asks nobody for a reason. */
export function reasonOf({ event, touched }: LoggedEvent): LogReason | null {
  const hasType = (types: readonly string[]) => touched.some((name) => types.includes(typeOf(name)));
  if (OF_REQUESTS.test(event)) return 'request';
  if (OF_PLANS.test(event)) return 'plan';
  if (hasType(['ServiceRequest', 'Task'])) return 'request';
  return hasType(['CarePlan', 'Goal']) ? 'plan' : null;
}

/** `Läste 2 observationer och 1 vårdplan`. */
export function describe(logged: LoggedEvent, language: Language): string {
  const text = translator(messages.phrases, language);
  const what = sentenceOf(logged, language);
  return logged.isRefused ? text('refused', { what }) : what;
}

function sentenceOf({ event, action, touched }: LoggedEvent, language: Language): string {
  const [subject = '', interaction = ''] = event.split(/\.(.*)/s, 2);
  const own = EVENTS[event] ?? EVENTS[subject];
  const kinds = touched.filter((name) => /^[A-Z][A-Za-z]+(?:\/|$)/.test(name));
  // Of FHIR's interactions with resources of these names, the resources are named.
  const wording = EVENTS[event] ?? (INTERACTIONS[interaction] !== undefined && kinds.length > 0 ? undefined : own);
  if (wording !== undefined) return wording[language];
  const text = translator(messages.phrases, language);
  const what = countedTypes(kinds, language);
  if (interaction.startsWith('search') && kinds.every((name) => !name.includes('/')))
    return text('search-none', { what: what === '' ? text('nothing') : what });
  const pattern = INTERACTIONS[interaction] ?? messages.actions[action];
  return pattern[language].replace('{what}', what === '' ? text('nothing') : what);
}

function countedTypes(names: readonly string[], language: Language): string {
  const text = translator(messages.phrases, language);
  const counts = new Map<string, { count: number; isNamed: boolean }>();
  for (const name of names) {
    const type = ONE[typeOf(name)] === undefined ? 'other' : typeOf(name);
    const { count } = counts.get(type) ?? { count: 0 };
    counts.set(type, { count: count + 1, isNamed: name.includes('/') });
  }
  const parts = [...counts].map(([type, { count, isNamed }]) => {
    const word = (count === 1 && isNamed ? ONE : MANY)[type]?.[language] ?? '';
    return isNamed ? `${count} ${word}` : word;
  });
  const last = parts.pop();
  if (last === undefined || parts.length === 0) return last ?? '';
  return text('and', { first: parts.join(', '), last });
}

function typeOf(name: string): string {
  return name.split('/', 1)[0] ?? '';
}

/** The role in words: that of the register where there is one, else that of the caller. */
export function roleText(logged: LoggedEvent, registered: string | null, language: Language): string {
  if (logged.forPatient !== undefined) return messages.roles.proxy[language];
  const [kind] = (logged.person ?? 'anonymous').split('/', 1);
  const roles = new Set(logged.roles);
  const special = ['admin', 'privacy_officer'].find((role) => roles.has(role));
  const first = logged.roles.find((role) => ROLES[role] !== undefined);
  const isReceipt = kind === 'receipt' || (logged.person === undefined && logged.units.length > 0);
  const role = special ?? registered ?? (isReceipt ? 'provider' : first) ?? kind ?? '';
  return (ROLES[role] ?? messages.roles.unknown)[language];
}

/** The words for what has no name in any register. */
export function phrase(name: 'gone' | 'engine' | 'unit-gone' | 'the-patient', language: Language): string {
  return translator(messages.phrases, language)(name);
}
