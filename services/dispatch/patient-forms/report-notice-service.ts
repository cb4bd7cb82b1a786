// Notifies planners of what patients have reported at the engine, and withdrawn there: values, and answers to forms
// that dispatch has not given (docs/adr/0070, docs/adr/0072). What nobody has read yet is not said again.
import { ALL_ACCESS } from '#fhir/store/access.ts';
import type { Database } from '#lib/db/database.ts';
import type { Notice, Notifier } from '../notifications/notify-service.ts';
import type { Records } from '../shared/records.ts';
import type { PlacementService } from './placement-service.ts';

export interface ReportedByPatient {
  /** The ids under which the person may be on record here, the one that the report is about first. */
  readonly patientIds: readonly string[];
  /** The owner of the report. */
  readonly organisationGuid: string;
  readonly resourceType: 'Observation' | 'QuestionnaireResponse';
  /** Literal references to plans and requests, which need not be here. */
  readonly basedOn: readonly string[];
  readonly isWithdrawn: boolean;
}

export interface ReportNoticeService {
  notice(reports: readonly ReportedByPatient[]): Promise<void>;
}

export interface ReportNoticeOptions {
  readonly database: Database;
  readonly records: Pick<Records, 'find'>;
  readonly notifier: Pick<Notifier, 'notifyUnlessUnread'>;
  readonly placement: Pick<PlacementService, 'place'>;
}

const KINDS = {
  Observation: { reported: 'values_reported', withdrawn: 'values_withdrawn' },
  QuestionnaireResponse: { reported: 'patient_reported', withdrawn: 'answer_withdrawn' },
} as const;

export function createReportNoticeService({
  database,
  records,
  notifier,
  placement,
}: ReportNoticeOptions): ReportNoticeService {
  /** The first plan or request of the organisation that is here. */
  async function subjectOf({ patientIds, organisationGuid, basedOn }: ReportedByPatient) {
    for (const reference of basedOn) {
      const { records: owners } = await placement.place(patientIds, [reference]);
      const owner = owners.find((each) => each.organisationGuid === organisationGuid);
      if (owner !== undefined) return { ...owner, reference };
    }
    return undefined;
  }

  /** The id by which the organisation has the person here; else that of the report. */
  async function recordOf({ patientIds, organisationGuid }: ReportedByPatient): Promise<string> {
    for (const id of patientIds) {
      const found = await records.find(database, { resourceType: 'Patient', id }, ALL_ACCESS);
      if (found?.organisation === organisationGuid) return id;
    }
    return patientIds[0] ?? '';
  }

  async function noticeOf(report: ReportedByPatient): Promise<Notice & { readonly about: NoticedPatient }> {
    const kind = KINDS[report.resourceType][report.isWithdrawn ? 'withdrawn' : 'reported'];
    const { organisationGuid } = report;
    const subject = await subjectOf(report);
    if (subject === undefined) {
      const about = { patientGuid: await recordOf(report), organisationGuid };
      return { kind, carePlan: about, about };
    }
    const [type, id = ''] = subject.reference.split('/');
    const about = { patientGuid: subject.patientGuid, organisationGuid };
    return type === 'ServiceRequest'
      ? { kind, serviceRequestId: id, about }
      : { kind, carePlan: { careplanGuid: id, ...about }, about };
  }

  return {
    async notice(reports) {
      for (const report of reports) {
        const { about, ...notice } = await noticeOf(report);
        await database.transaction((tx) => notifier.notifyUnlessUnread(tx, notice, about));
      }
    },
  };
}

interface NoticedPatient {
  readonly patientGuid: string;
  readonly organisationGuid: string;
}
