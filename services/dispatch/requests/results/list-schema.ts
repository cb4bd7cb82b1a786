// The wire shape of the list of a request's results (docs/reference/dispatch-results.md#the-list).
import Type from 'typebox';
import { nullable } from '../../shared/wire.ts';

/** Whether the engine has it; `pending` is on its way. */
export const RESULT_STATES = ['stored', 'pending', 'refused'] as const;
export const REPORTERS = ['provider', 'patient'] as const;

export const ResultWire = Type.Object(
  {
    reference: Type.String({ description: 'The address of the FHIR resource' }),
    reporter: Type.Enum([...REPORTERS]),
    match_guid: nullable(Type.String({ description: 'The match whose provider reported it' })),
    provider_name: nullable(Type.String()),
    state: Type.Enum([...RESULT_STATES], {
      description: 'stored: it can be read; pending: on its way to the engine; refused: the engine does not take it',
    }),
    reported_at: nullable(Type.String({ format: 'date-time' })),
  },
  { title: 'ReportedResult' },
);
