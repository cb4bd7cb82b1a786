// The part of @lhncbc/ucum-lhc that is used; the package brings no types.
declare module '@lhncbc/ucum-lhc' {
  interface UnitVerdict {
    readonly status: 'valid' | 'invalid' | 'error';
    /** The code as UCUM writes it, or the one that was probably meant. */
    readonly ucumCode: string | null;
  }
  interface UcumUtilities {
    validateUnitString(code: string, suggest: boolean): UnitVerdict;
  }
  export const UcumLhcUtils: { getInstance(): UcumUtilities };
}
