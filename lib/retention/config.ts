// How long is kept what accumulates (docs/adr/0127, docs/adr/0136). Without a value nothing is removed.
import { defineSection, variable } from '../config/section.ts';
import { boolean, integer } from '../config/types.ts';

/** Of access logs: HSLF-FS 2016:40, chapter 4, section 9. */
const LAWFUL_ACCESS_LOG = 60;
/** Of patient records: Patientdatalagen (2008:355), chapter 3, section 17. */
const LAWFUL_RECORDS = 120;

const months = () => integer({ min: 1, max: 1200 });
/** Webhooks are tried for days, and providers ask about them later. */
const days = () => integer({ min: 30, max: 36_500 });
const whenUnset = 'without end';

export const retentionSection = defineSection({
  title: 'Retention',
  variables: {
    accessLog: variable('KEDJA_RETENTION_ACCESS_LOG', months(), {
      description: `For how many months audit events are kept, and with them the access logs of patients. Less than ${LAWFUL_ACCESS_LOG} is refused, as Swedish law asks for five years.`,
      whenUnset,
      example: '120',
    }),
    versions: variable('KEDJA_RETENTION_VERSIONS', months(), {
      description: `For how many months after its last change the superseded versions of a patient's resource are kept; the current one always is. Less than ${LAWFUL_RECORDS} is refused, as Swedish law asks for ten years.`,
      whenUnset,
      example: '240',
    }),
    deliveries: variable('KEDJA_RETENTION_DELIVERIES', days(), {
      description:
        'For how many days webhooks that arrived or were cancelled are kept with their attempts, once their request is finished. Dead letters stay.',
      whenUnset,
      example: '400',
    }),
    applications: variable('KEDJA_RETENTION_APPLICATIONS', days(), {
      description:
        'For how many days decided requests for an account, for the lead of a group and for a new group are kept.',
      whenUnset,
      example: '730',
    }),
    jobs: variable('KEDJA_RETENTION_JOBS', days(), {
      description:
        'For how many days finished synchronisations and imports by command are kept. Exports and other imports are removed after a day anyway.',
      whenUnset,
      example: '90',
    }),
    belowLaw: variable('KEDJA_RETENTION_BELOW_LAW', boolean(), {
      default: false,
      description: 'Permits a KEDJA_RETENTION_ACCESS_LOG and a KEDJA_RETENTION_VERSIONS of less than the law asks for.',
    }),
  },
  check: (values) => retentionIssues(values),
});

export interface Retention {
  readonly accessLog?: number | undefined;
  readonly versions?: number | undefined;
  readonly deliveries?: number | undefined;
  readonly applications?: number | undefined;
  readonly jobs?: number | undefined;
  readonly belowLaw?: boolean | undefined;
}

/** Why something may not be kept for so short a time. */
export function retentionIssues({ accessLog, versions, belowLaw = false }: Retention): string[] {
  if (belowLaw) return [];
  const issue = (name: string, kept: number | undefined, lawful: number) =>
    kept === undefined || kept >= lawful
      ? []
      : [`${name} is ${kept} months; the law asks for ${lawful} (KEDJA_RETENTION_BELOW_LAW permits less)`];
  return [
    ...issue('KEDJA_RETENTION_ACCESS_LOG', accessLog, LAWFUL_ACCESS_LOG),
    ...issue('KEDJA_RETENTION_VERSIONS', versions, LAWFUL_RECORDS),
  ];
}
