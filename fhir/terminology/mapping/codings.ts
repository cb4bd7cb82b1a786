// The codes of value sets as a mapping uses them: whether one is in a set, and what a set stands for.
import { type Content, isInPart, placesOf } from '../content/content.ts';
import type { Coding } from '../model/code-system-model.ts';
import { TerminologyError } from '../terminology-error.ts';

/** More matches than this are not answered. */
export const MAX_MATCHES = 1_000;

export function isInContent(content: Content, { system, code }: Coding): boolean {
  return content.some((part) => part.system === system && isInPart(part, code ?? ''));
}

/** The codes of a set, those of one system alone where it is named. @throws TerminologyError `too-costly` */
export function codingsOf(content: Content, system: string | undefined): Coding[] {
  const found: Coding[] = [];
  for (const part of content) {
    if (system !== undefined && part.system !== system) continue;
    if (part.kind === 'loose') {
      // All codes but some cannot be listed.
      if (part.isAllBut) continue;
      for (const { code, display } of part.codes.values()) found.push({ system: part.system, code, display });
    } else {
      const { model } = part.view;
      for (const place of placesOf(part, 0, MAX_MATCHES + 1)) {
        found.push({ system: part.system, code: model.code(place) });
      }
    }
    if (found.length > MAX_MATCHES) throw tooMany();
  }
  return found;
}

export function tooMany(): TerminologyError {
  return new TerminologyError('too-costly', `there are more than ${MAX_MATCHES} matches`);
}
