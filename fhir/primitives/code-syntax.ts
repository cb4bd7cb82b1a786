// Checks codes by syntax where the code system is too large to list. They are language tags (BCP 47), media types (RFC
// 6838), units (UCUM) and colours, for R5's required bindings to them.

const LANGUAGE =
  /^(?:[A-Za-z]{2,3}(?:-[A-Za-z]{3}){0,3}|[A-Za-z]{4,8})(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|\d{3}))?(?:-(?:[A-Za-z0-9]{5,8}|\d[A-Za-z0-9]{3}))*(?:-[A-WY-Za-wy-z0-9](?:-[A-Za-z0-9]{2,8})+)*(?:-x(?:-[A-Za-z0-9]{1,8})+)?$/;
const PRIVATE_LANGUAGE = /^(?:x|i)(?:-[A-Za-z0-9]{1,8})+$/i;
const TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?: *;.*)?$`);
/** Short names of R5's own formats (hl7.org/fhir/R5/http.html#parameters), which its own resources use too. */
const SHORT_MEDIA_TYPES = new Set(['xml', 'json', 'ttl']);
const COLOUR = /^#[0-9A-Fa-f]{6}$/;
const UCUM_CHARACTERS = /^[!-~]+$/;

interface Syntax {
  readonly systems: readonly string[];
  readonly expected: string;
  readonly isValid: (code: string) => boolean;
}

const SYNTAXES: ReadonlyMap<string, Syntax> = new Map([
  [
    'http://hl7.org/fhir/ValueSet/all-languages',
    { systems: ['urn:ietf:bcp:47'], expected: 'a language tag such as sv or en-GB', isValid: isLanguageTag },
  ],
  [
    'http://hl7.org/fhir/ValueSet/mimetypes',
    { systems: ['urn:ietf:bcp:13'], expected: 'a media type such as application/pdf', isValid: isMediaType },
  ],
  [
    'http://hl7.org/fhir/ValueSet/ucum-units',
    { systems: ['http://unitsofmeasure.org'], expected: 'a UCUM unit such as mg/dL', isValid: isUcumSyntax },
  ],
  [
    'http://hl7.org/fhir/ValueSet/color-codes',
    {
      systems: ['http://hl7.org/fhir/color-rgb'],
      expected: 'a named colour or #rrggbb',
      isValid: (code) => COLOUR.test(code),
    },
  ],
]);

/** The syntax check of a value set that cannot be listed in full; undefined for a listed one. */
export function codeSyntax(valueSet: string): Syntax | undefined {
  return SYNTAXES.get(valueSet);
}

/** Whether the text has the form of a BCP 47 language tag. */
export function isLanguageTag(code: string): boolean {
  return LANGUAGE.test(code) || PRIVATE_LANGUAGE.test(code);
}

/** Whether the text has the form of a media type, with parameters or not, or is one of FHIR's short names. */
export function isMediaType(code: string): boolean {
  return MEDIA_TYPE.test(code) || SHORT_MEDIA_TYPES.has(code);
}

/**
 * Whether the text could be a UCUM unit: printable ASCII without spaces, brackets in pairs. The unit itself is not
 * checked.
 */
export function isUcumSyntax(code: string): boolean {
  if (!UCUM_CHARACTERS.test(code)) return false;
  const open: string[] = [];
  for (const char of code) {
    if (open.at(-1) === '{' && char !== '}') {
      if (char === '{') return false;
      continue;
    }
    if (char === '(' || char === '[' || char === '{') open.push(char);
    if (char === ')' && open.pop() !== '(') return false;
    if (char === ']' && open.pop() !== '[') return false;
    if (char === '}' && open.pop() !== '{') return false;
  }
  return open.length === 0;
}
