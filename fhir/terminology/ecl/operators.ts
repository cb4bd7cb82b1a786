// Reads the operators that join the parts of an expression constraint, or of a refinement.
import type { TerminologyError } from '../terminology-error.ts';
import type { Scanner } from './scanner.ts';

export type BinaryOperator = 'and' | 'or' | 'minus';

/** Skips the operator that comes next; undefined for none. */
export function binaryOperator(scanner: Scanner): BinaryOperator | undefined {
  if (scanner.eat(',')) return 'and';
  return scanner.eatWord(['and', 'or', 'minus']) as BinaryOperator | undefined;
}

/**
 * Skips the operator once more; false when there is none.
 * @throws TerminologyError for another operator, as none of them goes before the others
 */
export function refuseFurther(scanner: Scanner, operator: BinaryOperator | undefined): boolean {
  const { position } = scanner;
  const next = binaryOperator(scanner);
  if (next === undefined) return false;
  if (next !== operator) throw mixed(scanner, position);
  return true;
}

function mixed(scanner: Scanner, position: number): TerminologyError {
  return scanner.error('an end, or brackets around what belongs together,', position);
}
