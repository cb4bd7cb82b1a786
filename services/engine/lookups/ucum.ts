// Checks whether a text is a code of the Unified Code for Units of Measure (ucum.org; decision E6). The library is
// loaded at the first use, because it takes 13 MB that a node without new units does not need.

/** Returns the error message of a code; undefined when the code is valid. */
export type UcumCheck = (code: string) => Promise<string | undefined>;

export const checkUcum: UcumCheck = async (code) => {
  const { UcumLhcUtils } = await import('@lhncbc/ucum-lhc');
  const { status, ucumCode } = UcumLhcUtils.getInstance().validateUnitString(code, false);
  if (status === 'valid' && ucumCode === code) return undefined;
  const meant = ucumCode === null ? '' : `; did you mean '${ucumCode}'?`;
  return `'${code}' is not a UCUM code${meant}`;
};
