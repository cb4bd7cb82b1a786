// Small wire shapes that several features share.
import Type from 'typebox';

/** What FHIR allows as an id: others name providers as they like within that (G1). */
export const PROVIDER_GUID_PATTERN = '^[A-Za-z0-9\\-.]{1,64}$';

export const ProviderGuid = Type.String({ pattern: PROVIDER_GUID_PATTERN });

/** Text of people; a NUL character cannot be stored. */
export const FreeText = Type.String({ maxLength: 2000, pattern: '^[^\\u0000]*$' });
