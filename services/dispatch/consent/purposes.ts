// Whether a purpose of use in a consent covers treatment, for which requests are dispatched
// (http://terminology.hl7.org/ValueSet/v3-PurposeOfUse).
import type { Certainty } from './certainty.ts';
import type { Coding } from './consent.ts';

const ACT_REASON = 'http://terminology.hl7.org/CodeSystem/v3-ActReason';

/** Treatment and the codes above it. */
const COVERING = new Set([
  'TREAT',
  'PurposeOfUse',
  '_ActHealthInformationManagementReason',
  '_ActInformationManagementReason',
]);

/**
 * All other codes of the value set: other purposes, and special kinds of treatment, which do not cover treatment in
 * general.
 */
const OTHER = new Set(
  (
    'BIORCH BTG CAREMGT CLINTRCH CLINTRCHNPC CLINTRCHPC CLINTRL CLMATTCH COC COVAUTH COVERAGE DISASTER DONAT DSRCH ELIGDTRM ' +
    'ELIGVER ENROLLM ERTREAT ETREAT FAMRQT FRAUD GOV HACCRED HCOMPL HDECD HDIRECT HDM HLEGAL HMARKT HOPERAT HOUTCOMS HPAYMT ' +
    'HPRGRP HQUALIMP HRESCH HSYSADMIN HTEST LABELING MEMADMIN METAMGT MILCDM MILDCRG MLTRAINING PATADMIN PATRQT PATSFTY PERFMSR ' +
    'PMTDS POARCH POPHLTH PRECLINTRCH PUBHLTH PWATRNY RECORDMGT REMITADV SUPNWK SYSDEV THREAT TRAIN TRANSRCH TREATDS'
  ).split(' '),
);

/** A code without a system counts as one of the value set. An unknown code might mean anything. */
export function coversTreatment({ system, code }: Coding): Certainty {
  if (code === undefined || (system !== undefined && system !== ACT_REASON)) return 'unknown';
  if (COVERING.has(code)) return 'yes';
  return OTHER.has(code) ? 'no' : 'unknown';
}
