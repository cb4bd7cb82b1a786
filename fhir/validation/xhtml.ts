// Validates narratives: the limited XHTML of Narrative.div, with the rules txt-1 and txt-2
// (hl7.org/fhir/R5/narrative.html#xhtml).
import { addBrokenInvariant, addIssue, type ValidationContext } from './context.ts';
import { checkLocalLinks } from './local-ids.ts';
import { NAMESPACE, scanXhtml } from './xhtml-scan.ts';

const ROOT = /^\s*<div(?:\s[^>]*)?\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml["']/;

const TXT_1 = {
  key: 'txt-1',
  severity: 'error',
  human: 'The narrative SHALL contain only the basic html formatting elements and attributes, and be well-formed',
} as const;
const TXT_2 = {
  key: 'txt-2',
  severity: 'error',
  human: 'The narrative SHALL have some non-whitespace content',
} as const;

/** Checks the text of a narrative's div, and notes its references within the resource. */
export function checkXhtml(context: ValidationContext, text: string): void {
  if (!ROOT.test(text)) {
    addIssue(context, 'value', `must be one <div xmlns="${NAMESPACE}">`);
    return;
  }
  const scanned = scanXhtml(text);
  if (scanned === undefined) addBrokenInvariant(context, TXT_1);
  else if (!scanned.hasContent) addBrokenInvariant(context, TXT_2);
  if (scanned !== undefined && scanned.local.length > 0) checkLocalLinks(context, scanned);
}
