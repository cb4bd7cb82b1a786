// Purposes of use (http://terminology.hl7.org/ValueSet/v3-PurposeOfUse): whether a purpose named in a consent covers
// treatment, the purpose for which requests are dispatched.
import type { Certainty } from './certainty.ts';
import type { Coding } from './consent.ts';

const ACT_REASON = 'http://terminology.hl7.org/CodeSystem/v3-ActReason';

/** Treatment and what stands above it. */
const COVERING = new Set([
  'TREAT',
  'PurposeOfUse',
  '_ActHealthInformationManagementReason',
  '_ActInformationManagementReason',
]);

/**
 * Every other code of the value set: purposes beside treatment, and the particular kinds of treatment beneath it, which
 * treatment in general goes beyond.
 */
const OTHER = new Set(
  (
    'BIORCH BTG CAREMGT CLINTRCH CLINTRCHNPC CLINTRCHPC CLINTRL CLMATTCH COC COVAUTH COVERAGE DISASTER DONAT DSRCH ELIGDTRM ' +
    'ELIGVER ENROLLM ERTREAT ETREAT FAMRQT FRAUD GOV HACCRED HCOMPL HDECD HDIRECT HDM HLEGAL HMARKT HOPERAT HOUTCOMS HPAYMT ' +
    'HPRGRP HQUALIMP HRESCH HSYSADMIN HTEST LABELING MEMADMIN METAMGT MILCDM MILDCRG MLTRAINING PATADMIN PATRQT PATSFTY PERFMSR ' +
    'PMTDS POARCH POPHLTH PRECLINTRCH PUBHLTH PWATRNY RECORDMGT REMITADV SUPNWK SYSDEV THREAT TRAIN TRANSRCH TREATDS'
  ).split(' '),
);

/** A code without system is read as one of the value set; a code that is not known might mean anything. */
export function coversTreatment({ system, code }: Coding): Certainty {
  if (code === undefined || (system !== undefined && system !== ACT_REASON)) return 'unknown';
  if (COVERING.has(code)) return 'yes';
  return OTHER.has(code) ? 'no' : 'unknown';
}
