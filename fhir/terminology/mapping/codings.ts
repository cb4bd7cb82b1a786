// Codes of value sets in mappings: whether a set has a code, and the codings of a set.
import { type Content, isInPart, placesOf } from '../content/content.ts';
import type { Coding } from '../model/code-system-model.ts';
import { TerminologyError } from '../terminology-error.ts';

/** The most matches in a response. */
export const MAX_MATCHES = 1_000;

export function isInContent(content: Content, { system, code }: Coding): boolean {
  return content.some((part) => part.system === system && isInPart(part, code ?? ''));
}

/** The codings of a set, or only those of one system. @throws TerminologyError `too-costly` */
export function codingsOf(content: Content, system: string | undefined): Coding[] {
  const found: Coding[] = [];
  for (const part of content) {
    if (system !== undefined && part.system !== system) continue;
    if (part.kind === 'loose') {
      // A part of all codes except some cannot be listed.
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
