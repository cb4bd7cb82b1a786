// Whether a text is a code of the Unified Code for Units of Measure (ucum.org; decision E6). The judge is loaded when
// first asked: it holds 13 MB that a node without new units does not need.

/** The error of the code, or undefined when it is right. */
export type UcumCheck = (code: string) => Promise<string | undefined>;

export const checkUcum: UcumCheck = async (code) => {
  const { UcumLhcUtils } = await import('@lhncbc/ucum-lhc');
  const { status, ucumCode } = UcumLhcUtils.getInstance().validateUnitString(code, false);
  if (status === 'valid' && ucumCode === code) return undefined;
  const meant = ucumCode === null ? '' : `; did you mean '${ucumCode}'?`;
  return `'${code}' is not a UCUM code${meant}`;
};
