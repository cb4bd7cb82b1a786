// The publication status of definitions, and what of it speaks against their use.
import { type Json, text } from '../json.ts';
import { standardsStatusOf } from '../model/extensions.ts';

export interface PublicationStatus {
  readonly status: string | undefined;
  readonly standardsStatus: string | undefined;
  readonly isExperimental: boolean;
}

/** The most serious of what speaks against a use; undefined for nothing. */
function statusWarning({ status, standardsStatus, isExperimental }: PublicationStatus): string | undefined {
  if (standardsStatus === 'deprecated' || standardsStatus === 'withdrawn') return standardsStatus;
  if (status === 'retired' || status === 'draft') return status;
  return isExperimental ? 'experimental' : undefined;
}

export function statusOf(resource: Json): PublicationStatus {
  return {
    status: text(resource['status']),
    standardsStatus: standardsStatusOf(resource),
    isExperimental: resource['experimental'] === true,
  };
}

/** What is itself draft or experimental may refer to what is so. */
const UNFINISHED: readonly (string | undefined)[] = ['draft', 'experimental'];

function isUnfinished(resource: Json): boolean {
  return UNFINISHED.includes(statusWarning(statusOf(resource)));
}

/** What speaks against the use of a definition by a value set; undefined for nothing. */
export function warningFor(valueSet: Json | undefined, used: PublicationStatus): string | undefined {
  const warning = statusWarning(used);
  const isAlike = UNFINISHED.includes(warning) && valueSet !== undefined && isUnfinished(valueSet);
  return isAlike ? undefined : warning;
}
