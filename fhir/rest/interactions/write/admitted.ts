// What is written for a request, and to whom it belongs. A patient's own report is completed by the service, and any
// other resource belongs to the organisation that the service names (docs/adr/0072).
import type { ResourceText } from '#fhir/resources/resource-text.ts';
import type { RouteContext } from '../../context.ts';
import type { Placed, ReportToComplete } from '../../options.ts';
import type { FhirCall } from '../call.ts';

export interface Admitted extends Placed {
  /** Set for patients: they choose no ids, so that no attempt reveals which are taken. */
  readonly mayCreate?: false;
  /** The owner of a patient's report follows its subject, also when the report is changed. */
  readonly moveTo?: string | null;
}

/** The checked resource with its owner. @throws ServiceError `unprocessable`, and the service's refusals */
export async function admitted(
  call: FhirCall,
  { source, interaction }: { readonly source: ResourceText; readonly interaction: 'create' | 'update' },
  context: RouteContext,
): Promise<Admitted> {
  const { store, ownerOrganisation } = context.options;
  const report = await ownReport(call, { source, interaction }, context);
  if (report !== undefined) {
    await store.check(report.source);
    return { ...report, mayCreate: false, moveTo: report.organisation };
  }
  await store.check(source);
  return { source, organisation: ownerOrganisation(source.resource, call.principal) };
}

/**
 * A patient's or provider's report as the service completes it; undefined for other callers.
 * @throws ServiceError the service's refusals
 */
export async function ownReport(
  { principal, execution }: FhirCall,
  { source, interaction, current }: Omit<ReportToComplete, 'mayAsk'>,
  { options: { completeReport, workerThreads } }: RouteContext,
): Promise<Placed | undefined> {
  const mayAsk = execution.within === undefined && current === undefined;
  const report = await completeReport?.(execution.db, principal, { source, interaction, current, mayAsk });
  if (report !== undefined) workerThreads?.share(report.source, workerThreads.budgetOf(source));
  return report;
}
