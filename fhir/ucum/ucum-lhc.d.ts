// Types of the used part of @lhncbc/ucum-lhc; the package has none.
declare module '@lhncbc/ucum-lhc' {
  interface UnitVerdict {
    readonly status: 'valid' | 'invalid' | 'error';
    /** The code as UCUM writes it, or the most likely correction. */
    readonly ucumCode: string | null;
  }
  interface BaseUnits {
    readonly status: 'succeeded' | 'failed' | 'invalid' | 'error';
    readonly magnitude?: number;
    /** The exponent of each base unit: `{ m: -3, g: 1 }`. */
    readonly unitToExp?: Readonly<Record<string, number>>;
  }
  interface UcumUtilities {
    validateUnitString(code: string, suggest: boolean): UnitVerdict;
    convertToBaseUnits(code: string, value: number): BaseUnits;
  }
  export const UcumLhcUtils: { getInstance(): UcumUtilities };
}
