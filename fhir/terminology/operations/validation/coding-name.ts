// The name of a coding in messages: `system|version#code ('display')`.
import { joinCanonical } from '../../catalog/catalog.ts';
import type { Coding } from '../../model/code-system-model.ts';

export function codingName({ system, version, code, display }: Coding): string {
  const name = `${joinCanonical({ url: system ?? '', version })}#${code ?? ''}`;
  return display === undefined ? name : `${name} ('${display}')`;
}
