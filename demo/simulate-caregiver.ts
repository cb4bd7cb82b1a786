// Acts as the staff of the hosted providers: accepts, rejects and reports their tasks in the engine's inbox.
import Type, { type Static } from 'typebox';
import { type Api, read } from './api.ts';
import { FORMS } from './content/forms.ts';
import type { ProfessionalKey } from './content/people.ts';
import { buildQuestionnaire } from './content/questionnaire.ts';
import { observationsOf, questionnaireResponse } from './content/reports.ts';
import type { DemoRequest } from './content/requests.ts';
import { until } from './work.ts';

const TASKS = '/api/v1/provider-tasks';

const Task = Type.Object({ status: Type.String() });

export interface Caregiver {
  readonly engineAs: (person: ProfessionalKey) => Api;
  /** Guids of concepts by their codes. */
  readonly concepts: ReadonlyMap<string, string>;
  readonly now: number;
}

export interface Assignment {
  readonly request: DemoRequest;
  readonly requestGuid: string;
  readonly patientGuid: string;
  /** Who performs it. */
  readonly staff: ProfessionalKey;
}

export async function simulateCaregiver(caregiver: Caregiver, assignment: Assignment): Promise<void> {
  const engine = caregiver.engineAs(assignment.staff);
  const { targetState: fate } = assignment.request;
  // Staff name a task by the guid of its request.
  const path = `${TASKS}/${assignment.requestGuid}`;
  const task = await until('the task reached the inbox', () => findTask(engine, path));
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

async function findTask(engine: Api, path: string): Promise<Static<typeof Task> | undefined> {
  const { status, body } = await engine.reply('GET', path);
  return status === 404 ? undefined : read(body, Task, `The task (${status})`);
}

function reportOf({ concepts, now }: Caregiver, { request, patientGuid }: Assignment): object {
  const subject = { patientGuid, patientName: request.patient, concepts, now };
  const isPartial = request.targetState === 'in_progress';
  const responses = request.forms.map((form) =>
    questionnaireResponse(form, buildQuestionnaire(FORMS[form]).url, subject),
  );
  return {
    status: isPartial ? 'partial' : 'final',
    observations: observationsOf(request.plan, subject, isPartial),
    ...(isPartial ? {} : { questionnaire_responses: responses, note: 'Planen följd; inget avvikande' }),
  };
}
