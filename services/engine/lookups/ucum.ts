// Whether a text is a code of the Unified Code for Units of Measure (ucum.org; decision E6). The judge is loaded when first asked:
// it holds 13 MB that a node without new units does not need.
import { createRequire } from 'node:module';
import Type from 'typebox';
import { Value } from 'typebox/value';

/** The fault of the code, or undefined when it is right. */
export type UcumCheck = (code: string) => string | undefined;

const Verdict = Type.Object({
  status: Type.String(),
  ucumCode: Type.Union([Type.String(), Type.Null()]),
});

interface Judge {
  validateUnitString(code: string, suggest: boolean): unknown;
}

export function createUcumCheck(): UcumCheck {
  let judge: Judge | undefined;
  return (code) => {
    judge ??= loadJudge();
    const verdict = judge.validateUnitString(code, false);
    if (!Value.Check(Verdict, verdict)) throw new Error('The UCUM library answered in an unknown form');
    if (verdict.status === 'valid' && verdict.ucumCode === code) return undefined;
    const meant = verdict.ucumCode === null ? '' : `; did you mean '${verdict.ucumCode}'?`;
    return `'${code}' is not a UCUM code${meant}`;
  };
}

function loadJudge(): Judge {
  const library: unknown = createRequire(import.meta.url)('@lhncbc/ucum-lhc');
  const utilities = memberOf(library, 'UcumLhcUtils');
  const getInstance = memberOf(utilities, 'getInstance');
  if (typeof getInstance !== 'function') throw new Error('The UCUM library has an unknown form');
  const judge: unknown = getInstance.call(utilities);
  if (!isJudge(judge)) throw new Error('The UCUM library has an unknown form');
  return judge;
}

function memberOf(value: unknown, name: string): unknown {
  const isHolder = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isHolder ? Reflect.get(value, name) : undefined;
}

function isJudge(value: unknown): value is Judge {
  return typeof memberOf(value, 'validateUnitString') === 'function';
}
