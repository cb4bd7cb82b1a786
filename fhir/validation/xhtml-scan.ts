// A scanner of the limited XHTML of narratives (hl7.org/fhir/R5/narrative.html#xhtml). It checks that tags nest and are
// allowed and that there is text to read, and collects ids and references. It builds no tree and fetches nothing. Text
// and plain tags, most of a narrative, are read in one pass.

export const NAMESPACE = 'http://www.w3.org/1999/xhtml';

export interface ScannedXhtml {
  readonly hasContent: boolean;
  /** The ids that images and links refer to (`#id`), without the empty reference `#`. */
  readonly local: readonly string[];
  /** Ids of elements and names of anchors. */
  readonly ids: readonly string[];
}

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
/** XML's own entities only: those of HTML, such as nbsp, are not allowed. */
const REFERENCE = /&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9A-Fa-f]{1,6});/y;
const TAG_END = /\s*(\/?)>/y;

/** The state of a scan. */
interface Scan {
  readonly text: string;
  /** The open elements. */
  readonly open: string[];
  readonly local: string[];
  readonly ids: string[];
  hasContent: boolean;
  /** The index of the next `&`, or the end. */
  nextReference: number;
}

/** The result for a div; undefined when it breaks txt-1. */
export function scanXhtml(text: string): ScannedXhtml | undefined {
  const scan: Scan = { text, open: [], local: [], ids: [], hasContent: false, nextReference: indexOf(text, '&', 0) };
  let at = text.length - text.trimStart().length;
  let hasRoot = false;
  while (at < text.length) {
    const next = indexOf(text, '<', at);
    if (next > at && !scanText(scan, at, next)) return undefined;
    if (next === text.length) break;
    const isAfterRoot = hasRoot && scan.open.length === 0 && !text.startsWith('<!--', next);
    at = isAfterRoot ? -1 : scanMarkup(scan, next);
    if (at < 0) return undefined;
    hasRoot = true;
  }
  return scan.open.length === 0 ? scan : undefined;
}

function indexOf(text: string, sought: string, from: number): number {
  const found = text.indexOf(sought, from);
  return found < 0 ? text.length : found;
}

/** Whether the text between two tags is valid. */
function scanText(scan: Scan, from: number, to: number): boolean {
  const { text, open } = scan;
  while (scan.nextReference < to) {
    REFERENCE.lastIndex = scan.nextReference;
    if (scan.nextReference >= from && !REFERENCE.test(text)) return false;
    scan.nextReference = indexOf(text, '&', scan.nextReference + 1);
  }
  if (scan.hasContent && open.length > 0) return true;
  const isBlank = text.slice(from, to).trim() === '';
  scan.hasContent ||= !isBlank;
  return isBlank || open.length > 0;
}

/** The index after the tag or comment; -1 when it is invalid. */
function scanMarkup(scan: Scan, at: number): number {
  const { text, open } = scan;
  if (text.startsWith('<!--', at)) {
    const close = text.indexOf('-->', at + 4);
    return close < 0 ? -1 : close + 3;
  }
  const isClosing = text[at + 1] === '/';
  const start = isClosing ? at + 2 : at + 1;
  let end = start;
  while (isLetterOrDigit(text.charCodeAt(end))) end += 1;
  const name = text.slice(start, end);
  if (!ELEMENTS.has(name)) return -1;
  if (!isClosing) return scanOpening(scan, end, name);
  if (open.pop() !== name) return -1;
  if (text[end] === '>') return end + 1;
  TAG_END.lastIndex = end;
  return TAG_END.exec(text)?.[1] === '' ? TAG_END.lastIndex : -1;
}

/** Whether the character code is an ASCII letter or digit; NaN is not. */
function isLetterOrDigit(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90);
}

function scanOpening(scan: Scan, from: number, name: string): number {
  const { text, open } = scan;
  if (name === 'img') scan.hasContent = true;
  let at = from;
  if (text[at] !== '>') {
    at = scanAttributes(scan, from, name);
    TAG_END.lastIndex = at;
    const slash = at < 0 ? undefined : TAG_END.exec(text)?.[1];
    if (slash === undefined) return -1;
    if (slash === '/') return open.length === 0 && !VOID.has(name) ? -1 : TAG_END.lastIndex;
    at = TAG_END.lastIndex - 1;
  }
  open.push(name);
  return at + 1;
}

/** The index after the attributes; -1 when one is not allowed. */
function scanAttributes({ text, local, ids }: Scan, from: number, element: string): number {
  let at = from;
  for (;;) {
    ATTRIBUTE.lastIndex = at;
    const attribute = ATTRIBUTE.exec(text);
    if (attribute === null) return at;
    const [, name = '', inDouble, inSingle] = attribute;
    const value = inDouble ?? inSingle ?? '';
    if (!isAllowed(name, value)) return -1;
    if (name === 'id' || (name === 'name' && element === 'a')) ids.push(value);
    else if ((name === 'src' || name === 'href') && value.startsWith('#') && value !== '#') local.push(value.slice(1));
    at = ATTRIBUTE.lastIndex;
  }
}

function isAllowed(name: string, value: string): boolean {
  if (!ATTRIBUTES.has(name)) return false;
  if (name === 'xmlns') return value === NAMESPACE;
  return !((name === 'href' || name === 'src') && SCRIPT_URL.test(value));
}
