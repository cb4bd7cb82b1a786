// Why verdicts may differ from those of HL7's validator as it is run here: the kinds of differences that are known, as
// docs/reference/engine/validation-agreement.md lists them.

export interface Explanation {
  /** Who finds an error where the other finds none. */
  readonly by: 'kedja' | 'judge';
  /** The errors that it explains; those of the check are led by their kind. */
  readonly message: RegExp;
  /** As it is in the reference page. */
  readonly reason: string;
}

const kedja = (message: RegExp, reason: string): Explanation => ({ by: 'kedja', message, reason });
const judge = (message: RegExp, reason: string): Explanation => ({ by: 'judge', message, reason });

export const EXPLANATIONS: readonly Explanation[] = [
  kedja(/must be a media type/, 'media types: the validator would ask a terminology server'),
  kedja(/value set currencies/, 'currencies: the validator would ask a terminology server'),
  kedja(/\(ele-1\)$/, 'an element with an id alone: the validator does not evaluate ele-1 on it'),
  kedja(/\(rng-2\)$/, 'a range from high to low in a unit without a code: the validator does not compare it'),
  kedja(/must be one of %, \/min, /, 'units of UCUM: the validator would ask a terminology server'),
  kedja(/must name a resource: a search/, 'a reference by a search outside of a transaction, which nothing resolves'),
  kedja(
    /\.type must point to /,
    'a reference without a target whose type does not fit: the validator looks at targets only',
  ),
  kedja(/\(txt-1\)$/, 'two divs in a narrative: the validator reads the first only'),
  kedja(/without NUL$/, 'NUL in a text, which the database cannot hold'),
  kedja(/must be a decimal number$/, 'a decimal beyond what a double holds'),
  kedja(/must not be an empty array/, 'an empty list of primitives: the validator passes over it'),
  kedja(/absolute canonical URL/, 'a canonical that ends with |'),
  judge(
    /^Terminology_TX_Code_ValueSet_MISSING/,
    'an extension in the place of a code, which R5 allows unless mustHaveValue is set',
  ),
  judge(/^Display_Name_for_/, 'another display than that of the code system'),
  judge(
    /^CodeSystem_CS_VS_WrongSystem|^SD_TYPE_NOT_DERIVED/,
    'a definition whose address no longer agrees with others that the validator knows',
  ),
  judge(/^Type_Specific_Checks_DT_Time_Valid/, 'a time with fractions of a second, which R5 allows'),
  judge(/#(?:bdl-14|vs-1): /, 'an invariant whose expression gives nothing: Kedja takes that as kept'),
  judge(
    /^BUNDLE_SEARCH_ENTRY_WRONG/,
    'an entry of a search that is marked as a match of a type that the self link does not ask for',
  ),
  judge(/^BUNDLE_LINK_SEARCH_NO_DUPLICATES/, 'two links of one relation in the result of a search'),
  judge(
    /^Reference_REF_Format2/,
    'a relative reference of no known form within a bundle: to Kedja it is odd there too: a warning',
  ),
  kedja(
    /must be a code of the code system /,
    'a code that its system does not have, in a concept that has another coding',
  ),
  judge(
    /^CONCEPTMAP_GROUP_TARGET_PROPERTY_TYPE/,
    'a property of a map whose value is of another type than the map declares',
  ),
  judge(/^VALIDATION_HL7_/, "rules for HL7's own publications, such as one work group of a definition"),
  judge(
    /^Bundle_BUNDLE_(?:Entry_NoFullUrl|FullUrl_Missing)/,
    'an entry of a transaction without a full URL, which a POST need not have',
  ),
  judge(/^CODESYSTEM_CS_/, 'counts of a code system, and its agreement with its value set'),
  judge(
    /^Reference_REF_(?:CantMatchType|BadTargetType)/,
    'a word that is a resource type in the place of a reference: to Kedja it is an odd reference: a warning',
  ),
  judge(/^fatal: |^crash: /, 'the validator itself fails'),
  kedja(
    /\(cod-1\)$|must have a coding that is a language tag/,
    'languages: the validator would ask a terminology server',
  ),
  kedja(/language tag such as sv/, 'languages: the validator would ask a terminology server'),
  kedja(
    /is the id of another contained resource too/,
    'two contained resources of one id: the validator takes the first',
  ),
  judge(
    /^Terminology_TX_NoValid_1_CC/,
    'a second coding of a system that the validator does not know, beside one of the value set',
  ),
  judge(/^BUNDLE_ENTRY_URL_MATCHES/, 'a full URL of what is yet to be created by POST, and so has no id of its own'),
];
