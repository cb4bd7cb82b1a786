// Parses a recorded AuditEvent into the members that the list shows in addition to its columns.
import Type from 'typebox';
import { Value } from 'typebox/value';

const Named = Type.Object({
  reference: Type.Optional(Type.String()),
  identifier: Type.Optional(Type.Object({ system: Type.String(), value: Type.String() })),
  display: Type.Optional(Type.String()),
});
const Recorded = Type.Object({
  action: Type.Enum(['C', 'R', 'U', 'D', 'E']),
  code: Type.Object({ coding: Type.Array(Type.Object({ code: Type.String() })) }),
  outcome: Type.Object({
    code: Type.Object({ code: Type.String() }),
    detail: Type.Optional(Type.Array(Type.Object({ text: Type.String() }))),
  }),
  patient: Type.Optional(Type.Object({ reference: Type.String() })),
  agent: Type.Array(
    Type.Object({
      who: Named,
      role: Type.Optional(Type.Array(Type.Object({ text: Type.String() }))),
      networkString: Type.Optional(Type.String()),
    }),
  ),
  entity: Type.Optional(Type.Array(Type.Object({ what: Named, role: Type.Optional(Type.Unknown()) }))),
});

const IDS = 'https://kedja.dev/ids/';
const REQUEST = `${IDS}http-request`;

export interface RecordedEvent {
  readonly event: string;
  readonly action: 'C' | 'R' | 'U' | 'D' | 'E';
  readonly outcome: 'success' | 'failure';
  /** Who acted, when it was not a user: a service, or the operator who ran a command. */
  readonly service: string | null;
  readonly operator: string | null;
  readonly roles: readonly string[];
  readonly address: string | null;
  readonly requestId: string | null;
  readonly patientGuid: string | null;
  /** The entities of the event: `Group/…`, `access-request/…`. */
  readonly entities: readonly string[];
  readonly detail: string | null;
}

/** @throws Error when the text is not an AuditEvent as identity writes it */
export function readRecordedEvent(resource: string): RecordedEvent {
  const event: unknown = JSON.parse(resource);
  if (!Value.Check(Recorded, event)) throw new Error('A recorded event cannot be read');
  const [agent] = event.agent;
  const entities = event.entity ?? [];
  const request = entities.find(({ what }) => what.identifier?.system === REQUEST);
  const touched = entities.filter((entity) => entity !== request && entity.role === undefined);
  const actorOf = (kind: string) => {
    const identifier = agent?.who.identifier;
    return identifier?.system === `${IDS}${kind}` ? identifier.value : null;
  };
  return {
    event: event.code.coding[0]?.code ?? '',
    action: event.action,
    outcome: event.outcome.code.code === 'error' ? 'failure' : 'success',
    service: actorOf('service'),
    operator: actorOf('operator'),
    roles: (agent?.role ?? []).map(({ text }) => text),
    address: agent?.networkString ?? null,
    requestId: request?.what.identifier?.value ?? null,
    patientGuid: event.patient?.reference.replace('Patient/', '') ?? null,
    entities: touched.map(({ what }) => nameOf(what)),
    detail: event.outcome.detail?.[0]?.text ?? null,
  };
}

function nameOf(what: {
  reference?: string;
  identifier?: { system: string; value: string };
  display?: string;
}): string {
  const { reference, identifier, display = '' } = what;
  if (reference !== undefined) return reference;
  return identifier === undefined ? display : `${identifier.system.replace(IDS, '')}/${identifier.value}`;
}
