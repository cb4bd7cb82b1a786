// Schemas that several features share.
import Type from 'typebox';

/** A FHIR id, as others choose the ids of providers (G1). */
export const PROVIDER_GUID_PATTERN = '^[A-Za-z0-9\\-.]{1,64}$';

export const ProviderGuid = Type.String({ pattern: PROVIDER_GUID_PATTERN });

/** Free text; a NUL character cannot be stored. */
export const FreeText = Type.String({ maxLength: 2000, pattern: '^[^\\u0000]*$' });

export const Moment = Type.String({ format: 'date-time' });

/** The path of a ServiceRequest, and of what belongs to it. */
export const IdParams = Type.Object({ id: Type.String() });

/** The path of one match of a ServiceRequest. */
export const MatchParams = Type.Object({ id: Type.String(), match_guid: Type.String() });

/** A member of a response that may be null. */
export const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
