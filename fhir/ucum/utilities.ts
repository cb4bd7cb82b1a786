// The library of the Unified Code for Units of Measure (ucum.org), for those who cannot wait for it.
import { createRequire } from 'node:module';

type Ucum = ReturnType<typeof import('@lhncbc/ucum-lhc').UcumLhcUtils.getInstance>;

let loaded: Ucum | undefined;

/** Loaded when the first unit is asked for: it holds 13 MB that a node without quantities does not need. */
export function ucum(): Ucum {
  if (loaded === undefined) {
    const { UcumLhcUtils }: typeof import('@lhncbc/ucum-lhc') = createRequire(import.meta.url)('@lhncbc/ucum-lhc');
    loaded = UcumLhcUtils.getInstance();
  }
  return loaded;
}
