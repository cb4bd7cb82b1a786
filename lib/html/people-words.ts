// The names of kinds of users and of phases, as pages show them. A phase that an administrator made has its own name.
import type { Language } from './html.ts';
import type { Message } from './messages.ts';
import messages from './people.messages.json' with { type: 'json' };

const PHASES: ReadonlyMap<string, Message> = new Map(Object.entries(messages.phases));
const KINDS: ReadonlyMap<string, Message> = new Map(Object.entries(messages.kinds));

/** A phase by its name in the directory (decision I5). */
export function phaseName(phase: string, language: Language): string {
  return PHASES.get(phase)?.[language] ?? phase;
}

/** `professional`, `patient`, or `administrator` for an SU admin; another text as it is. */
export function userKindName(kind: string, language: Language): string {
  return KINDS.get(kind)?.[language] ?? kind;
}
