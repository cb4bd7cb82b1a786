// Simulates the hosted providers: accepts, rejects and reports the tasks in the engine's inbox.
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Api } from './api.ts';
import { FORMS } from './content/forms.ts';
import { buildQuestionnaire } from './content/questionnaire.ts';
import { observationsOf, questionnaireResponse } from './content/reports.ts';
import type { DemoRequest } from './content/requests.ts';
import { until } from './work.ts';

const TASKS = '/api/v1/provider-tasks';

const Task = Type.Object({ receipt_token: Type.String(), status: Type.String() });
const Tasks = Type.Object({ data: Type.Array(Type.Object({ request_guid: Type.String() })) });

export interface Caregiver {
  /** The engine's API as the administrator, who sees every provider's tasks. */
  readonly engine: Api;
  /** Guids of concepts by their codes. */
  readonly concepts: ReadonlyMap<string, string>;
  readonly now: number;
}

export interface Assignment {
  readonly request: DemoRequest;
  readonly requestGuid: string;
  readonly patientGuid: string;
}

export async function simulateCaregiver(caregiver: Caregiver, assignment: Assignment): Promise<void> {
  const { engine } = caregiver;
  const { targetState: fate } = assignment.request;
  const task = await until('the task reached the inbox', () => findTask(engine, assignment.requestGuid));
  const path = `${TASKS}/${task.receipt_token}`;
  if (fate === 'rejected') {
    if (task.status === 'received') {
      await engine.post(`${path}/reject`, { reason: 'Inga lediga tider den här veckan' }, Type.Object({}));
    }
    return;
  }
  if (task.status === 'received') await engine.post(`${path}/accept`, {}, Type.Object({}));
  const isReported = task.status === 'completed' || task.status === 'in_progress';
  if (!isReported && (fate === 'in_progress' || fate === 'completed')) {
    await engine.post(`${path}/report`, reportOf(caregiver, assignment), Type.Object({}));
  }
}

async function findTask(engine: Api, requestGuid: string): Promise<Static<typeof Task> | undefined> {
  const { data } = await engine.get(`${TASKS}?per_page=200`, Tasks);
  const found = data.find((task) => task.request_guid === requestGuid);
  // A task of which only the withdrawal arrived has no token.
  return Value.Check(Task, found) ? found : undefined;
}

function reportOf({ concepts, now }: Caregiver, { request, patientGuid }: Assignment): object {
  const subject = { patientGuid, patientName: request.patient, concepts, now };
  const isPartial = request.targetState === 'in_progress';
  const responses = request.forms.flatMap((form) =>
    questionnaireResponse(form, buildQuestionnaire(FORMS[form]).url, subject),
  );
  return {
    status: isPartial ? 'partial' : 'final',
    observations: observationsOf(request.plan, subject, isPartial),
    ...(isPartial ? {} : { questionnaire_responses: responses, note: 'Planen följd; inget avvikande' }),
  };
}
