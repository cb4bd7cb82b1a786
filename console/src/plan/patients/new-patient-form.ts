// What is typed about a new patient, kept in the tab. A number that was looked up in vain is in it already.
import { useKeptForm } from '../../app/use-kept.ts';
import { plainDashes } from './personnummer.ts';

export const GENDERS = ['female', 'male', 'other', 'unknown'] as const;
export type Gender = (typeof GENDERS)[number];

interface Typed {
  readonly given: string;
  readonly family: string;
  readonly typed: string;
  readonly hasNumber: boolean;
  /** Of who has no number: `YYYY-MM-DD`, or empty. */
  readonly born: string;
  readonly chosen: Gender | undefined;
}

const EMPTY: Typed = { given: '', family: '', typed: '', hasNumber: true, born: '', chosen: undefined };

export function useNewPatientForm() {
  return useKeptForm('new-patient', EMPTY);
}

/** Begins a form with a number. What was typed about another person does not stay beside it. */
export function useBeginWithNumber(): (number: string) => void {
  const [{ typed }, change] = useNewPatientForm();
  return (number) => {
    if (digitsOf(typed) !== digitsOf(number)) change({ ...EMPTY, typed: number });
  };
}

function digitsOf(typed: string): string {
  return plainDashes(typed).replaceAll(/[^\d+]/g, '');
}
