// Loads the library of the Unified Code for Units of Measure (ucum.org) synchronously, on first use.
import { createRequire } from 'node:module';

type Ucum = ReturnType<typeof import('@lhncbc/ucum-lhc').UcumLhcUtils.getInstance>;

let loaded: Ucum | undefined;

/** The library, loaded on first use: a node without quantities does not need its 13 MB. */
export function ucum(): Ucum {
  if (loaded === undefined) {
    const { UcumLhcUtils }: typeof import('@lhncbc/ucum-lhc') = createRequire(import.meta.url)('@lhncbc/ucum-lhc');
    loaded = UcumLhcUtils.getInstance();
  }
  return loaded;
}
