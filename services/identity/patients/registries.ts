// The registries of a patient, which an SU admin sets (decision I7).
import type { Audit } from '#lib/audit/audit.ts';
import type { Database } from '#lib/db/database.ts';
import { notFound, validationError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { Actor } from '../actor.ts';
import type { Revocations } from '../revocations/service.ts';
import * as store from './store.ts';

export interface PatientRegistries {
  readonly userGuid: string;
  readonly registries: readonly string[];
}

export interface Registries {
  /** @throws ServiceError `validation_error` for a repeated name, `not_found` */
  replace(actor: Actor, patientGuid: string, names: readonly string[]): Promise<PatientRegistries>;
}

export interface RegistriesDeps {
  readonly database: Database;
  readonly audit: Audit;
  readonly revocations: Revocations;
  readonly takeEffect: () => Promise<void>;
}

export function createRegistries(deps: RegistriesDeps): Registries {
  const { database, audit, revocations, takeEffect } = deps;
  return {
    async replace(actor, patientGuid, names) {
      const registries = names.map((name) => name.trim());
      requireDistinct(registries);
      const userGuid = await database.transaction(async (tx) => {
        const user = isGuid(patientGuid) ? await store.replaceRegistries(tx, patientGuid, registries) : null;
        if (user === null) throw notFound('Patient');
        await audit.record(tx, { action: 'U', event: 'patient.registries', patientGuid, subjectGuid: user, ...actor });
        await revocations.userChanged(tx, user);
        return user;
      });
      await takeEffect();
      return { userGuid, registries };
    },
  };
}

function requireDistinct(names: readonly string[]): void {
  const issues = names.flatMap((name, index) => {
    if (names.indexOf(name) === index) return [];
    const field = `registries[${index}]`;
    return [{ field, message: `'${field}' is given twice` }];
  });
  if (issues.length > 0) throw validationError(issues);
}
