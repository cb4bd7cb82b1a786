// What patients and providers answer must fit its form, where the engine has the form (docs/adr/0088).
import { isFinished } from '#fhir/reports/report-check.ts';
import type { ResourceText } from '#fhir/resources/resource-text.ts';
import type { WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import { ALL_ACCESS } from '#fhir/store/access.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import type { Queryable } from '#lib/db/database.ts';
import { type Issue, messageOf, ServiceError } from '#lib/errors.ts';
import { escapedValue } from '../shared/published-versions.ts';
import { type AnswerWork, answerErrors } from './answer-work.ts';

/** @throws ServiceError `unprocessable` with every error of a response, each at its item */
export type RequireAnswers = (db: Queryable, source: ResourceText, callerId: string) => Promise<void>;

export function createAnswerCheck({
  store,
  workerThreads,
}: {
  readonly store: FhirStore;
  /** All is checked on the event loop when left out. */
  readonly workerThreads: WorkerThreads | undefined;
}): RequireAnswers {
  const errorsOf = async (work: AnswerWork, callerId: string) =>
    workerThreads === undefined
      ? answerErrors(work)
      : ((await workerThreads.perform(work, workerThreads.budget(callerId))) as readonly Issue[]);

  return async (db, { resourceType, resource, text }, callerId) => {
    if (resourceType !== 'QuestionnaireResponse' || !isFinished(resource)) return;
    const form = await findForm({ store, db }, resource['questionnaire']);
    if (form === undefined) return;
    const issues = await errorsOf({ kind: 'answers', form, response: text }, callerId);
    if (issues.length > 0) throw new ServiceError('unprocessable', messageOf(issues), { issues });
  };
}

/** The JSON text of the form with that canonical address; of one without a version the active one changed last. */
async function findForm(
  { store, db }: { readonly store: FhirStore; readonly db: Queryable },
  canonical: unknown,
): Promise<string | undefined> {
  if (typeof canonical !== 'string') return undefined;
  const [url = '', version] = canonical.split('#', 1)[0]?.split('|', 2) ?? [];
  if (url === '') return undefined;
  const query = store.parse('Questionnaire', [
    ['url', escapedValue(url)],
    version === undefined ? ['status', 'active'] : ['version', escapedValue(version)],
    ['_sort', '-_lastUpdated'],
    ['_count', '1'],
  ]);
  const { matches } = await store.search(db, query, { access: ALL_ACCESS });
  return matches[0]?.content;
}
