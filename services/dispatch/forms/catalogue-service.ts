// The catalogue of forms, which the plan service owns. dispatch stores the last known one, and shows it marked stale
// while the plan service is unavailable (decision D12).
import type { PlanClient } from '#clients/plan-client.ts';
import { isAddressableId } from '#fhir/primitives/primitives.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { notFound, ServiceError } from '#lib/errors.ts';
import { limitOf, type PageRequest } from '#lib/http/response/page.ts';
import type { Actor } from '../shared/actor.ts';
import type { TextTasks } from '../shared/text-tasks.ts';
import { dropForm, findForm, lastSync, listCatalogue, saveCatalogue, saveForm } from './catalogue-store.ts';
import { SHOWN_FORM, toEntry } from './form-tasks.ts';
import type { CatalogueEntry } from './schema.ts';

export interface CataloguePage {
  readonly entries: readonly CatalogueEntry[];
  readonly total: number;
  /** Whether the plan service was unavailable, so that this is the last known catalogue. */
  readonly isStale: boolean;
  readonly asOf: Date;
}

export interface CatalogueForm {
  readonly entry: CatalogueEntry;
  /** JSON texts. */
  readonly questionnaire: string;
  readonly renderReady: string;
  readonly isStale: boolean;
  readonly asOf: Date;
}

export interface CatalogueService {
  /** @throws ServiceError `upstream_unavailable` when there is no catalogue to show */
  list(page: PageRequest): Promise<CataloguePage>;
  /** @throws ServiceError `not_found`, `upstream_unavailable`, `unprocessable` for a form that is too large */
  read(formGuid: string, actor: Actor): Promise<CatalogueForm>;
}

export interface CatalogueServiceOptions {
  readonly database: Database;
  readonly plans: PlanClient;
  readonly texts: TextTasks;
  readonly clock: Clock;
}

export function createCatalogueService({ database, plans, texts, clock }: CatalogueServiceOptions): CatalogueService {
  let refreshing: Promise<Date> | undefined;

  /** Concurrent callers share one read of the catalogue. */
  function refresh(): Promise<Date> {
    refreshing ??= readAll().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  async function readAll(): Promise<Date> {
    const now = new Date(clock.now());
    const entries = (await plans.listForms()).flatMap((resource) => toEntry(resource) ?? []);
    // A form that moved to a later page meanwhile is listed twice.
    const byGuid = new Map(entries.map((entry) => [entry.formGuid, entry]));
    await saveCatalogue(database, [...byGuid.values()], now);
    return now;
  }

  async function toForm(
    given: { readonly formGuid: string; readonly form: string },
    age: { readonly isStale: boolean; readonly asOf: Date },
    actor: Actor,
  ): Promise<CatalogueForm> {
    const shown = await texts.run(SHOWN_FORM, given, actor);
    if (shown === undefined) throw notFound('Form');
    return { ...shown, questionnaire: given.form, ...age };
  }

  return {
    async list(page) {
      const fresh = await orUndefined(refresh());
      const asOf = fresh ?? (await lastSync(database));
      if (asOf === undefined) throw unreachable();
      return { ...(await listCatalogue(database, limitOf(page))), isStale: fresh === undefined, asOf };
    },
    async read(formGuid, actor) {
      if (!isAddressableId(formGuid)) throw notFound('Form');
      const answer = await orUndefined(plans.readForm(formGuid).then((text) => ({ text })));
      const now = new Date(clock.now());
      if (answer === undefined) {
        const known = await findForm(database, formGuid);
        if (known === undefined) throw unreachable();
        return toForm({ formGuid, form: known.questionnaire }, { isStale: true, asOf: known.fetchedAt }, actor);
      }
      if (answer.text === undefined) {
        await dropForm(database, formGuid);
        throw notFound('Form');
      }
      const form = await toForm({ formGuid, form: answer.text }, { isStale: false, asOf: now }, actor);
      await saveForm(database, form.entry, answer.text, now);
      return form;
    },
  };
}

/** Undefined when the plan service is unavailable. */
async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    const isUpstream =
      error instanceof ServiceError && (error.code === 'upstream_unavailable' || error.code === 'upstream_error');
    if (isUpstream) return undefined;
    throw error;
  }
}

function unreachable(): ServiceError {
  return new ServiceError('upstream_unavailable', 'The plan service cannot be reached and no catalogue is known');
}
