// Shapes of an access check (docs/adr/0105): who is asked about, which record, and for each act the rules that decide.
import Type, { type Static } from 'typebox';
import { REASONS } from './reasons.ts';

const closed = { additionalProperties: false };
/** A guid; the ids of providers, which the contract service gives, may be others. */
const Guid = Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' });
const ResourceTypeName = Type.String({ pattern: '^[A-Z][A-Za-z]{1,63}$' });
const FhirId = Type.String({ pattern: '^[A-Za-z0-9\\-.]{1,64}$' });
const MOST_GUIDS = 1_000;
const Names = Type.Array(Type.String(), { maxItems: MOST_GUIDS });

const CALLER_KINDS = ['user', 'api_key', 'provider'] as const;

export const AskedCaller = Type.Object(
  {
    kind: Type.Enum([...CALLER_KINDS], {
      description:
        'A user of identity (or of the engine itself), an API key, or a provider: what any key or receipt of it may do',
    }),
    guid: Guid,
    acting_for: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_.-]{1,64}$',
        description:
          'The patient whose proxy the user acts as. Left out: as themself, and for each patient of the record whose proxy the user is or was',
      }),
    ),
  },
  { ...closed, title: 'AccessCheckCaller' },
);
export type AskedCaller = Static<typeof AskedCaller>;

export const AccessCheckInput = Type.Object(
  { caller: AskedCaller, resource_type: ResourceTypeName, id: FhirId },
  { ...closed, title: 'AccessCheckInput' },
);
export type AccessCheckInput = Static<typeof AccessCheckInput>;

const RULES = ['proxy', 'role', 'scope', 'report', 'record', 'state', 'provider', 'consent'] as const;

export const DecidingRule = Type.Object(
  {
    rule: Type.Enum([...RULES]),
    permits: Type.Boolean(),
    reason: Type.Enum(Object.keys(REASONS)),
    message: Type.String({ description: 'The reason as a sentence' }),
    needed: Type.Array(Type.String(), { description: 'What the rule asks for: roles, phases, scopes, owners' }),
    given: Type.Array(Type.String(), { description: 'What the caller, or the record, has of that' }),
  },
  { title: 'DecidingRule' },
);
export type DecidingRule = Static<typeof DecidingRule>;

export const DecidedAct = Type.Object(
  {
    act: Type.String(),
    resource_type: Type.String(),
    allowed: Type.Boolean(),
    acting_for: Type.Optional(
      Type.String({ description: 'The patient for whom the user acts as a proxy, by the header `Kedja-Patient`' }),
    ),
    match: Type.Optional(
      Type.Object(
        { match_guid: Type.String(), provider_guid: Type.String(), provider_name: Type.String() },
        { description: 'Of acts with one of the matches of a request' },
      ),
    ),
    rules: Type.Array(DecidingRule, { description: 'In the order in which a request meets them, up to the refusal' }),
  },
  { title: 'DecidedAct' },
);
export type DecidedAct = Static<typeof DecidedAct>;

export const AccessCheck = Type.Object(
  {
    caller: Type.Object({
      kind: Type.Enum([...CALLER_KINDS]),
      guid: Type.String(),
      acting_for: Type.Optional(Type.String()),
      roles: Names,
      phases: Names,
      organisation_guids: Names,
      provider_guids: Names,
      scopes: Names,
    }),
    resource_type: Type.String(),
    id: Type.String(),
    organisation_guid: Type.Union([Type.String(), Type.Null()], { description: 'To which the record belongs' }),
    acts: Type.Array(DecidedAct),
  },
  { title: 'AccessCheck' },
);
export type AccessCheck = Static<typeof AccessCheck>;
