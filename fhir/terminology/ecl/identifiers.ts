// Reads identifiers of an expression constraint: concepts with or without their terms, identifiers of other schemes,
// and names of fields.
import type { Scanner } from './scanner.ts';
import type { ConceptReference, Expression } from './syntax.ts';

const SCTID = /^[1-9]\d{5,17}$/;

/** A concept with or without its term; undefined where no number comes next. */
export function conceptReference(scanner: Scanner): ConceptReference | undefined {
  scanner.skip();
  const at = scanner.position;
  const id = scanner.digits();
  if (id === undefined) return undefined;
  if (!SCTID.test(id)) throw scanner.error('an identifier of 6 to 18 digits', at);
  skipTerm(scanner);
  return { kind: 'concept', id, at };
}

const TERM = /[^|]*[^|\s][^|]*/y;

function skipTerm(scanner: Scanner): void {
  if (!scanner.eat('|')) return;
  if (scanner.take(TERM) === undefined) throw scanner.error('a term');
  if (!scanner.eat('|')) throw scanner.error('the end of the term (|)');
}

const ALTERNATE = /[A-Za-z][A-Za-z0-9-]*#[A-Za-z0-9._-]+/y;
const PARTLY_QUOTED = /[A-Za-z][A-Za-z0-9-]*#"[^"\\]+"/y;
const QUOTED = /"[A-Za-z][A-Za-z0-9-]*#[^"\\]+"/y;

export function alternateIdentifier(scanner: Scanner): Expression | undefined {
  scanner.skip();
  const at = scanner.position;
  const text = scanner.take(ALTERNATE) ?? scanner.take(PARTLY_QUOTED) ?? scanner.take(QUOTED);
  if (text === undefined) return undefined;
  skipTerm(scanner);
  const [scheme = '', ...code] = text.replaceAll('"', '').split('#');
  return { kind: 'alternate', scheme, code: code.join('#'), at };
}

const FIELD = /[A-Za-z]+/y;

export function fieldName(scanner: Scanner): string {
  scanner.skip();
  const name = scanner.take(FIELD);
  if (name === undefined) throw scanner.error('the name of a field');
  return name;
}
