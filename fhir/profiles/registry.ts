// The profiles that are known, by canonical URL: those of R5 and of HL7's extension package (made by
// scripts/compile-fhir-profiles.ts), and whatever lies over them. The files are read when first needed.
import { readFileSync } from 'node:fs';
import type { Profile } from './profile.ts';

export interface ProfileRegistry {
  /** By `url` or `url|version`; without a version the latest. */
  readonly find: (canonical: string) => Profile | undefined;
  /** Why a profile that is there cannot be used. */
  readonly problemOf: (canonical: string) => string | undefined;
}

const BASE = 'http://hl7.org/fhir/StructureDefinition/';
const VERSION = '5.0.0';

/** The type whose own definition a canonical URL names, whether or not there is such a type: `Patient`. */
export function urlOfBase(canonical: string): string | undefined {
  const [url = '', version] = canonical.split('|');
  if (!url.startsWith(BASE) || (version !== undefined && version !== VERSION)) return undefined;
  return url.slice(BASE.length);
}

let loaded: ProfileRegistry | undefined;

/** The official profiles. */
export function r5Profiles(): ProfileRegistry {
  loaded ??= createRegistry(() => [...readGenerated('r5-profiles.json'), ...readGenerated('r5-extensions.json')]);
  return loaded;
}

/** A registry of profiles whose canonical URLs are all different. */
function createRegistry(read: () => readonly Profile[]): ProfileRegistry {
  let byUrl: ReadonlyMap<string, Profile> | undefined;
  return {
    find: (canonical) => {
      const [url = '', version] = canonical.split('|');
      byUrl ??= new Map(read().map((profile) => [profile.url, profile]));
      const profile = byUrl.get(url);
      return version === undefined || profile?.version === version ? profile : undefined;
    },
    problemOf: () => undefined,
  };
}

function readGenerated(name: string): readonly Profile[] {
  return JSON.parse(readFileSync(new URL(`generated/${name}`, import.meta.url), 'utf8'));
}
