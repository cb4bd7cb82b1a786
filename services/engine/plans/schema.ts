// Schemas of the publication of plans (decision E7).
import Type, { type Static } from 'typebox';
import { Instant, Name, OptionalText, UNREADABLE } from '../shared/fields.ts';
import { Guid } from '../shared/reference-fields.ts';

export const PlanInput = Type.Object(
  {
    title: Name,
    description: OptionalText,
    activities: Type.Array(Guid, { minItems: 1, maxItems: 200, uniqueItems: true }),
    goals: Type.Optional(Type.Array(Guid, { maxItems: 200, uniqueItems: true })),
    url: Type.Optional(
      Type.String({
        patternHint: 'must be an absolute URI without spaces, | or #',
        maxLength: 2000,
        pattern: `^[A-Za-z][A-Za-z0-9+.-]*:[^\\s|#${UNREADABLE}]+$`,
        description:
          'The url of a plan that was published before, to make a new version of it; a new url when left out',
      }),
    ),
  },
  { title: 'PlanInput', additionalProperties: false },
);
export type PlanInput = Static<typeof PlanInput>;

export const PublishedPlan = Type.Object(
  {
    plan_definition_id: Guid,
    url: Type.String(),
    version: Type.String(),
    title: Type.String(),
    status: Type.String(),
    published_at: Instant,
  },
  { title: 'PublishedPlan' },
);
export type PublishedPlan = Static<typeof PublishedPlan>;
