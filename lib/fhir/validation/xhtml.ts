// Narratives: the limited XHTML of Narrative.div, its rules txt-1 and txt-2 (hl7.org/fhir/R5/narrative.html#xhtml). A scanner, not a
// parser: it sees that tags nest and are allowed and that there is something to read; it never runs or fetches anything.
import { addBrokenInvariant, addFault, type ValidationContext } from './context.ts';
import { noteReferenced } from './resources.ts';

const ELEMENTS = new Set(
  (
    'a abbr acronym b big blockquote br caption cite code col colgroup dd dfn div dl dt em h1 h2 h3 h4 h5 h6 hr i img li ol p pre ' +
    'q s samp small span strike strong sub sup table tbody td tfoot th thead tr tt u ul var bdo del ins'
  ).split(' '),
);
const VOID = new Set(['br', 'hr', 'img', 'col']);
const ATTRIBUTE = /\s+([A-Za-z_:][\w:.-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const ATTRIBUTES = new Set(
  (
    'abbr accesskey align alt axis bgcolor border cellhalign cellpadding cellspacing cellvalign char charoff charset cite class clear ' +
    'color colspan coords compact datetime dir face frame headers height href hreflang hspace id lang longdesc name nohref noshade ' +
    'nowrap rel rev rowspan rules scope shape size span src start style summary tabindex title type usemap valign value vspace width ' +
    'xml:lang xml:space xmlns'
  ).split(' '),
);
const SCRIPT_URL = /^\s*(?:javascript|vbscript|data:text\/html)/i;
/** XML's own names only: those of HTML, such as nbsp, are not for narratives (hl7.org/fhir/R5/narrative.html#xhtml). */
const REFERENCE = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9A-Fa-f]{1,6});)/;
const ROOT = /^\s*<div(?:\s[^>]*)?\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml["']/;
const NAMESPACE = 'http://www.w3.org/1999/xhtml';

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

/** Checks the text of a narrative's div, and notes what it refers to within the resource. */
export function checkXhtml(context: ValidationContext, text: string): void {
  if (!ROOT.test(text)) {
    addFault(context, 'value', `must be one <div xmlns="${NAMESPACE}">`);
    return;
  }
  const scanned = scan(text);
  if (scanned !== undefined) for (const id of scanned.local) noteReferenced(context, id);
  if (scanned === undefined) addBrokenInvariant(context, TXT_1);
  else if (!scanned.hasContent) addBrokenInvariant(context, TXT_2);
}

/** Whether there is something to read, and the ids of images and links such as `#id`; undefined when the text breaks txt-1. */
function scan(text: string): { readonly hasContent: boolean; readonly local: ReadonlySet<string> } | undefined {
  const open: string[] = [];
  const local = new Set<string>();
  let hasContent = false;
  let hasRoot = false;
  let at = text.length - text.trimStart().length;
  while (at < text.length) {
    const next = text.indexOf('<', at);
    const run = text.slice(at, next < 0 ? text.length : next);
    if (REFERENCE.test(run) || (open.length === 0 && run.trim() !== '')) return undefined;
    hasContent ||= run.trim() !== '';
    if (next < 0) break;
    const isAfterRoot = hasRoot && open.length === 0 && !text.startsWith('<!--', next);
    const tag = isAfterRoot ? undefined : scanMarkup(text, next, { open, local });
    if (tag === undefined) return undefined;
    hasRoot = true;
    hasContent ||= tag.isImage;
    at = tag.end;
  }
  return open.length === 0 ? { hasContent, local } : undefined;
}

interface Markup {
  readonly end: number;
  readonly isImage: boolean;
}

/** What a scan carries along: the elements that are open, and the local ids met so far. */
interface Scan {
  readonly open: string[];
  readonly local: Set<string>;
}

function scanMarkup(text: string, at: number, scan: Scan): Markup | undefined {
  if (text.startsWith('<!--', at)) {
    const close = text.indexOf('-->', at + 4);
    return close < 0 ? undefined : { end: close + 3, isImage: false };
  }
  const end = text.indexOf('>', at);
  const match = /^<(\/?)([A-Za-z][A-Za-z0-9]*)/.exec(text.slice(at, at + 40));
  const [start, slash, name = ''] = match ?? [];
  if (end < 0 || start === undefined || !ELEMENTS.has(name)) return undefined;
  if (slash === '/') {
    const isMatched = scan.open.pop() === name && text.slice(at + start.length, end).trim() === '';
    return isMatched ? { end: end + 1, isImage: false } : undefined;
  }
  return scanOpening(text, at + start.length, name, scan);
}

function scanOpening(text: string, from: number, name: string, { open, local }: Scan): Markup | undefined {
  let at = from;
  for (;;) {
    ATTRIBUTE.lastIndex = at;
    const attribute = ATTRIBUTE.exec(text);
    if (attribute === null) break;
    const [, attributeName = '', inDouble, inSingle] = attribute;
    const value = inDouble ?? inSingle ?? '';
    if (!isAllowed(attributeName, value)) return undefined;
    if (value.startsWith('#') && (attributeName === 'src' || attributeName === 'href')) local.add(value.slice(1));
    at = ATTRIBUTE.lastIndex;
  }
  const close = /^\s*(\/?)>/.exec(text.slice(at, at + 200));
  if (close === null) return undefined;
  if (close[1] === '') open.push(name);
  else if (open.length === 0 && !VOID.has(name)) return undefined;
  return { end: at + close[0].length, isImage: name === 'img' };
}

function isAllowed(name: string, value: string): boolean {
  if (!ATTRIBUTES.has(name)) return false;
  if (name === 'xmlns') return value === NAMESPACE;
  return !((name === 'href' || name === 'src') && SCRIPT_URL.test(value));
}
