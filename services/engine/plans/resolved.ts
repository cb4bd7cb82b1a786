// The types of library entries with all references resolved, as a publication needs them.
import type { TimingRepeat } from '../activities/schema.ts';
import type { PermittedValue } from '../concepts/schema.ts';
import type { GoalDue } from '../goals/schema.ts';

export interface ResolvedConcept {
  readonly guid: string;
  /** Url and version of the canonical library. */
  readonly system: string;
  readonly version: string | null;
  readonly code: string;
  readonly display: string;
  readonly values: readonly PermittedValue[];
}

export interface ResolvedUnit {
  readonly name: string;
  readonly ucumCode: string;
}

export interface ResolvedTransaction {
  readonly guid: string;
  readonly name: string;
  readonly concept: ResolvedConcept;
  /** The transaction's own response type, else its concept's. */
  readonly fhirType: string | null;
  readonly unit: ResolvedUnit | null;
  readonly timing: TimingRepeat | null;
  readonly required: boolean;
}

export interface ResolvedActivity {
  readonly guid: string;
  readonly name: string;
  readonly description: string | null;
  readonly status: 'draft' | 'active' | 'retired';
  /** Counts the changes of the activity and of its transactions. */
  readonly version: number;
  readonly updatedAt: string;
  readonly concept: ResolvedConcept;
  readonly transactions: readonly ResolvedTransaction[];
}

export interface ResolvedGoal {
  readonly guid: string;
  readonly name: string;
  readonly description: string | null;
  readonly concept: ResolvedConcept;
  readonly comparator: string | null;
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly unit: ResolvedUnit | null;
  readonly due: GoalDue | null;
  readonly activityGuids: readonly string[];
}
