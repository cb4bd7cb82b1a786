// Code systems that are defined by a grammar and not by a list: language tags, media types and units of measure.
import { isLanguageTag, isMediaType } from '#fhir/primitives/code-syntax.ts';
import { isUcumCode } from '#fhir/ucum/ucum-code.ts';

export interface CodeGrammar {
  /** The name of the code system. */
  readonly name: string;
  readonly expected: string;
  readonly holds: (code: string) => boolean;
}

const GRAMMARS: ReadonlyMap<string, CodeGrammar> = new Map([
  ['urn:ietf:bcp:47', { name: 'BCP47', expected: 'a language tag such as sv or en-GB', holds: isLanguageTag }],
  ['urn:ietf:bcp:13', { name: 'BCP13', expected: 'a media type such as application/pdf', holds: isMediaType }],
  ['http://unitsofmeasure.org', { name: 'UCUM', expected: 'a unit such as mg/dL', holds: isUcumCode }],
]);

/** The grammar of a code system that is defined by one; undefined for all others. */
export function grammarOf(system: string): CodeGrammar | undefined {
  return GRAMMARS.get(system);
}
