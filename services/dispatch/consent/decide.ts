// Decides whether data of a patient may go to an organisation for treatment (decision D7). One denial, or one consent
// that cannot be evaluated, outweighs every permission. Without any of them the policy decides. Pure.
import { createSlices, mapInSlices } from '#lib/jobs/slices.ts';
import { allOf, anyOf, type Certainty, not } from './certainty.ts';
import type { Consent, ConsentDecision, ConsentPolicy, ConsentQuestion, PatientConsents, Verdict } from './consent.ts';
import { anyValue, applies, holdsAt, isUnmodified, names } from './provision.ts';

/** Decides over all consents that concern the patient, in slices of the event loop. */
export async function decideConsent(
  { consents, objections, isComplete }: PatientConsents,
  question: ConsentQuestion,
  policy: ConsentPolicy,
  slices = createSlices(),
): Promise<ConsentDecision> {
  const evaluate = (consent: Consent) => ({ id: consent.id, verdict: verdictOf(consent, question) });
  const verdicts = [
    ...(await mapInSlices(consents, evaluate, slices)),
    ...(await mapInSlices(objections, evaluate, slices)).filter(({ verdict }) => verdict !== 'permit'),
  ];
  const idsWith = (wanted: Verdict) => verdicts.filter(({ verdict }) => verdict === wanted).map(({ id }) => id);
  const denying = idsWith('deny');
  if (denying.length > 0) return { permitted: false, reason: 'denied', consentIds: denying };
  const unclear = idsWith('unknown');
  if (unclear.length > 0 || !isComplete)
    return { permitted: false, reason: 'cannot_be_evaluated', consentIds: unclear };
  const permitting = idsWith('permit');
  if (permitting.length > 0) return { permitted: true, basis: 'consent', consentIds: permitting };
  if (policy === 'implied') return { permitted: true, basis: 'implied', consentIds: [] };
  return { permitted: false, reason: 'no_consent', consentIds: [] };
}

/** The verdict of one consent: its decision, reversed where one of its provisions applies. */
function verdictOf(consent: Consent, question: ConsentQuestion): Verdict {
  if (consent.status !== 'active') return 'not_applicable';
  const concerns = allOf([
    holdsAt(consent.period, question),
    anyValue(consent.grantee, (grantee) => names(grantee, question.recipient)),
  ]);
  if (concerns === 'no') return 'not_applicable';
  const isException = anyOf((consent.provision ?? []).map((provision) => applies(provision, question)));
  const permits = allOf([concerns, isUnmodified(consent), hasNoRules(consent), sense(consent.decision, isException)]);
  if (permits === 'yes') return 'permit';
  // A consent that may not concern the question at all is no certain denial.
  return permits === 'no' && concerns === 'yes' ? 'deny' : 'unknown';
}

function sense(decision: string | undefined, isException: Certainty): Certainty {
  switch (decision) {
    case 'permit':
      return not(isException);
    case 'deny':
      return isException;
    default:
      return 'unknown';
  }
}

function hasNoRules(consent: Consent): Certainty {
  return consent.implicitRules === undefined ? 'yes' : 'unknown';
}
