// Language tags of the language reference sets of SNOMED CT (ECL 2.2, appendix C). A reference set without an alias has
// a tag of its own: `en-x-sctlang-90000000-00005090-07`.

const TAGS: ReadonlyMap<string, string> = new Map([
  ['554461000005103', 'da-DK'],
  ['32570271000036106', 'en-AU'],
  ['19491000087109', 'en-CA'],
  ['900000000000508004', 'en-GB'],
  ['21000220103', 'en-IE'],
  ['271000210107', 'en-NZ'],
  ['281000210109', 'en-NZ-x-pat'],
  ['900000000000509007', 'en-US'],
  ['608771002', 'en-x-gmdn'],
  ['999001261000000100', 'en-x-nhs-clinical'],
  ['999000671000001103', 'en-x-nhs-dmd'],
  ['999000691000001104', 'en-x-nhs-pharmacy'],
  ['999000681000001101', 'en-GB-x-drug'],
  ['999001251000000103', 'en-GB-x-ext'],
  ['450828004', 'es'],
  ['5641000179103', 'es-UY'],
  ['71000181105', 'et-EE'],
  ['722130004', 'de'],
  ['722131000', 'fr'],
  ['21000172104', 'fr-BE'],
  ['20581000087109', 'fr-CA'],
  ['722129009', 'ja'],
  ['291000210106', 'mi'],
  ['31000172101', 'nl-BE'],
  ['31000146106', 'nl-NL'],
  ['61000202103', 'nb-NO'],
  ['91000202106', 'nn-NO'],
  ['46011000052107', 'sv-SE'],
  ['722128001', 'zh'],
]);

const REFSETS: ReadonlyMap<string, string> = new Map(
  [...TAGS].map(([refset, tag]) => [tag.toLowerCase(), refset] as const),
);

/** The language tag of a language reference set. */
export function dialectTag(refset: string, language = 'und'): string {
  return TAGS.get(refset) ?? `${language}-x-sctlang-${refset.match(/.{1,8}/g)?.join('-') ?? ''}`;
}

/** The language reference set of an alias (in lower case); undefined for an unknown one. */
export function refsetOfDialect(alias: string): string | undefined {
  const [, groups] = /^[a-z]{2,3}-x-sctlang((?:-\d+)+)$/.exec(alias) ?? [];
  return REFSETS.get(alias) ?? groups?.replaceAll('-', '');
}
